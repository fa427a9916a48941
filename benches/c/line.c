/* The time that a cache line takes from core to core: two threads, each bound to a core, hand a number back and forth.
 *
 * Prints the nanoseconds one way, the best of some batches. Nothing is printed where there is one core only.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { TURNS = 20000, BATCHES = 10 };

static _Alignas(128) atomic_int line;
static int cores[2];

static void bind(int core)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void wait_for(int number)
{
    while (atomic_load_explicit(&line, memory_order_acquire) != number)
        __builtin_ia32_pause();
}

static void *answer(void *unused)
{
    bind(cores[1]);
    for (int turn = 1; turn < 2 * TURNS * BATCHES; turn += 2) {
        wait_for(turn);
        atomic_store_explicit(&line, turn + 1, memory_order_release);
    }
    return unused;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The first two cores that the process may use; whether there are so many. */
static int find_cores(void)
{
    cpu_set_t set;
    int found = 0;
    sched_getaffinity(0, sizeof set, &set);
    for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
        if (CPU_ISSET(core, &set))
            cores[found++] = core;
    return found == 2;
}

int main(void)
{
    pthread_t other;
    double best = 1e9;
    if (!find_cores() || pthread_create(&other, NULL, answer, NULL) != 0)
        return 0;
    bind(cores[0]);
    for (int batch = 0, turn = 1; batch < BATCHES; batch++) {
        double begin = now();
        for (int i = 0; i < TURNS; i++, turn += 2) {
            atomic_store_explicit(&line, turn, memory_order_release);
            wait_for(turn + 1);
        }
        double one_way = (now() - begin) / (2.0 * TURNS);
        best = one_way < best ? one_way : best;
    }
    pthread_join(other, NULL);
    printf("%.1f\n", best);
    return 0;
}
