/* What a barrier costs beside as many switches from rank to rank as there are ranks, all on one virtual processor.
 *
 * Prints "barriers RANKS MICROSECONDS", per barrier, and "switches RANKS MICROSECONDS", for one switch per rank: calls
 * that test for a message yield to the next rank. The best of several batches.
 */
#include <mpi.h>
#include <stdio.h>

enum { BATCHES = 10 };

static const double BATCH_SECONDS = 0.02;

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void yield(void)
{
    int found;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

/* Seconds of one of so many rounds of a call by all ranks. */
static double rounds(void (*call)(void), int count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++)
        call();
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / count;
}

static double best(void (*call)(void))
{
    double least = rounds(call, 10);
    int count = BATCH_SECONDS / least < 10 ? 10 : (int)(BATCH_SECONDS / least);
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < BATCHES; i++) {
        double seconds = rounds(call, count);
        least = seconds < least ? seconds : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double barriers = best(meet), switches = best(yield);
    if (rank == 0)
        printf("barriers %d %.3f\nswitches %d %.3f\n", ranks, barriers * 1e6, ranks, switches * 1e6);
    MPI_Finalize();
    return 0;
}
