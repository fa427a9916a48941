/* The ways to end: the argument says which. Handlers and destructors run as they should, streams are flushed. */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(void)
{
    printf("atexit handler\n");
}

static void with_status(int status, void *argument)
{
    printf("on_exit %d %s", status, (char *)argument);
}

static void quick_handler(void)
{
    printf("quick handler\n");
    fflush(stdout);
}

__attribute__((destructor)) static void destructor(void)
{
    printf("destructor, not a whole line");
}

__attribute__((noinline)) static void deep(int levels)
{
    volatile char room[512];
    room[0] = (char)levels;
    if (levels == 0)
        exit(5);
    deep(levels - 1);
    room[1] = room[0];
}

static void *exiting_thread(void *unused)
{
    (void)unused;
    exit(9);
}

static void *late_thread(void *unused)
{
    usleep(20000);
    puts("late thread");
    return unused;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "return";
    pthread_t thread;
    atexit(handler);
    on_exit(with_status, "argument\n");
    at_quick_exit(quick_handler);
    if (!strcmp(way, "deep"))
        deep(100);
    if (!strcmp(way, "_exit"))
        _exit(6);
    if (!strcmp(way, "quick"))
        quick_exit(7);
    if (!strcmp(way, "err"))
        errx(8, "says %s", "errx");
    if (!strcmp(way, "thread")) {
        pthread_create(&thread, NULL, exiting_thread, NULL);
        pthread_join(thread, NULL);
        return 1;
    }
    if (!strcmp(way, "pthread_exit")) {
        pthread_create(&thread, NULL, late_thread, NULL);
        pthread_detach(thread);
        pthread_exit(NULL);
    }
    if (!strcmp(way, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            printf("child\n");
            exit(11);
        }
        int status;
        waitpid(child, &status, 0);
        printf("child's status %d\n", WEXITSTATUS(status));
    }
    return 4;
}
