/* The threads of a rank, as far as signals are concerned. */
#include "signals.h"

struct rank_signals simurgh_signals;

static __thread struct signal_thread self;

struct signal_thread *simurgh_signal_thread(void)
{
    return self.context ? &self : NULL;
}

/* The disposition of a signal before the program has set one. */
static struct sigaction first_action(int number)
{
    bool is_ignored = simurgh_shim_rank.ignored_signals & set_of(number);
    return (struct sigaction){.sa_handler = is_ignored ? SIG_IGN : SIG_DFL};
}

/* Makes the table when it is first needed, since most ranks need none. No handler can have been set before, so this
 * does not interrupt another call of malloc. */
static void make_table(void)
{
    struct signal_table *table = libc.malloc(sizeof *table);
    if (!table)
        libc.abort();
    *table = (struct signal_table){0};
    for (int number = 1; number <= SIGNALS; number++)
        table->actions[number] = first_action(number);
    simurgh_signals.table = table;
}

void simurgh_lock_signals(void)
{
    self.busy++;
    libc.pthread_mutex_lock(&simurgh_signals.lock);
    if (!simurgh_signals.table)
        make_table();
}

void simurgh_unlock_signals(void)
{
    libc.pthread_mutex_unlock(&simurgh_signals.lock);
    if (--self.busy == 0 && self.context && __atomic_load_n(self.attention, __ATOMIC_RELAXED))
        simurgh_attend(NULL);
}

void simurgh_begin_signals(pid_t kernel_thread, signal_set mask)
{
    uint32_t *attention = NULL;
    void *context = simurgh_shim_rank.hooks->context(simurgh_shim_rank.user, &attention);
    self = (struct signal_thread){
        .attention = attention,
        .thread = libc.pthread_self(),
        .kernel_thread = kernel_thread,
        .mask = mask,
        .stack = {.ss_flags = SS_DISABLE},
    };
    self.busy++;
    libc.pthread_mutex_lock(&simurgh_signals.lock);
    self.context = context;
    self.next = simurgh_signals.threads;
    simurgh_signals.threads = &self;
    if (simurgh_signals.listening)
        simurgh_shim_rank.hooks->listen(context);
    libc.pthread_mutex_unlock(&simurgh_signals.lock);
    self.busy--;
}

/* Drops the signals that have arrived for this thread alone. */
static void forget_entries(const struct signal_thread *thread)
{
    size_t kept = 0;
    for (size_t i = 0; i < simurgh_signals.queued; i++)
        if (simurgh_signals.table->queue[i].target != thread)
            simurgh_signals.table->queue[kept++] = simurgh_signals.table->queue[i];
    simurgh_signals.queued = kept;
}

void simurgh_end_signals(void)
{
    self.busy++;
    libc.pthread_mutex_lock(&simurgh_signals.lock);
    struct signal_thread **place = &simurgh_signals.threads;
    while (*place && *place != &self)
        place = &(*place)->next;
    if (*place)
        *place = self.next;
    forget_entries(&self);
    libc.pthread_mutex_unlock(&simurgh_signals.lock);
}

void simurgh_end_rank_signals(void)
{
    self.busy++;
    libc.pthread_mutex_lock(&simurgh_signals.lock);
    simurgh_signals.ended = true;
    simurgh_signals.queued = 0;
    simurgh_end_timers();
    libc.pthread_mutex_unlock(&simurgh_signals.lock);
}

void simurgh_listen(void)
{
    if (simurgh_signals.listening)
        return;
    simurgh_signals.listening = true;
    for (struct signal_thread *thread = simurgh_signals.threads; thread; thread = thread->next)
        simurgh_shim_rank.hooks->listen(thread->context);
}

void simurgh_listen_on_main(void)
{
    const struct signal_thread *me = simurgh_signal_thread();
    if (me && !simurgh_forked && simurgh_on_main())
        simurgh_shim_rank.hooks->listen(me->context);
}

/* The child is a process of its own, so from now on the kernel is told of its dispositions. */
void simurgh_hand_signals_over(void)
{
    sigset_t mask;
    for (int number = 1; number <= SIGNALS; number++) {
        struct sigaction first = first_action(number);
        libc.sigaction(number, simurgh_signals.table ? &simurgh_signals.table->actions[number] : &first, NULL);
    }
    set_to(&mask, self.mask);
    libc.pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
