/* Ways to crash: the first argument says which. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *volatile nowhere;
static volatile int zero;

__attribute__((noinline)) static int write_nowhere(void)
{
    return *nowhere = 1;
}

__attribute__((noinline)) static int endless(int depth)
{
    volatile char frame[1000];
    frame[0] = (char)depth;
    return endless(depth + 1) + frame[0];
}

static void *overflowing_thread(void *unused)
{
    (void)unused;
    return (void *)(long)endless(0);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    printf("before the crash");
    if (!strcmp(way, "segv"))
        return write_nowhere();
    if (!strcmp(way, "stack"))
        return endless(0);
    if (!strcmp(way, "divide")) {
        int by = zero;
        printf("%d\n", 7 / by);
    }
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "assert"))
        assert(zero);
    if (!strcmp(way, "thread")) {
        pthread_t thread;
        pthread_create(&thread, 0, overflowing_thread, 0);
        pthread_join(thread, 0);
    }
    return 0;
}
