/* What it costs to wake the ranks of a collective: barriers and sums of many ranks on few cores.
 *
 * Each sum is checked. Prints "barrier RANKS NANOSECONDS" and "sum RANKS NANOSECONDS", for each rank of one call.
 */
#include "papers.h"

enum { REPETITIONS = 7 };

static const double ENOUGH = 0.02;

static int count = 1;

static double barriers(void)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

static double sums(void)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        int mine = rank + i, sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        require(sum == ranks * (ranks - 1) / 2 + ranks * i, "sum %d is %d", i, sum);
    }
    return MPI_Wtime() - begin;
}

/* Nanoseconds for a rank of one call. */
static double each(double (*timed)(void))
{
    count = 1;
    while (best_of(SEVERAL, timed) < ENOUGH && count < 1 << 16)
        count *= 2;
    return best_of(REPETITIONS, timed) / count / ranks * 1e9;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    double barrier = each(barriers), sum = each(sums);
    if (rank == 0)
        printf("barrier %d %.2f\nsum %d %.2f\n", ranks, barrier, ranks, sum);
    MPI_Finalize();
    return 0;
}
