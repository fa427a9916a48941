/* Threads of a rank: they get the rank's thread-local variables and belong to the rank. */
#include "shim.h"
#include <linux/futex.h>
#include <sys/syscall.h>

struct thread_destructor {
    void (*function)(void *);
    void *object;
    struct thread_destructor *next;
};

static __thread struct thread_destructor *destructors;

static int running_threads;

struct thread_start {
    void *(*posix)(void *);
    thrd_start_t c11;
    void *argument;
};

/* Destructors of C++ thread_local objects. */
EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
{
    (void)library;
    struct thread_destructor *entry = libc.malloc(sizeof *entry);
    if (!entry)
        return -1;
    *entry = (struct thread_destructor){function, object, destructors};
    destructors = entry;
    return 0;
}

void simurgh_run_thread_destructors(void)
{
    while (destructors) {
        struct thread_destructor *entry = destructors;
        destructors = entry->next;
        entry->function(entry->object);
        libc.free(entry);
    }
}

static void forget_thread(void)
{
    if (__atomic_sub_fetch(&running_threads, 1, __ATOMIC_ACQ_REL) == 0)
        libc.syscall(SYS_futex, &running_threads, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void simurgh_wait_for_threads(void)
{
    const struct timespec slice = {0, SIMURGH_SLICE_NANOSECONDS};
    int running;
    while ((running = __atomic_load_n(&running_threads, __ATOMIC_ACQUIRE)) != 0) {
        libc.syscall(SYS_futex, &running_threads, FUTEX_WAIT_PRIVATE, running, &slice, NULL, 0);
        simurgh_let_others_run();
    }
}

static void end_thread(void *unused)
{
    (void)unused;
    simurgh_run_thread_destructors();
    simurgh_shim_rank.hooks->thread_ended(simurgh_shim_rank.user);
    forget_thread();
}

static void *run_thread(void *argument)
{
    struct thread_start start = *(struct thread_start *)argument;
    libc.free(argument);
    simurgh_shim_rank.tls_start(simurgh_shim_rank.tls_layout);
    /* libc calls it when the function returns and in pthread_exit, before the destructors of thread-specific data. */
    libc.cxa_thread_atexit(end_thread, NULL, &simurgh_shim_rank);
    simurgh_shim_rank.hooks->thread_started(simurgh_shim_rank.user);
    if (start.c11)
        return (void *)(intptr_t)start.c11(start.argument);
    return start.posix(start.argument);
}

static int start_thread(pthread_t *thread, const pthread_attr_t *attributes, struct thread_start start)
{
    struct thread_start *copy = libc.malloc(sizeof *copy);
    if (!copy)
        return EAGAIN;
    *copy = start;
    __atomic_add_fetch(&running_threads, 1, __ATOMIC_RELAXED);
    int error = libc.pthread_create(thread, attributes, run_thread, copy);
    if (error) {
        forget_thread();
        libc.free(copy);
    }
    return error;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    return start_thread(thread, attributes, (struct thread_start){.posix = function, .argument = argument});
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    int error = start_thread(thread, NULL, (struct thread_start){.c11 = function, .argument = argument});
    return error == 0 ? thrd_success : error == EAGAIN || error == ENOMEM ? thrd_nomem : thrd_error;
}

/* On the main context: the rank goes on until its last thread ends, then exits with 0. */
EXPORT void pthread_exit(void *result)
{
    if (!simurgh_on_main())
        libc.pthread_exit(result);
    simurgh_run_thread_destructors();
    simurgh_wait_for_threads();
    exit(0);
}

EXPORT void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}
