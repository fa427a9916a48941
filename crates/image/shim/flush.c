/* Writing out, at the end of the job, what the run-times of languages hold in the rank's buffers.
 *
 * A thread of the host calls a run-time's own function for that. The rank may be suspended in the middle of a write, or
 * have crashed there, and so hold the lock of a unit for ever. The thread waits a moment for each lock, in case the
 * rank is about to release it, and then goes on without it: nobody else will come to that unit any more.
 *
 * A run-time writes out by itself when the rank exits, and ends. It is not called afterwards. */
#include "signals.h"

enum { PATIENCE_NANOSECONDS = 20000000, SECOND = 1000000000 };

/* The thread that flushes, if there is one. Each rank is flushed once. */
static pthread_t flushing;
static bool is_there;

bool simurgh_is_flushing(void)
{
    return __atomic_load_n(&is_there, __ATOMIC_ACQUIRE) && flushing == libc.pthread_self();
}

int simurgh_lock_soon(pthread_mutex_t *mutex)
{
    struct timespec end;
    libc.clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += PATIENCE_NANOSECONDS;
    if (end.tv_nsec >= SECOND) {
        end.tv_nsec -= SECOND;
        end.tv_sec++;
    }
    int error = libc.pthread_mutex_timedlock(mutex, &end);
    /* The rank is exiting, and the run-time has destroyed the lock. Callers would try again for ever. The host goes on
     * with the next rank on another thread. */
    while (error == EINVAL)
        libc.pause();
    return error == ETIMEDOUT ? 0 : error;
}

/* Called by the host with a function of a run-time and its argument. */
EXPORT void simurgh_shim_flush_runtime(void (*flush)(void *), void *argument)
{
    if (simurgh_has_exited())
        return;
    flushing = libc.pthread_self();
    __atomic_store_n(&is_there, true, __ATOMIC_RELEASE);
    flush(argument);
    __atomic_store_n(&is_there, false, __ATOMIC_RELEASE);
}
