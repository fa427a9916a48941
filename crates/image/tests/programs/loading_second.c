/* A library that sees another one only if that has been loaded for all. Its constructor loads a third one, which lies
 * beside it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

extern int count(void) __attribute__((weak));

static int third;

int sees_first(void)
{
    return count ? count() : 0;
}

int third_is(void)
{
    return third;
}

__attribute__((constructor)) static void begin(void)
{
    Dl_info info;
    char own[4096], path[4200];
    if (!dladdr(&third, &info))
        return;
    strcpy(own, info.dli_fname);
    snprintf(path, sizeof path, "%s/libloadingthird.so", dirname(own));
    void *library = dlopen(path, RTLD_NOW);
    int (*number)(void) = library ? (int (*)(void))dlsym(library, "number") : NULL;
    third = number ? number() : -1;
}
