/* Two processes, which the system could have put on one core, are put there: they wait for each other in turn, and do
 * not go to sleep each time. While others compute on that core, they may: to sleep costs less than a time slice. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/resource.h>

#include "mpi_check.h"

enum { TURNS = 1000, TRIALS = 10 };

static long sleeps(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_nvcsw;
}

/* Seconds that the two processes have used the core. */
static double used(void)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    double own = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec), both;
    own += 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    OK(MPI_Allreduce(&own, &both, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    return both;
}

static void stay_on_one_core(void)
{
    cpu_set_t own, one;
    int core = 0;
    CHECK(sched_getaffinity(0, sizeof own, &own) == 0);
    while (!CPU_ISSET(core, &own))
        core++;
    OK(MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

static void exchange(void)
{
    int value = 0, other = 1 - check_rank;
    for (int i = 0; i < TURNS; i++) {
        if (check_rank == 0)
            OK(MPI_Send(&i, 1, MPI_INT, other, 0, MPI_COMM_WORLD));
        OK(MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(value == i);
        if (check_rank == 1)
            OK(MPI_Send(&i, 1, MPI_INT, other, 0, MPI_COMM_WORLD));
    }
}

static void epochs(void)
{
    int *base, other = 1 - check_rank;
    MPI_Win win;
    MPI_Group all, partner;
    OK(MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Group_incl(all, 1, &other, &partner));
    for (int i = 0; i < TURNS; i++) {
        if (check_rank == 0) {
            OK(MPI_Win_start(partner, 0, win));
            OK(MPI_Put(&i, 1, MPI_INT, other, 0, 1, MPI_INT, win));
            OK(MPI_Win_complete(win));
        } else {
            OK(MPI_Win_post(partner, 0, win));
            OK(MPI_Win_wait(win));
            CHECK(*base == i);
        }
    }
    OK(MPI_Group_free(&partner));
    OK(MPI_Group_free(&all));
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    int is_beside_others = 1;
    check_begin(&argc, &argv);
    stay_on_one_core();
    for (int trial = 0; trial < TRIALS && is_beside_others; trial++) {
        double core = used(), begin = MPI_Wtime();
        long before = sleeps();
        exchange();
        epochs();
        before = sleeps() - before;
        core = used() - core;
        double time = MPI_Wtime() - begin;
        is_beside_others = core < 0.8 * time;
        OK(MPI_Allreduce(MPI_IN_PLACE, &is_beside_others, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        if (!is_beside_others && before > TURNS)
            fprintf(stderr, "rank %d has slept %ld times in %d turns\n", check_rank, before, 2 * TURNS);
        CHECK(is_beside_others || before <= TURNS);
    }
    return check_end();
}
