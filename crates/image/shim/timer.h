/* Timers of a rank. They are timers of the kernel, whose ends are told to the host's thread for signals. */
#ifndef SIMURGH_TIMER_H
#define SIMURGH_TIMER_H

#include "signals.h"

struct rank_timer {
    struct simurgh_event event; /* first: the kernel has its address */
    struct sigevent notice;
    int kernel_timer;
    int overrun;
    bool is_fixed; /* one of those that each process has */
    bool is_used;
    bool is_due; /* it runs, or its end has not been reported */
    struct rank_timer *next;
};

/* All three are called with the lock of the rank's signals held. They return an error number, or 0. */
int simurgh_make_timer(struct rank_timer *timer, clockid_t clock, const struct sigevent *notice);
int simurgh_set_timer(struct rank_timer *timer, int flags, const struct itimerspec *value, struct itimerspec *old);
int simurgh_get_timer(const struct rank_timer *timer, struct itimerspec *value);

#endif
