/* A nested function whose address is taken needs an executable stack. */
#include <stdio.h>

static int call(int (*function)(int), int value)
{
    return function(value);
}

int main(int argc, char **argv)
{
    (void)argv;
    int add(int value)
    {
        return value + argc;
    }
    printf("nested %s\n", call(add, 4) == 4 + argc ? "OK" : "BAD");
    return 0;
}
