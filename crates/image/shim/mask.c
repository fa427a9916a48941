/* Masks of a rank's threads. */
#include "signals.h"

static bool is_how(int how)
{
    return how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK;
}

static signal_set changed(signal_set mask, int how, signal_set set)
{
    return how == SIG_BLOCK ? mask | set : how == SIG_UNBLOCK ? mask & ~set : set;
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.pthread_sigmask(how, set, old);
    if (set && !is_how(how))
        return EINVAL;
    signal_set wanted = set ? set_from(set) : 0;
    simurgh_lock_signals();
    if (old)
        set_to(old, me->mask);
    if (set)
        simurgh_set_mask(me, changed(me->mask, how, wanted));
    simurgh_unlock_signals();
    return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    int error = pthread_sigmask(how, set, old);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

EXPORT int sigpending(sigset_t *set)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.sigpending(set);
    simurgh_lock_signals();
    set_to(set, simurgh_waiting(me) & me->mask);
    simurgh_unlock_signals();
    return 0;
}

static int change_one(int how, int number)
{
    sigset_t set;
    if (!is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    set_to(&set, set_of(number));
    return sigprocmask(how, &set, NULL);
}

EXPORT int sighold(int number)
{
    return change_one(SIG_BLOCK, number);
}

EXPORT int sigrelse(int number)
{
    return change_one(SIG_UNBLOCK, number);
}

EXPORT int sigignore(int number)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    return sigaction(number, &action, NULL);
}

EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    sigset_t before;
    struct sigaction old, action = {.sa_handler = handler};
    if (change_one(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, number) != 0)
        return SIG_ERR;
    sigprocmask(SIG_BLOCK, NULL, &before);
    if (sigaction(number, handler == SIG_HOLD ? NULL : &action, &old) != 0)
        return SIG_ERR;
    return old.sa_handler;
}
