/* Threads of a rank. They get the rank's thread-local variables and count as threads of the rank. */
#include "signals.h"
#include <sys/syscall.h>

struct thread_destructor {
    void (*function)(void *);
    void *object;
    struct thread_destructor *next;
};

static __thread struct thread_destructor *destructors;

static int running_threads;

/* The threads that run, from their beginning on, and the number of threads that have ended. */
struct running {
    pthread_t thread;
    struct running *next;
};

static pthread_mutex_t running_lock;
static struct running *running;
static uint32_t ended;

struct thread_start {
    void *(*posix)(void *);
    thrd_start_t c11;
    void *argument;
    struct running *own;
    bool has_processors;
    cpu_set_t processors;
    signal_set mask; /* that of the thread which has made it */
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

static struct running **find_running(pthread_t thread)
{
    struct running **place = &running;
    while (*place && (*place)->thread != thread)
        place = &(*place)->next;
    return place;
}

static bool is_running(pthread_t thread)
{
    libc.pthread_mutex_lock(&running_lock);
    bool found = *find_running(thread) != NULL;
    libc.pthread_mutex_unlock(&running_lock);
    return found;
}

/* Waits for the next end on the main context. A wait in the kernel would keep the virtual processor busy, and would
 * hide that all ranks wait. */
static void await_next_end(uint32_t seen)
{
    simurgh_shim_rank.hooks->await_thread(simurgh_shim_rank.user, &ended, seen);
}

void simurgh_wait_for_threads(void)
{
    for (;;) {
        uint32_t seen = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&running_threads, __ATOMIC_SEQ_CST) == 0)
            return;
        await_next_end(seen);
    }
}

/* Suspends the main context until the thread has nearly ended. Returns at once if the thread has not begun or is not a
 * thread of the rank. */
void simurgh_await_end(pthread_t thread)
{
    for (;;) {
        uint32_t seen = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
        if (!is_running(thread))
            return;
        await_next_end(seen);
    }
}

EXPORT int simurgh_shim_threads(void)
{
    return __atomic_load_n(&running_threads, __ATOMIC_SEQ_CST) + simurgh_has_waiter();
}

/* The number of threads besides the main one that may use memory of the rank. Any thread may call this. */
EXPORT int simurgh_shim_memory_users(void)
{
    return __atomic_load_n(&running_threads, __ATOMIC_SEQ_CST) + simurgh_waiter_is_busy();
}

static void end_thread(void *own)
{
    simurgh_run_thread_destructors();
    simurgh_end_signals();
    libc.pthread_mutex_lock(&running_lock);
    *find_running(libc.pthread_self()) = ((struct running *)own)->next;
    libc.pthread_mutex_unlock(&running_lock);
    libc.free(own);
    __atomic_sub_fetch(&running_threads, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
    simurgh_shim_rank.hooks->thread_ended(simurgh_shim_rank.user);
}

static void begin_thread(struct running *own, signal_set mask)
{
    simurgh_shim_rank.tls_start(simurgh_shim_rank.tls_layout, simurgh_shim_rank.address);
    own->thread = libc.pthread_self();
    libc.pthread_mutex_lock(&running_lock);
    own->next = running;
    running = own;
    libc.pthread_mutex_unlock(&running_lock);
    /* libc calls this when the function returns and in pthread_exit, before the destructors of thread-specific data. */
    libc.cxa_thread_atexit(end_thread, own, &simurgh_shim_rank);
    simurgh_shim_rank.hooks->thread_started(simurgh_shim_rank.user);
    simurgh_begin_signals((pid_t)libc.syscall(SYS_gettid), mask);
}

void simurgh_adopt_thread(void)
{
    struct running *own = simurgh_signal_thread() ? NULL : libc.malloc(sizeof *own);
    if (!own)
        return;
    __atomic_add_fetch(&running_threads, 1, __ATOMIC_SEQ_CST);
    begin_thread(own, 0);
}

static void *run_thread(void *argument)
{
    struct thread_start start = *(struct thread_start *)argument;
    libc.free(argument);
    if (start.has_processors)
        libc.sched_setaffinity(0, sizeof start.processors, &start.processors);
    begin_thread(start.own, start.mask);
    if (start.c11)
        return (void *)(intptr_t)start.c11(start.argument);
    return start.posix(start.argument);
}

/* Linux puts a new thread on a processor that its creator may use, and moves it to an idle one only milliseconds later.
 * The kernel thread that runs the main context is bound to one processor. So it may use all of the rank's while it
 * creates a thread, unless these are the same: then the new thread inherits them. */
static int create_thread(pthread_t *thread, const pthread_attr_t *attributes, struct thread_start *start)
{
    cpu_set_t bound, wide;
    bool widened = start->has_processors && libc.sched_getaffinity(0, sizeof bound, &bound) == 0;
    if (widened && simurgh_same_processors(&bound, &start->processors))
        widened = start->has_processors = false;
    if (widened) {
        CPU_OR(&wide, &bound, &start->processors);
        libc.sched_setaffinity(0, sizeof wide, &wide);
    }
    int error = libc.pthread_create(thread, attributes, run_thread, start);
    if (widened)
        libc.sched_setaffinity(0, sizeof bound, &bound);
    return error;
}

static int start_thread(pthread_t *thread, const pthread_attr_t *attributes, struct thread_start start)
{
    struct thread_start *copy = libc.malloc(sizeof *copy);
    struct running *own = libc.malloc(sizeof *own);
    int error = EAGAIN;
    if (copy && own) {
        simurgh_listen_on_main();
        *copy = start;
        copy->own = own;
        copy->has_processors = simurgh_inherit_processors(attributes, &copy->processors);
        copy->mask = simurgh_signal_thread() ? simurgh_signal_thread()->mask : 0;
        __atomic_add_fetch(&running_threads, 1, __ATOMIC_SEQ_CST);
        error = create_thread(thread, attributes, copy);
        if (error == 0)
            return 0;
        __atomic_sub_fetch(&running_threads, 1, __ATOMIC_SEQ_CST);
    }
    libc.free(copy);
    libc.free(own);
    return error;
}

int simurgh_start_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    return start_thread(thread, attributes, (struct thread_start){.posix = function, .argument = argument});
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                          void *argument)
{
    return simurgh_start_thread(thread, attributes, function, argument);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    int error = start_thread(thread, NULL, (struct thread_start){.c11 = function, .argument = argument});
    return error == 0 ? thrd_success : error == EAGAIN || error == ENOMEM ? thrd_nomem : thrd_error;
}

/* On the main context, the rank goes on until its last thread ends, and then exits with status 0. */
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
