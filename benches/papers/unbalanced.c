/* A program whose work is spread unevenly: the ranks of the first half have three times as much to do as the others.
 * All meet in a barrier after each step.
 *
 * Prints "first RANKS RATIO" and "later RANKS RATIO": the time of the first steps, and of those after as many as an
 * argument says, as a multiple of what they would take if the work were shared out evenly among the processors.
 * Arguments: units of work, which take some nanoseconds, of a rank with little to do; the steps before; processors.
 */
#include "papers.h"

enum { STEPS = 300, HEAVY = 3 };

static int units;

/* Seconds that this rank has worked. */
static double worked;

static void work(void)
{
    double begin = MPI_Wtime();
    volatile double sum = 0;
    for (int i = 0, all = rank < ranks / 2 ? HEAVY * units : units; i < all; i++)
        sum = sum + 1.0 / (i + 1);
    worked += MPI_Wtime() - begin;
}

static double steps(int count)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        work();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return MPI_Wtime() - begin;
}

/* The time of some steps as a multiple of the ideal one. */
static double ratio(int processors)
{
    double all, time;
    worked = 0;
    time = steps(STEPS);
    MPI_Allreduce(&worked, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return time * processors / all;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    units = argument(argc, argv, 1, 10000);
    int before = argument(argc, argv, 2, 3000), processors = argument(argc, argv, 3, 2);
    double first = ratio(processors);
    steps(before);
    double later = ratio(processors);
    if (rank == 0)
        printf("first %d %.3f\nlater %d %.3f\n", ranks, first, ranks, later);
    MPI_Finalize();
    return 0;
}
