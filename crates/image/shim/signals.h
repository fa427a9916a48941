/* Signals of a rank: which signals have arrived for which thread, and how the program handles them.
 *
 * The kernel knows one set of handlers for all ranks of a process, and one mask for each kernel thread, and ranks share
 * these threads. So nothing that a program sets about signals reaches the kernel. It is noted here, in the rank's own
 * copy, and signals for a rank are kept here until one of its threads takes them. When a thread has a signal to take,
 * the host interrupts it: it sets the thread's attention (a word that the host looks at, too) and has it call
 * simurgh_attend.
 *
 * Handlers run on the stack of the thread that they interrupt. A thread is not interrupted within the functions of
 * these files, which hold the lock. It attends to its signals when it leaves them. */
#ifndef SIMURGH_SIGNALS_H
#define SIMURGH_SIGNALS_H

#include "shim.h"

enum { SIGNALS = 64, QUEUE = 64 };

typedef uint64_t signal_set;

/* A thread of the rank. */
struct signal_thread {
    void *context;          /* the host's handle of it; NULL if libc has made it and it is not known here */
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

/* A signal that has arrived. */
struct signal_entry {
    int number;
    struct signal_thread *target; /* NULL: any thread of the rank */
    siginfo_t info;
};

/* The data on signals that a rank needs. */
struct signal_table {
    struct sigaction actions[SIGNALS + 1];
    struct signal_entry queue[QUEUE];
};

struct rank_signals {
    pthread_mutex_t lock;
    struct signal_table *table; /* exists once the lock has been taken */
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

/* The calling thread; NULL if it is not known here. */
struct signal_thread *simurgh_signal_thread(void);

/* Take and release the lock. The calling thread is not interrupted while it holds the lock, and attends at the end to
 * the signals that have arrived meanwhile. */
void simurgh_lock_signals(void);
void simurgh_unlock_signals(void);

/* The following functions are called with the lock held. */

/* Notes that a signal has arrived for a thread, or for any thread (NULL). Returns an error number, or 0. */
int simurgh_post(const siginfo_t *info, struct signal_thread *target);
/* Takes the first of these signals that the thread may take. */
bool simurgh_take(struct signal_thread *thread, signal_set wanted, struct signal_entry *taken);
/* The signals that wait for the thread. */
signal_set simurgh_waiting(const struct signal_thread *thread);
/* Changes the thread's mask. Sets its attention if a signal that has arrived may be taken now. */
void simurgh_set_mask(struct signal_thread *thread, signal_set mask);
/* Whether the signal, when it arrives and is not blocked, has no effect, or ends the rank. */
bool simurgh_is_ignored(int number);
bool simurgh_ends_the_rank(int number);
/* Whether a signal that has arrived would stay for a thread that fetches it. */
bool simurgh_would_stay(int number);
/* Passes a signal that no thread takes to a descriptor of signalfd. Returns whether there is such a descriptor. */
bool simurgh_pass_to_descriptor(const siginfo_t *info);
/* Forgets the signals of this number that have arrived. */
void simurgh_drop(int number);
/* From now on, waits of the rank's threads can be interrupted. */
void simurgh_listen(void);
/* Checks again whether the rank has timers that may bring it a signal. */
void simurgh_review_timers(void);

/* The following functions are called without the lock. */

/* The number of handlers that the calling thread has run. */
static inline unsigned int simurgh_handled(void)
{
    const struct signal_thread *me = simurgh_signal_thread();
    return me ? me->handled : 0;
}

/* Runs the handlers of the signals that have arrived for the calling thread. The frame is that of a kernel's handler,
 * if there is one. */
void simurgh_attend(void *frame);
/* Waits until the calling thread has something to attend to, and attends to it. May return for no reason. With an end,
 * on the monotonic clock, the result is false once that time is reached. */
bool simurgh_rest(struct signal_thread *me, const struct timespec *end);

/* Called before the rank gets another thread. That thread may be the first to use signals, while the main context waits
 * in MPI. So the waits of the main context can be interrupted from now on. On other threads there is nothing to do. */
void simurgh_listen_on_main(void);

/* Runs the handler for SIGABRT, if there is one. The rank ends in any case. */
void simurgh_handle_abort(void);

/* An event of which the host's thread for signals tells the rank. The kernel holds the address of this record. */
struct simurgh_event {
    void (*happen)(struct simurgh_event *event, const siginfo_t *info);
};

/* Starts a thread of the rank that tells the program of an event. */
void simurgh_start_notice(const struct sigevent *notice);
/* Makes the calling thread, which libc has made, a thread of the rank, and has it tell the program of an event. */
void simurgh_run_notice(const struct sigevent *notice);

/* Threads of the rank come and go. The main thread comes first and goes last. */
void simurgh_begin_signals(pid_t kernel_thread, signal_set mask);
void simurgh_end_signals(void);
void simurgh_end_rank_signals(void);
void simurgh_end_timers(void);
/* Called in the child of fork: hands the handlers and the mask that are noted here to the kernel. */
void simurgh_hand_signals_over(void);

#endif
