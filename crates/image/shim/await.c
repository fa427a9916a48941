/* Waits for signals, during which the other ranks run. */
#include "signals.h"

bool simurgh_rest(struct signal_thread *me, const struct timespec *end)
{
    bool in_time = true;
    /* Signals that arrive from here on end the wait, and are attended to after it. */
    me->busy++;
    if (!__atomic_load_n(me->attention, __ATOMIC_RELAXED)) {
        if (end)
            in_time = simurgh_sleep_a_slice(*end);
        else
            simurgh_shim_rank.hooks->wait(simurgh_shim_rank.user);
    }
    me->busy--;
    if (__atomic_load_n(me->attention, __ATOMIC_RELAXED))
        simurgh_attend(NULL);
    return in_time;
}

static void await_handler(struct signal_thread *me, unsigned int handled)
{
    while (me->handled == handled)
        simurgh_rest(me, NULL);
}

static void begin_to_listen(void)
{
    simurgh_lock_signals();
    simurgh_listen();
    simurgh_unlock_signals();
}

EXPORT int pause(void)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.pause();
    unsigned int handled = me->handled;
    begin_to_listen();
    await_handler(me, handled);
    errno = EINTR;
    return -1;
}

EXPORT int sigsuspend(const sigset_t *set)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.sigsuspend(set);
    unsigned int handled = me->handled;
    simurgh_lock_signals();
    simurgh_listen();
    signal_set before = me->mask;
    simurgh_set_mask(me, set_from(set));
    simurgh_unlock_signals();
    await_handler(me, handled);
    simurgh_lock_signals();
    simurgh_set_mask(me, before);
    simurgh_unlock_signals();
    errno = EINTR;
    return -1;
}

/* There are two versions of sigpause. This is that of X/Open: only the given signal is unblocked. */
EXPORT int sigpause(int number)
{
    sigset_t set;
    sigprocmask(SIG_BLOCK, NULL, &set);
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    set.__val[0] &= ~set_of(number);
    return sigsuspend(&set);
}

/* Takes a signal of the set, if one has arrived. */
static bool fetch(struct signal_thread *me, signal_set set, struct signal_entry *entry)
{
    simurgh_lock_signals();
    simurgh_listen();
    bool found = simurgh_take(me, set, entry);
    me->awaited = found ? 0 : set;
    if (!found)
        __atomic_store_n(me->attention, 0, __ATOMIC_RELAXED);
    simurgh_set_mask(me, me->mask);
    simurgh_unlock_signals();
    return found;
}

static void stop_waiting(struct signal_thread *me)
{
    simurgh_lock_signals();
    me->awaited = 0;
    simurgh_unlock_signals();
}

/* Waits until a signal of the set arrives, and returns its number. Returns 0 if a handler has run instead, or if the
 * time, if there is one, is over. */
static int await(struct signal_thread *me, signal_set set, siginfo_t *info, const struct timespec *end)
{
    struct signal_entry entry = {0};
    unsigned int handled = me->handled;
    while (!fetch(me, set, &entry)) {
        if (me->handled != handled || !simurgh_rest(me, end))
            break;
    }
    stop_waiting(me);
    if (info && entry.number)
        *info = entry.info;
    return entry.number;
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict limit)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.sigtimedwait(set, info, limit);
    if (limit && (limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000 || limit->tv_sec < 0)) {
        errno = EINVAL;
        return -1;
    }
    unsigned int handled = me->handled;
    struct timespec end;
    if (limit)
        end = simurgh_time_after(*limit);
    int number = await(me, set_from(set) & ~unblockable(), info, limit ? &end : NULL);
    if (number)
        return number;
    errno = me->handled != handled ? EINTR : EAGAIN;
    return -1;
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return sigtimedwait(set, info, NULL);
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.sigwait(set, number);
    do
        *number = sigtimedwait(set, NULL, NULL);
    while (*number < 0);
    return 0;
}
