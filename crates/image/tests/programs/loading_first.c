/* A library that a program loads while it runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

extern int of_program;

static int counter, beginning;
static __thread int own;

int whose(void)
{
    return 2;
}

/* Calls the program's function of this name. */
int asks_whose(void)
{
    return whose();
}

int count(void)
{
    return ++counter;
}

int count_own(void)
{
    return ++own;
}

int began_with(void)
{
    return beginning;
}

int sees_itself(void)
{
    return dlsym(RTLD_DEFAULT, "began_with") != NULL;
}

int sees_next(void)
{
    return dlsym(RTLD_NEXT, "began_with") != NULL;
}

__attribute__((constructor)) static void begin(void)
{
    beginning = of_program += 2;
}

__attribute__((destructor)) static void end(void)
{
    printf("first ends after %d\n", counter);
}
