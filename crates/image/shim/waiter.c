/* A kernel thread that waits for a semaphore, a condition or a mutex in the place of the main context.
 *
 * The main context is suspended meanwhile, as while it waits for the end of a thread: its virtual processor runs other
 * ranks, or sleeps. A deadlock in which it takes part is found, since the kernel tells of this thread, as of any other
 * of the rank, that it sleeps. The thread is made for the first wait that takes longer than the longest slice (wait.c),
 * and serves all others.
 *
 *  semaphore: this thread takes it, for the main context;
 *  mutex:     this thread locks it and unlocks it at once; then the main context tries again;
 *  condition: this thread waits for it with `lock` in the place of the program's mutex. It is known to wait when it has
 *             taken the task and `lock` is free; only then does the main context unlock the program's mutex. So it
 *             misses no signal. */
#include "signals.h"

enum task { NOTHING, SEMAPHORE, CONDITION, MUTEX };

/* The lock guards the task, and so the object of the wait. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static enum task task;
static void *object;
static bool is_taken;
static int result;
static uint32_t over; /* how many waits are over */
static bool is_there;
static bool has_processors;
static cpu_set_t processors;

bool simurgh_has_waiter(void)
{
    return is_there;
}

/* Whether the thread waits for an object of the program, or is about to. */
bool simurgh_waiter_is_busy(void)
{
    libc.pthread_mutex_lock(&lock);
    bool is_busy = task != NOTHING;
    libc.pthread_mutex_unlock(&lock);
    return is_busy;
}

static int wait_without_lock(void)
{
    enum task kind = task;
    int error = 0;
    libc.pthread_mutex_unlock(&lock);
    if (kind == SEMAPHORE) {
        error = libc.sem_wait(object) ? errno : 0;
    } else {
        error = libc.pthread_mutex_lock(object);
        if (error == 0)
            libc.pthread_mutex_unlock(object);
    }
    libc.pthread_mutex_lock(&lock);
    return error;
}

static void *serve(void *unused)
{
    if (has_processors)
        libc.sched_setaffinity(0, sizeof processors, &processors);
    libc.pthread_mutex_lock(&lock);
    for (;;) {
        while (task == NOTHING || is_taken)
            libc.pthread_cond_wait(&given, &lock);
        is_taken = true;
        libc.pthread_cond_signal(&taken);
        result = task == CONDITION ? libc.pthread_cond_wait(object, &lock) : wait_without_lock();
        task = NOTHING;
        __atomic_add_fetch(&over, 1, __ATOMIC_SEQ_CST);
        simurgh_shim_rank.hooks->wake(simurgh_shim_rank.user);
    }
    return unused;
}

/* Makes the thread; called with the lock held. The thread takes no signals. */
static bool make(void)
{
    sigset_t all, before;
    set_to(&all, ~(signal_set)0);
    has_processors = simurgh_inherit_processors(NULL, &processors);
    libc.pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool made = libc.pthread_create(&thread, NULL, serve, NULL) == 0;
    libc.pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (made)
        libc.pthread_detach(thread);
    return made;
}

/* Has the thread wait. Returns -1 if no thread is free for it, or else the result of the waiting function. */
static int wait_by_waiter(enum task kind, void *what, pthread_mutex_t *mutex)
{
    libc.pthread_mutex_lock(&lock);
    is_there = is_there || make();
    /* The thread is busy if this is a signal handler that interrupted such a wait. */
    if (!is_there || task != NOTHING) {
        libc.pthread_mutex_unlock(&lock);
        return -1;
    }
    uint32_t seen = __atomic_load_n(&over, __ATOMIC_SEQ_CST);
    object = what;
    is_taken = false;
    task = kind;
    libc.pthread_cond_signal(&given);
    while (!is_taken)
        libc.pthread_cond_wait(&taken, &lock);
    libc.pthread_mutex_unlock(&lock);
    if (mutex)
        libc.pthread_mutex_unlock(mutex);
    simurgh_shim_rank.hooks->await_thread(simurgh_shim_rank.user, &over, seen);
    libc.pthread_mutex_lock(&lock);
    int error = result;
    libc.pthread_mutex_unlock(&lock);
    return error;
}

int simurgh_await_semaphore(sem_t *semaphore)
{
    return wait_by_waiter(SEMAPHORE, semaphore, NULL);
}

int simurgh_await_condition(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_by_waiter(CONDITION, condition, mutex);
}

/* Mutexes that are robust or that use priorities are for the main context alone. The next owner of a robust mutex is
 * told of the fate of the last one, and for the others the priority of the locking thread counts. */
bool simurgh_await_mutex(pthread_mutex_t *mutex)
{
    enum { ROBUST = 16, INHERITS = 32, PROTECTS = 64 };
    return !(mutex->__data.__kind & (ROBUST | INHERITS | PROTECTS)) && wait_by_waiter(MUTEX, mutex, NULL) >= 0;
}
