/* The least: a private global, a private thread-local, output. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int counter = 40;
static __thread int local = 7;

int main(int argc, char **argv)
{
    const char *rank = getenv("TEST_RANK");
    counter += 2, local += 1;
    printf("hello from %s: %s (%d, %d, %d)\n", rank ? rank : "?", counter == 42 && local == 8 ? "OK" : "BAD", counter,
           local, argc);
    return argv[0] ? 3 : 4;
}
