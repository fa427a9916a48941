/* The interval timers that each process has: alarm, setitimer and relatives. */
#include "timer.h"

static struct rank_timer interval_timers[] = {
    [ITIMER_REAL] = {.is_fixed = true},
    [ITIMER_VIRTUAL] = {.is_fixed = true},
    [ITIMER_PROF] = {.is_fixed = true},
};

static const struct {
    int signal;
    clockid_t clock;
} kinds[] = {
    [ITIMER_REAL] = {SIGALRM, CLOCK_MONOTONIC},
    /* The time of the processor is that of all ranks together. */
    [ITIMER_VIRTUAL] = {SIGVTALRM, CLOCK_PROCESS_CPUTIME_ID},
    [ITIMER_PROF] = {SIGPROF, CLOCK_PROCESS_CPUTIME_ID},
};

static bool is_kind(int kind)
{
    return kind >= 0 && (size_t)kind < sizeof kinds / sizeof *kinds;
}

static int make(int kind)
{
    const struct sigevent notice = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = kinds[kind].signal};
    struct rank_timer *timer = &interval_timers[kind];
    return timer->is_used ? 0 : simurgh_make_timer(timer, kinds[kind].clock, &notice);
}

static struct timespec to_spec(struct timeval time)
{
    return (struct timespec){time.tv_sec, time.tv_usec * 1000};
}

/* Rounded up, so that remaining time does not appear as zero. */
static struct timeval from_spec(struct timespec time)
{
    long microseconds = (time.tv_nsec + 999) / 1000;
    return (struct timeval){time.tv_sec + microseconds / 1000000, microseconds % 1000000};
}

static struct itimerval value_of(const struct itimerspec *spec)
{
    return (struct itimerval){from_spec(spec->it_interval), from_spec(spec->it_value)};
}

static int result_of(int error)
{
    if (!error)
        return 0;
    errno = error;
    return -1;
}

EXPORT int getitimer(__itimer_which_t kind, struct itimerval *value)
{
    if (simurgh_forked || !is_kind((int)kind))
        return libc.getitimer(kind, value);
    struct itimerspec now = {0};
    simurgh_lock_signals();
    int error = interval_timers[kind].is_used ? simurgh_get_timer(&interval_timers[kind], &now) : 0;
    simurgh_unlock_signals();
    *value = value_of(&now);
    return result_of(error);
}

EXPORT int setitimer(__itimer_which_t kind, const struct itimerval *restrict value, struct itimerval *restrict old)
{
    if (simurgh_forked || !is_kind((int)kind))
        return libc.setitimer(kind, value, old);
    struct itimerspec before = {0}, wanted = {0};
    if (value)
        wanted = (struct itimerspec){to_spec(value->it_interval), to_spec(value->it_value)};
    bool is_off = !wanted.it_value.tv_sec && !wanted.it_value.tv_nsec;
    simurgh_lock_signals();
    int error = is_off ? 0 : make((int)kind);
    if (!error && interval_timers[kind].is_used)
        error = simurgh_set_timer(&interval_timers[kind], 0, &wanted, &before);
    simurgh_unlock_signals();
    if (!error && old)
        *old = value_of(&before);
    return result_of(error);
}

EXPORT unsigned int alarm(unsigned int seconds)
{
    struct itimerval value = {.it_value.tv_sec = seconds}, old;
    if (setitimer(ITIMER_REAL, &value, &old) != 0)
        return 0;
    bool up = old.it_value.tv_usec >= 500000 || (old.it_value.tv_sec == 0 && old.it_value.tv_usec > 0);
    return (unsigned int)old.it_value.tv_sec + up;
}

EXPORT useconds_t ualarm(useconds_t delay, useconds_t interval)
{
    struct itimerval old, value = {
        .it_value = {delay / 1000000, delay % 1000000},
        .it_interval = {interval / 1000000, interval % 1000000},
    };
    if (setitimer(ITIMER_REAL, &value, &old) != 0)
        return 0;
    return (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}
