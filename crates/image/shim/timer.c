/* Timers: timer_create and its relatives. */
#include "timer.h"
#include <sys/syscall.h>

/* All timers that have been made. A deleted timer is used again rather than freed, since the kernel may still tell of
 * it. */
static struct rank_timer *timers;

/* Whether the host knows that timers may bring the rank signals. */
static bool expects;

static bool brings_something(const struct rank_timer *timer)
{
    int number = timer->notice.sigev_signo;
    if (!timer->is_used || !timer->is_due || timer->notice.sigev_notify == SIGEV_NONE)
        return false;
    return timer->notice.sigev_notify == SIGEV_THREAD || simurgh_would_stay(number) ||
           !(simurgh_is_ignored(number) || simurgh_ends_the_rank(number));
}

void simurgh_review_timers(void)
{
    bool will = false;
    for (const struct rank_timer *timer = timers; timer; timer = timer->next)
        will |= brings_something(timer);
    if (will != expects)
        simurgh_shim_rank.hooks->expect(simurgh_shim_rank.user, will);
    expects = will;
}

static struct signal_thread *target_of(const struct sigevent *notice)
{
    struct signal_thread *thread = simurgh_signals.threads;
    if (notice->sigev_notify != SIGEV_THREAD_ID)
        return NULL;
    while (thread->kernel_thread != notice->_sigev_un._tid && thread->next)
        thread = thread->next;
    return thread; /* the main one has the number of no thread */
}

static void tell(struct rank_timer *timer, const siginfo_t *cause)
{
    siginfo_t info = {.si_signo = timer->notice.sigev_signo, .si_code = SI_TIMER};
    info.si_value = timer->notice.sigev_value;
    info.si_overrun = timer->overrun = cause->si_overrun;
    if (timer->notice.sigev_notify == SIGEV_THREAD)
        simurgh_start_notice(&timer->notice);
    else
        simurgh_post(&info, target_of(&timer->notice));
}

/* Runs on the host's thread for signals. */
static void happen(struct simurgh_event *event, const siginfo_t *cause)
{
    struct rank_timer *timer = (struct rank_timer *)event;
    struct itimerspec left;
    simurgh_lock_signals();
    if (timer->is_used && !simurgh_signals.ended) {
        tell(timer, cause);
        if (simurgh_get_timer(timer, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec)
            timer->is_due = false;
        simurgh_review_timers();
    }
    simurgh_unlock_signals();
}

/* The kernel's own calls are used, since libc's would act differently for other kinds of notices. */
static int kernel(long result)
{
    return result < 0 ? errno : 0;
}

int simurgh_make_timer(struct rank_timer *timer, clockid_t clock, const struct sigevent *notice)
{
    int32_t number;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID};
    event._sigev_un._tid = simurgh_shim_rank.hooks->signal_thread(simurgh_shim_rank.user, &number);
    event.sigev_signo = number;
    event.sigev_value.sival_ptr = &timer->event;
    if (notice->sigev_notify == SIGEV_NONE)
        event.sigev_notify = SIGEV_NONE;
    int error = kernel(libc.syscall(SYS_timer_create, clock, &event, &timer->kernel_timer));
    if (error)
        return error;
    timer->event.happen = happen;
    timer->notice = *notice;
    timer->is_used = true;
    timer->is_due = false;
    struct rank_timer *known = timers;
    while (known && known != timer)
        known = known->next;
    if (!known) {
        timer->next = timers;
        timers = timer;
    }
    simurgh_listen();
    return 0;
}

int simurgh_set_timer(struct rank_timer *timer, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    int error = kernel(libc.syscall(SYS_timer_settime, timer->kernel_timer, flags, value, old));
    if (error)
        return error;
    timer->is_due = value->it_value.tv_sec || value->it_value.tv_nsec;
    simurgh_review_timers();
    return 0;
}

int simurgh_get_timer(const struct rank_timer *timer, struct itimerspec *value)
{
    return kernel(libc.syscall(SYS_timer_gettime, timer->kernel_timer, value));
}

static int delete(struct rank_timer *timer)
{
    timer->is_used = timer->is_due = false;
    return kernel(libc.syscall(SYS_timer_delete, timer->kernel_timer));
}

void simurgh_end_timers(void)
{
    for (struct rank_timer *timer = timers; timer; timer = timer->next)
        if (timer->is_used)
            delete(timer);
    simurgh_review_timers();
}

/* An unused timer, or a new one. */
static struct rank_timer *unused(void)
{
    struct rank_timer *timer = timers;
    while (timer && (timer->is_used || timer->is_fixed))
        timer = timer->next;
    if (!timer && (timer = libc.malloc(sizeof *timer)))
        *timer = (struct rank_timer){0};
    return timer;
}

/* The timer of a handle; NULL if there is none. */
static struct rank_timer *find(timer_t handle)
{
    struct rank_timer *timer = timers;
    while (timer && (timer != handle || !timer->is_used))
        timer = timer->next;
    return timer;
}

static int result_of(int error)
{
    simurgh_unlock_signals();
    if (!error)
        return 0;
    errno = error;
    return -1;
}

static bool is_valid(const struct sigevent *notice)
{
    bool signals = notice->sigev_notify == SIGEV_SIGNAL || notice->sigev_notify == SIGEV_THREAD_ID;
    bool others = notice->sigev_notify == SIGEV_NONE || notice->sigev_notify == SIGEV_THREAD;
    return others || (signals && is_signal(notice->sigev_signo));
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict wanted, timer_t *restrict handle)
{
    if (simurgh_forked)
        return libc.timer_create(clock, wanted, handle);
    simurgh_lock_signals();
    struct rank_timer *timer = unused();
    struct sigevent notice = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = timer};
    if (wanted)
        notice = *wanted;
    if (!timer || !is_valid(&notice))
        return result_of(timer ? EINVAL : EAGAIN);
    int error = simurgh_make_timer(timer, clock, &notice);
    if (!error)
        *handle = timer;
    return result_of(error);
}

EXPORT int timer_delete(timer_t handle)
{
    if (simurgh_forked)
        return libc.timer_delete(handle);
    simurgh_lock_signals();
    struct rank_timer *timer = find(handle);
    int error = timer ? delete(timer) : EINVAL;
    simurgh_review_timers();
    return result_of(error);
}

EXPORT int timer_settime(timer_t handle, int flags, const struct itimerspec *restrict value,
                         struct itimerspec *restrict old)
{
    if (simurgh_forked)
        return libc.timer_settime(handle, flags, value, old);
    simurgh_lock_signals();
    struct rank_timer *timer = find(handle);
    return result_of(timer && value ? simurgh_set_timer(timer, flags, value, old) : EINVAL);
}

EXPORT int timer_gettime(timer_t handle, struct itimerspec *value)
{
    if (simurgh_forked)
        return libc.timer_gettime(handle, value);
    simurgh_lock_signals();
    struct rank_timer *timer = find(handle);
    return result_of(timer ? simurgh_get_timer(timer, value) : EINVAL);
}

EXPORT int timer_getoverrun(timer_t handle)
{
    if (simurgh_forked)
        return libc.timer_getoverrun(handle);
    simurgh_lock_signals();
    struct rank_timer *timer = find(handle);
    int overrun = timer ? timer->overrun : 0;
    return result_of(timer ? 0 : EINVAL) ? -1 : overrun;
}
