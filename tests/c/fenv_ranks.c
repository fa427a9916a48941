/* Each rank has a floating-point environment of its own: rounding, flags, traps; its threads inherit it. Ranks wander
 * at each let_others_run (mpi_yield.c). Prints "fenv OK" or what is wrong. */
#define _GNU_SOURCE
#include "fenv_check.h"
#include "../../crates/image/tests/programs/yield.h"
#include <float.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200 };
static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static int bad;

static void expect(int right, const char *what, int rank, int round)
{
    if (!right && bad++ < 5)
        printf("BAD %s of rank %d in round %d\n", what, rank, round);
}

static void *in_a_thread(void *mode)
{
    return rounds_as(*(int *)mode) ? mode : NULL;
}

static void divide_by_zero(int by_x87)
{
    volatile double zero = 0;
    volatile long double long_zero = 0;
    if (by_x87)
        long_zero = 1 / long_zero;
    else
        zero = 1 / zero;
}

/* Traps in the environment of a rank that wants overflows to. */
static void overflow(void)
{
    volatile double large = DBL_MAX;
    volatile long double long_large = LDBL_MAX;
    large *= large;
    long_large *= long_large;
}

int main(void)
{
    int rank = atoi(getenv("TEST_RANK")), mode = modes[rank % 4];
    int divides = rank % 3 != 0, traps = rank % 6 == 5;
    expect(fegetround() == FE_TONEAREST && fegetexcept() == 0, "first environment", rank, -1);
    expect(!fetestexcept(FE_DIVBYZERO | FE_OVERFLOW), "first flags", rank, -1);
    let_others_run();
    fesetround(mode);
    if (divides)
        divide_by_zero(rank % 3 == 2);
    if (traps)
        feenableexcept(FE_OVERFLOW | FE_INVALID);
    for (int round = 0; round < ROUNDS; round++) {
        let_others_run();
        expect(rounds_as(mode), "rounding", rank, round);
        expect(fetestexcept(FE_DIVBYZERO) == (divides ? FE_DIVBYZERO : 0), "flag", rank, round);
        expect(fegetexcept() == (traps ? FE_OVERFLOW | FE_INVALID : 0), "traps", rank, round);
        if (!traps)
            overflow();
    }
    feclearexcept(FE_ALL_EXCEPT);
    let_others_run();
    expect(!fetestexcept(FE_DIVBYZERO | FE_OVERFLOW), "cleared flags", rank, ROUNDS);
    pthread_t thread;
    void *inherited = NULL;
    expect(!pthread_create(&thread, NULL, in_a_thread, &mode) && !pthread_join(thread, &inherited) && inherited,
           "thread", rank, ROUNDS);
    puts(bad ? "fenv BAD" : "fenv OK");
    return 0;
}
