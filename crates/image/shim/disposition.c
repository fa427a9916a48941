/* The dispositions of a rank's signals: sigaction and its older relatives. */
#include "signals.h"

/* Signals that a thread causes itself, or of which a language's runtime wants to tell the user. A program that handles
 * only these does not expect its waits to be interrupted. */
static bool is_of_crashes(int number)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ, SIGQUIT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Whether this is the handler with which the run-time of a language reports crashes. The host does that better: it
 * knows the rank, and a handler here would run first. */
static bool reports_crashes(int number, const struct sigaction *action)
{
    return is_of_crashes(number) && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN &&
           simurgh_shim_rank.image->is_crash_handler((const void *)action->sa_handler);
}

static bool may_handle(int number)
{
    return is_signal(number) && !(unblockable() & set_of(number));
}

/* The rank handles this signal, so the kernel must not take the default action. */
static void take_signal(const struct sigaction *action, int number)
{
    if (action->sa_handler == SIG_DFL)
        return;
    simurgh_shim_rank.hooks->take_signal(simurgh_shim_rank.user, number);
    if (action->sa_handler != SIG_IGN && !is_of_crashes(number))
        simurgh_listen();
}

static void set_action(int number, const struct sigaction *action)
{
    simurgh_signals.table->actions[number] = *action;
    take_signal(action, number);
    if (simurgh_is_ignored(number))
        simurgh_drop(number);
    simurgh_review_timers();
}

EXPORT int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
    if (simurgh_forked)
        return libc.sigaction(number, action, old);
    if (!is_signal(number) || (action && !may_handle(number))) {
        errno = EINVAL;
        return -1;
    }
    struct sigaction wanted;
    if (action)
        wanted = *action;
    bool is_set = action && !reports_crashes(number, &wanted);
    simurgh_lock_signals();
    if (old)
        *old = simurgh_signals.table->actions[number];
    if (is_set)
        set_action(number, &wanted);
    simurgh_unlock_signals();
    return 0;
}

EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    return sigaction(number, action, old);
}

/* The signals whose handlers interrupt system calls, as set by siginterrupt. */
static signal_set interrupting;

static sighandler_t set_handler(int number, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    if (handler == SIG_ERR || !is_signal(number)) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (!(flags & SA_NODEFER))
        set_to(&action.sa_mask, set_of(number));
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    bool interrupts = is_signal(number) && (interrupting & set_of(number));
    return set_handler(number, handler, interrupts ? 0 : SA_RESTART);
}

EXPORT sighandler_t bsd_signal(int number, sighandler_t handler)
{
    return signal(number, handler);
}

EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
    return signal(number, handler);
}

EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return set_handler(number, handler, SA_RESETHAND | SA_NODEFER);
}

EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return sysv_signal(number, handler);
}

EXPORT int siginterrupt(int number, int interrupts)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0)
        return -1;
    if (interrupts) {
        interrupting |= set_of(number);
        action.sa_flags &= ~SA_RESTART;
    } else {
        interrupting &= ~set_of(number);
        action.sa_flags |= SA_RESTART;
    }
    return sigaction(number, &action, NULL);
}

/* The kernel's MINSIGSTKSZ. */
enum { LEAST_STACK = 2048 };

EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || simurgh_forked)
        return libc.sigaltstack(stack, old);
    stack_t before = me->stack;
    if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < LEAST_STACK) {
        errno = ENOMEM;
        return -1;
    }
    if (stack)
        me->stack = *stack;
    if (old)
        *old = before;
    return 0;
}
