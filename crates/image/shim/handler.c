/* The execution of signal handlers. */
#include "signals.h"

typedef void plain_handler(int);
typedef void full_handler(int, siginfo_t *, void *);

/* void call_on_stack(full_handler *, int, siginfo_t *, void *, void *stack): calls the handler on another stack. */
void simurgh_call_on_stack(full_handler *handler, int number, siginfo_t *info, void *frame, void *stack);
__asm__(
    ".text\n"
    ".globl simurgh_call_on_stack\n"
    ".hidden simurgh_call_on_stack\n"
    ".type simurgh_call_on_stack, @function\n"
    "simurgh_call_on_stack:\n"
    "  .cfi_startproc\n"
    "  pushq %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  movq %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  movq %r8, %rsp\n"
    "  andq $-16, %rsp\n"
    "  movq %rdi, %rax\n"
    "  movl %esi, %edi\n"
    "  movq %rdx, %rsi\n"
    "  movq %rcx, %rdx\n"
    "  call *%rax\n"
    "  movq %rbp, %rsp\n"
    "  popq %rbp\n"
    "  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size simurgh_call_on_stack, . - simurgh_call_on_stack\n");

static bool is_on(const stack_t *stack, const void *place)
{
    const char *low = stack->ss_sp;
    return (const char *)place >= low && (const char *)place < low + stack->ss_size;
}

static void call(struct signal_thread *me, const struct sigaction *action, int number, siginfo_t *info, void *frame)
{
    full_handler *handler = (full_handler *)action->sa_sigaction;
    const stack_t *stack = &me->stack;
    if ((action->sa_flags & SA_ONSTACK) && !(stack->ss_flags & SS_DISABLE) && !is_on(stack, &frame))
        simurgh_call_on_stack(handler, number, info, frame, (char *)stack->ss_sp + stack->ss_size);
    else
        handler(number, info, frame);
}

/* Begins the handling of a signal, with the lock held. Returns the mask that the thread had before. */
static signal_set begin(struct signal_thread *me, int number, struct sigaction *action)
{
    signal_set before = me->mask;
    *action = simurgh_signals.table->actions[number];
    signal_set own = action->sa_flags & SA_NODEFER ? 0 : set_of(number);
    simurgh_set_mask(me, before | set_from(&action->sa_mask) | own);
    if (action->sa_flags & SA_RESETHAND)
        simurgh_signals.table->actions[number].sa_handler = SIG_DFL;
    return before;
}

static void end(struct signal_thread *me, signal_set before)
{
    me->handled++;
    me->busy++;
    libc.pthread_mutex_lock(&simurgh_signals.lock);
    simurgh_set_mask(me, before);
    libc.pthread_mutex_unlock(&simurgh_signals.lock);
    me->busy--;
}

/* Runs a handler in the state that it expects: the frame holds its program's mask, and the handler may change it there.
 * */
static void handle(struct signal_thread *me, const struct sigaction *action, signal_set before, siginfo_t *info,
                   ucontext_t *frame)
{
    ucontext_t own;
    int error = errno;
    if (!frame) {
        libc.getcontext(&own);
        frame = &own;
    }
    frame->uc_sigmask.__val[0] = before;
    call(me, action, info->si_signo, info, frame);
    errno = error;
    end(me, frame->uc_sigmask.__val[0]);
}

enum step { NOTHING_LEFT, PASSED_OVER, TO_HANDLE };

/* Finds the next signal that the thread may take, with the lock held. */
static enum step next(struct signal_thread *me, struct signal_entry *entry, struct sigaction *action,
                      signal_set *before)
{
    __atomic_store_n(me->attention, 0, __ATOMIC_RELAXED);
    if (!simurgh_take(me, ~me->mask, entry))
        return NOTHING_LEFT;
    if (simurgh_ends_the_rank(entry->number))
        simurgh_shim_rank.hooks->killed(simurgh_shim_rank.user, entry->number);
    if (simurgh_is_ignored(entry->number))
        return PASSED_OVER;
    *before = begin(me, entry->number, action);
    return TO_HANDLE;
}

void simurgh_attend(void *frame)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || me->busy)
        return;
    enum step step;
    do {
        struct signal_entry entry;
        struct sigaction action;
        signal_set before;
        me->busy++;
        libc.pthread_mutex_lock(&simurgh_signals.lock);
        step = next(me, &entry, &action, &before);
        libc.pthread_mutex_unlock(&simurgh_signals.lock);
        me->busy--;
        if (step == TO_HANDLE)
            handle(me, &action, before, &entry.info, frame);
    } while (step != NOTHING_LEFT || __atomic_load_n(me->attention, __ATOMIC_RELAXED));
}

/* Called by the host when the calling thread has attention. */
EXPORT void simurgh_shim_attend(void *frame)
{
    simurgh_attend(frame);
}

/* Called by the host when the calling thread has caused a signal. Returns whether the program has a handler for it,
 * which has then run, or keeps SIGPIPE from having an effect. */
EXPORT bool simurgh_shim_fault(int number, siginfo_t *info, void *frame)
{
    struct signal_thread *me = simurgh_signal_thread();
    if (!me || me->busy || simurgh_forked || !simurgh_signals.table)
        return false;
    struct sigaction action;
    signal_set before;
    me->busy++;
    libc.pthread_mutex_lock(&simurgh_signals.lock);
    bool is_handled = !(me->mask & set_of(number)) && !simurgh_is_ignored(number) && !simurgh_ends_the_rank(number);
    bool is_harmless = number == SIGPIPE && ((me->mask & set_of(number)) || simurgh_is_ignored(number));
    if (is_handled)
        before = begin(me, number, &action);
    libc.pthread_mutex_unlock(&simurgh_signals.lock);
    me->busy--;
    if (is_handled)
        handle(me, &action, before, info, frame);
    return is_handled || is_harmless;
}

/* Called by the host when a signal has come for all ranks. Returns TAKEN if this rank handles or ignores the signal,
 * DEFAULT if it does neither, and ENDED if the rank has ended. */
EXPORT int simurgh_shim_come(int number, const siginfo_t *info)
{
    enum { DEFAULT, TAKEN, ENDED } outcome = DEFAULT; /* as Delivery in signals.rs has them */
    simurgh_lock_signals();
    void (*handler)(int) = simurgh_signals.table->actions[number].sa_handler;
    bool is_heard = simurgh_signals.listening && (handler != SIG_DFL || simurgh_would_stay(number));
    if (simurgh_signals.ended) {
        outcome = ENDED;
    } else if (handler == SIG_IGN || is_heard) {
        outcome = TAKEN;
        simurgh_post(info, NULL);
    }
    simurgh_unlock_signals();
    return outcome;
}
