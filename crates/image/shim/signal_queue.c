/* The signals that have arrived for a rank, and the choice of the threads that take them. */
#include "signals.h"

/* The first real-time signal of the kernel. */
enum { FIRST_REAL_TIME = 32 };

static bool is_default(int number)
{
    return simurgh_signals.table->actions[number].sa_handler == SIG_DFL;
}

static bool default_is_to_ignore(int number)
{
    return number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH;
}

bool simurgh_is_ignored(int number)
{
    bool by_wish = simurgh_signals.table->actions[number].sa_handler == SIG_IGN;
    return by_wish || (is_default(number) && default_is_to_ignore(number));
}

bool simurgh_ends_the_rank(int number)
{
    return is_default(number) && !default_is_to_ignore(number);
}

static bool wants(const struct signal_thread *thread, const struct signal_thread *target, int number)
{
    signal_set open = ~thread->mask | thread->awaited;
    return (!target || target == thread) && (open & set_of(number));
}

/* The thread that takes a signal: one that waits for it, then the main thread, which is the last in the list, then any.
 * */
static struct signal_thread *taker(const struct signal_thread *target, int number)
{
    struct signal_thread *chosen = NULL;
    for (struct signal_thread *thread = simurgh_signals.threads; thread; thread = thread->next)
        if (wants(thread, target, number)) {
            if (thread->awaited & set_of(number))
                return thread;
            chosen = thread;
        }
    return chosen;
}

static bool may_take(const struct signal_thread *thread, const struct signal_entry *entry, signal_set wanted)
{
    return (!entry->target || entry->target == thread) && (wanted & set_of(entry->number));
}

bool simurgh_would_stay(int number)
{
    const struct signal_thread *thread = taker(NULL, number);
    return !thread || (thread->awaited & set_of(number));
}

/* Whether the signal is dropped because one of its number already waits. This applies to all but real-time signals. */
static bool is_one_too_many(int number, const struct signal_thread *target)
{
    for (size_t i = 0; number < FIRST_REAL_TIME && i < simurgh_signals.queued; i++)
        if (simurgh_signals.table->queue[i].number == number && simurgh_signals.table->queue[i].target == target)
            return true;
    return false;
}

/* Makes a thread of the rank take a signal that has arrived. */
static void alert(struct signal_thread *thread, int number)
{
    __atomic_store_n(thread->attention, 1, __ATOMIC_SEQ_CST);
    if (thread == simurgh_signal_thread())
        return;
    bool restarts = simurgh_signals.table->actions[number].sa_flags & SA_RESTART;
    simurgh_shim_rank.hooks->interrupt(thread->context, thread->kernel_thread, restarts);
}

int simurgh_post(const siginfo_t *info, struct signal_thread *target)
{
    int number = info->si_signo;
    if (simurgh_signals.ended)
        return 0;
    struct signal_thread *thread = taker(target, number);
    bool is_open = thread && !(thread->awaited & set_of(number));
    if (is_open && simurgh_is_ignored(number))
        return 0;
    if (number == SIGKILL || (is_open && simurgh_ends_the_rank(number)))
        simurgh_shim_rank.hooks->killed(simurgh_shim_rank.user, number);
    if (!thread && simurgh_pass_to_descriptor(info))
        return 0;
    if (!is_one_too_many(number, target)) {
        if (simurgh_signals.queued == QUEUE)
            return EAGAIN;
        simurgh_signals.table->queue[simurgh_signals.queued++] = (struct signal_entry){number, target, *info};
    }
    if (thread)
        alert(thread, number);
    return 0;
}

void simurgh_drop(int number)
{
    size_t kept = 0;
    for (size_t i = 0; i < simurgh_signals.queued; i++)
        if (simurgh_signals.table->queue[i].number != number)
            simurgh_signals.table->queue[kept++] = simurgh_signals.table->queue[i];
    simurgh_signals.queued = kept;
}

bool simurgh_take(struct signal_thread *thread, signal_set wanted, struct signal_entry *taken)
{
    size_t count = simurgh_signals.queued, found = count;
    for (size_t i = 0; i < count; i++) {
        struct signal_entry *entry = &simurgh_signals.table->queue[i];
        bool is_first = found == count || entry->number < simurgh_signals.table->queue[found].number;
        if (is_first && may_take(thread, entry, wanted))
            found = i;
    }
    if (found == count)
        return false;
    *taken = simurgh_signals.table->queue[found];
    for (size_t i = found + 1; i < count; i++)
        simurgh_signals.table->queue[i - 1] = simurgh_signals.table->queue[i];
    simurgh_signals.queued--;
    return true;
}

signal_set simurgh_waiting(const struct signal_thread *thread)
{
    signal_set waiting = 0;
    for (size_t i = 0; i < simurgh_signals.queued; i++)
        if (may_take(thread, &simurgh_signals.table->queue[i], ~(signal_set)0))
            waiting |= set_of(simurgh_signals.table->queue[i].number);
    return waiting;
}

void simurgh_set_mask(struct signal_thread *thread, signal_set mask)
{
    thread->mask = mask & ~unblockable();
    if (simurgh_waiting(thread) & ~thread->mask)
        __atomic_store_n(thread->attention, 1, __ATOMIC_RELAXED);
}
