/* A function whose address is chosen by code that runs while the loader relocates. */
#include <stdio.h>

static int one(void)
{
    return 1;
}

static int (*choose(void))(void)
{
    return one;
}

int chosen(void) __attribute__((ifunc("choose")));
int (*volatile pointer)(void) = chosen;

int main(void)
{
    printf("indirect %s\n", chosen() == 1 && pointer() == 1 ? "OK" : "BAD");
    return 0;
}
