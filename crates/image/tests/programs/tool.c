/* A tool, as PMPI ones are: stands before the library's function and calls it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static int calls;

int answer(void)
{
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "answer");
    printf("tool call %d\n", ++calls);
    return next ? next() + 1 : -1;
}
