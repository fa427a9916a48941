/* Which file an address belongs to, as a backtrace asks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    Dl_info info;
    if (dladdr((void *)main, &info))
        printf("main is in %s\n", info.dli_fname);
    return 0;
}
