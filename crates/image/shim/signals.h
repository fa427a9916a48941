/* Signals of a rank: which has come for whom, and what is to be done about it.
 *
 * The kernel knows one set of handlers for all ranks of a process, and one mask for each kernel thread, which ranks
 * share. So none of what a program says about signals reaches the kernel: it is noted here, in the rank's own copy, and
 * what is sent to a rank is kept here until one of its threads takes it. The host interrupts a thread that has
 * something to take: it gives it attention (a word that the host looks at, too) and has it call simurgh_attend.
 *
 * Handlers run on the stack of the thread that they interrupt. A thread is not interrupted within the functions of
 * these files, which hold the lock: it attends when it leaves them. */
#ifndef SIMURGH_SIGNALS_H
#define SIMURGH_SIGNALS_H

#include "shim.h"

enum { SIGNALS = 64, QUEUE = 64 };

typedef uint64_t signal_set;

/* A thread of the rank. */
struct signal_thread {
    void *context;          /* what the host calls it; NULL: libc has made it, and we do not know it */
    uint32_t *attention;
    pthread_t thread;
    pid_t kernel_thread;    /* 0 for the main context, which has none of its own */
    signal_set mask;
    signal_set awaited;     /* what it waits for in sigwait */
    unsigned int handled;   /* handlers that have run */
    unsigned int busy;      /* > 0: not to be interrupted */
    stack_t stack;          /* for handlers that want it */
    struct signal_thread *next;
};

/* A signal that has come. */
struct signal_entry {
    int number;
    struct signal_thread *target; /* NULL: any thread of the rank */
    siginfo_t info;
};

/* What a rank needs that has to do with signals. */
struct signal_table {
    struct sigaction actions[SIGNALS + 1];
    struct signal_entry queue[QUEUE];
};

struct rank_signals {
    pthread_mutex_t lock;
    struct signal_table *table; /* there as soon as the lock has been taken */
    struct signal_thread *threads; /* the main one last */
    size_t queued;
    bool listening; /* waits of its threads can be interrupted */
    bool ended;
};

extern struct rank_signals simurgh_signals;

static inline signal_set set_of(int number)
{
    return (signal_set)1 << (number - 1);
}

static inline bool is_signal(int number)
{
    return number >= 1 && number <= SIGNALS;
}

static inline signal_set set_from(const sigset_t *set)
{
    return set->__val[0];
}

static inline void set_to(sigset_t *set, signal_set value)
{
    *set = (sigset_t){.__val = {value}};
}

/* Signals that a program cannot block or handle. */
static inline signal_set unblockable(void)
{
    return set_of(SIGKILL) | set_of(SIGSTOP);
}

/* The calling thread; NULL if it is not known. */
struct signal_thread *simurgh_signal_thread(void);

/* Takes and gives back the lock; within, the calling thread is not interrupted. What has come meanwhile is attended to
 * at the end. */
void simurgh_lock_signals(void);
void simurgh_unlock_signals(void);

/* All with the lock held: */

/* A signal has come for a thread, or for any. An error number, or 0. */
int simurgh_post(const siginfo_t *info, struct signal_thread *target);
/* Takes the first of these signals that the thread may take. */
bool simurgh_take(struct signal_thread *thread, signal_set wanted, struct signal_entry *taken);
/* Which signals wait for the thread. */
signal_set simurgh_waiting(const struct signal_thread *thread);
/* Changes the thread's mask: it has attention if something that has come may be taken now. */
void simurgh_set_mask(struct signal_thread *thread, signal_set mask);
/* What happens when the signal comes and is not blocked: nothing, or the end of the rank. */
bool simurgh_is_ignored(int number);
bool simurgh_ends_the_rank(int number);
/* Whether one that has come would stay, for somebody who fetches it. */
bool simurgh_would_stay(int number);
/* Passes a signal that nobody takes to a descriptor of signalfd; whether there is one. */
bool simurgh_pass_to_descriptor(const siginfo_t *info);
/* Forgets those that have come. */
void simurgh_drop(int number);
/* From now on waits of its threads can be interrupted. */
void simurgh_listen(void);
/* Whether the rank has timers that may bring it something has changed. */
void simurgh_review_timers(void);

/* Without the lock: */

/* How many handlers the calling thread has run. */
static inline unsigned int simurgh_handled(void)
{
    const struct signal_thread *me = simurgh_signal_thread();
    return me ? me->handled : 0;
}

/* Runs the handlers of what has come for the calling thread; the frame is that of a kernel's handler, if any. */
void simurgh_attend(void *frame);
/* Has the calling thread wait for something to attend to, and attends to it; may return for no reason. With an end, on
 * the monotonic clock: false once it is reached. */
bool simurgh_rest(struct signal_thread *me, const struct timespec *end);

/* Runs the handler for SIGABRT, if there is one; it is not to keep the rank from ending. */
void simurgh_handle_abort(void);

/* Something that the host's thread for signals tells of: the kernel has given it the address. */
struct simurgh_event {
    void (*happen)(struct simurgh_event *event, const siginfo_t *info);
};

/* Starts a thread of the rank that tells of an event. */
void simurgh_start_notice(const struct sigevent *notice);
/* Makes the calling thread, which libc has made, one of the rank's, and has it tell of an event. */
void simurgh_run_notice(const struct sigevent *notice);

/* Threads of the rank come and go, the main one first and last. */
void simurgh_begin_signals(pid_t kernel_thread, signal_set mask);
void simurgh_end_signals(void);
void simurgh_end_rank_signals(void);
void simurgh_end_timers(void);
/* In the child of fork: all that is noted here becomes the kernel's. */
void simurgh_hand_signals_over(void);

#endif
