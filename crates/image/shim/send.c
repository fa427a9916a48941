/* Sending of signals to the rank itself. Signals to other processes go to the kernel. */
#include "signals.h"

static siginfo_t describe(int number, int code)
{
    siginfo_t info = {.si_signo = number, .si_code = code};
    info.si_pid = libc.getpid();
    info.si_uid = libc.getuid();
    return info;
}

/* Signals that concern the whole process are left to the kernel, since the process stops and continues as one. */
static bool is_of_the_process(int number)
{
    return number == SIGSTOP || number == SIGCONT;
}

/* Signals of which the host tells the user, with the place and the rank. */
static bool tells_of_a_crash(int number)
{
    bool is_crash = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT;
    simurgh_lock_signals();
    bool is_default = simurgh_ends_the_rank(number);
    simurgh_unlock_signals();
    return is_crash && is_default;
}

static int post(const siginfo_t *info, struct signal_thread *target)
{
    simurgh_lock_signals();
    int error = simurgh_post(info, target);
    simurgh_unlock_signals();
    if (!error)
        return 0;
    errno = error;
    return -1;
}

/* Whether a process number means the rank itself. */
static bool is_own(pid_t process)
{
    return !simurgh_forked && process == simurgh_shim_rank.host_pid;
}

EXPORT int kill(pid_t process, int number)
{
    if (!is_own(process) || !is_signal(number) || is_of_the_process(number))
        return libc.kill(process, number);
    if (tells_of_a_crash(number))
        return raise(number);
    siginfo_t info = describe(number, SI_USER);
    struct signal_thread *me = simurgh_signal_thread();
    /* A signal that is not blocked is delivered before kill returns. */
    bool takes = me && !(me->mask & set_of(number));
    return post(&info, takes ? me : NULL);
}

EXPORT int raise(int number)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (simurgh_forked || !me || !is_signal(number) || is_of_the_process(number) || tells_of_a_crash(number))
        return libc.raise(number);
    siginfo_t info = describe(number, SI_TKILL);
    return post(&info, me);
}

EXPORT int gsignal(int number)
{
    return raise(number);
}

EXPORT int sigqueue(pid_t process, int number, const union sigval value)
{
    if (!is_own(process) || !is_signal(number))
        return libc.sigqueue(process, number, value);
    siginfo_t info = describe(number, SI_QUEUE);
    info.si_value = value;
    return post(&info, NULL);
}

/* Called with the lock held. */
static struct signal_thread *find(pthread_t thread)
{
    struct signal_thread *found = simurgh_signals.threads;
    while (found && found->thread != thread)
        found = found->next;
    return found;
}

/* Whether the thread is known. If so, the error is that of sending it the signal. */
static bool send_to_thread(pthread_t thread, const siginfo_t *info, int *error)
{
    simurgh_lock_signals();
    struct signal_thread *target = find(thread);
    if (target)
        *error = info->si_signo ? simurgh_post(info, target) : 0;
    simurgh_unlock_signals();
    return target != NULL;
}

EXPORT int pthread_kill(pthread_t thread, int number)
{
    siginfo_t info = describe(number, SI_TKILL);
    int error;
    if (simurgh_forked || number < 0 || number > SIGNALS || !send_to_thread(thread, &info, &error))
        return libc.pthread_kill(thread, number);
    return error;
}

EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    siginfo_t info = describe(number, SI_QUEUE);
    info.si_value = value;
    int error;
    if (simurgh_forked || number < 0 || number > SIGNALS || !send_to_thread(thread, &info, &error))
        return libc.pthread_sigqueue(thread, number, value);
    return error;
}

void simurgh_handle_abort(void)
{
    if (!tells_of_a_crash(SIGABRT))
        raise(SIGABRT);
    simurgh_lock_signals();
    simurgh_signals.table->actions[SIGABRT].sa_handler = SIG_DFL;
    simurgh_unlock_signals();
}
