/* Waits of the main context for other threads and for time.
 *
 * A wait in the kernel would keep the virtual processor, and so the ranks that share it, from going on, though the wait
 * may depend on them. So the kernel is asked for a short wait at a time, and the other ranks run in between. The slices
 * are short at first, since most waits are short, and grow while the wait goes on. After the longest slice another
 * thread of the rank waits in the place of the main context (waiter.c), and the main context is suspended until that
 * wait is over. A wait for the end of a thread suspends the main context at once.
 *
 * On other threads of the rank, and where no wait is needed, these functions are those of libc. */
#include "signals.h"

enum { SECOND = 1000000000 };

static bool shares_its_thread(void)
{
    return !simurgh_forked && simurgh_on_main();
}

void simurgh_let_others_run(void)
{
    simurgh_shim_rank.hooks->yield(simurgh_shim_rank.user);
}

static struct timespec after(struct timespec time, long nanoseconds)
{
    time.tv_nsec += nanoseconds;
    if (time.tv_nsec >= SECOND) {
        time.tv_nsec -= SECOND;
        time.tv_sec++;
    }
    return time;
}

struct timespec simurgh_time_after(struct timespec duration)
{
    struct timespec now;
    libc.clock_gettime(CLOCK_MONOTONIC, &now);
    now.tv_sec += duration.tv_sec;
    return after(now, duration.tv_nsec);
}

/* The length of the next slice in nanoseconds. Only the main context uses it. */
static long slice = SIMURGH_FIRST_SLICE_NANOSECONDS;

static struct timespec end_of_slice(clockid_t clock)
{
    struct timespec now;
    libc.clock_gettime(clock, &now);
    return after(now, slice);
}

/* Called after a slice in which the wait did not end. */
static void go_on_waiting(void)
{
    slice = slice < SIMURGH_SLICE_NANOSECONDS / 2 ? 2 * slice : SIMURGH_SLICE_NANOSECONDS;
    simurgh_let_others_run();
}

static bool slices_are_over(void)
{
    return slice == SIMURGH_SLICE_NANOSECONDS;
}

static int end_waiting(int result)
{
    slice = SIMURGH_FIRST_SLICE_NANOSECONDS;
    return result;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    if (!shares_its_thread())
        return libc.pthread_join(thread, result);
    for (;;) {
        simurgh_await_end(thread);
        struct timespec end = end_of_slice(CLOCK_REALTIME);
        int error = libc.pthread_timedjoin_np(thread, result, &end);
        if (error != ETIMEDOUT)
            return end_waiting(error);
        go_on_waiting();
    }
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    void *value;
    if (pthread_join(thread, &value) != 0)
        return thrd_error;
    if (result)
        *result = (int)(intptr_t)value;
    return thrd_success;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!shares_its_thread())
        return simurgh_is_flushing() ? simurgh_lock_soon(mutex) : libc.pthread_mutex_lock(mutex);
    int error = libc.pthread_mutex_trylock(mutex);
    if (error != EBUSY)
        return error;
    do {
        /* This also finds out that the caller already holds the mutex, where the mutex's type makes that an error. */
        struct timespec end = end_of_slice(CLOCK_REALTIME);
        error = libc.pthread_mutex_timedlock(mutex, &end);
        if (error == ETIMEDOUT && !(slices_are_over() && simurgh_await_mutex(mutex)))
            go_on_waiting();
    } while (error == ETIMEDOUT);
    return end_waiting(error);
}

EXPORT int sched_yield(void)
{
    if (!shares_its_thread())
        return libc.sched_yield();
    simurgh_let_others_run();
    return 0;
}

EXPORT void thrd_yield(void)
{
    sched_yield();
}

/* May return without a signal, as POSIX allows. Callers wait for a condition in a loop. */
EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    if (!shares_its_thread())
        return libc.pthread_cond_wait(condition, mutex);
    if (slices_are_over()) {
        int error = simurgh_await_condition(condition, mutex);
        if (error >= 0)
            return end_waiting(error ? error : pthread_mutex_lock(mutex));
    }
    struct timespec end = end_of_slice(CLOCK_MONOTONIC);
    int error = libc.pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &end);
    if (error != ETIMEDOUT)
        return end_waiting(error);
    libc.pthread_mutex_unlock(mutex);
    go_on_waiting();
    return pthread_mutex_lock(mutex);
}

EXPORT int sem_wait(sem_t *semaphore)
{
    if (!shares_its_thread())
        return libc.sem_wait(semaphore);
    unsigned int handled = simurgh_handled();
    for (;;) {
        struct timespec end = end_of_slice(CLOCK_REALTIME);
        if (libc.sem_timedwait(semaphore, &end) == 0)
            return end_waiting(0);
        if (errno == EINTR ? simurgh_handled() != handled : errno != ETIMEDOUT)
            return end_waiting(-1);
        /* The other thread would take the semaphore even if a handler had ended this wait. */
        int error = slices_are_over() && !simurgh_signals.listening ? simurgh_await_semaphore(semaphore) : -1;
        if (error == 0)
            return end_waiting(0);
        go_on_waiting();
    }
}

static bool before(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

bool simurgh_sleep_a_slice(struct timespec end)
{
    struct timespec pause = end_of_slice(CLOCK_MONOTONIC);
    bool last = !before(pause, end);
    int error = libc.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, last ? &end : &pause, NULL);
    if (!last || error)
        go_on_waiting();
    return !last || error;
}

/* Sleeps until `end` on the monotonic clock. False if a signal has been handled. */
static bool sleep_until(struct timespec end)
{
    unsigned int handled = simurgh_handled();
    bool in_time = true;
    while (in_time && simurgh_handled() == handled)
        in_time = simurgh_sleep_a_slice(end);
    return end_waiting(simurgh_handled() == handled);
}

static struct timespec left_until(struct timespec end)
{
    struct timespec now;
    libc.clock_gettime(CLOCK_MONOTONIC, &now);
    if (!before(now, end))
        return (struct timespec){0};
    struct timespec left = {end.tv_sec - now.tv_sec, end.tv_nsec - now.tv_nsec};
    if (left.tv_nsec < 0) {
        left.tv_nsec += SECOND;
        left.tv_sec--;
    }
    return left;
}

EXPORT int nanosleep(const struct timespec *duration, struct timespec *left)
{
    bool valid = duration && duration->tv_sec >= 0 && duration->tv_nsec >= 0 && duration->tv_nsec < SECOND;
    if (!valid || !shares_its_thread())
        return libc.nanosleep(duration, left);
    struct timespec end = simurgh_time_after(*duration);
    if (sleep_until(end))
        return 0;
    if (left)
        *left = left_until(end);
    errno = EINTR;
    return -1;
}

EXPORT int usleep(useconds_t microseconds)
{
    struct timespec duration = {microseconds / 1000000, microseconds % 1000000 * 1000L};
    return nanosleep(&duration, NULL);
}

EXPORT unsigned int sleep(unsigned int seconds)
{
    struct timespec duration = {seconds, 0}, left = {0, 0};
    if (nanosleep(&duration, &left) == 0)
        return 0;
    return (unsigned int)left.tv_sec + (left.tv_nsec >= SECOND / 2);
}
