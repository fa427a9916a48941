/* Lets other ranks run: the host's function if it has one, otherwise the kernel's. */
#ifndef YIELD_H
#define YIELD_H
#include <sched.h>

#ifdef __cplusplus
extern "C"
#endif
void simurgh_test_yield(void) __attribute__((weak));

static inline void let_others_run(void)
{
    if (simurgh_test_yield)
        simurgh_test_yield();
    else
        sched_yield();
}
#endif
