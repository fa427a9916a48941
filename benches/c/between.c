/* Collectives of ranks on several hosts, by the bytes that rules for hosts go by: for each operation, what all ranks
 * have to give or to get. The time is the mean over the ranks of the mean time of a call, the ranks meeting at a
 * barrier before each call.
 *
 * Prints "OPERATION BYTES MICROSECONDS": the best of several batches.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 4, FEWEST = 2, MOST = 1 << 10 };

static const double BATCH_SECONDS = 0.01;
static const int SIZES[] = {1 << 10, 16 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20};
#define LARGEST (8 << 20)

static char *mine, *theirs;
static int rank, ranks;

static void bcast(int size)
{
    MPI_Bcast(mine, size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(int size)
{
    MPI_Reduce(mine, theirs, size / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(int size)
{
    MPI_Allreduce(mine, theirs, size / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter(int size)
{
    int each = size / (int)sizeof(double) / ranks;
    MPI_Reduce_scatter_block(mine, theirs, each, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(int size)
{
    MPI_Allgather(mine, size / ranks, MPI_BYTE, theirs, size / ranks, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(int size)
{
    MPI_Alltoall(mine, size / ranks, MPI_BYTE, theirs, size / ranks, MPI_BYTE, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(int);
} OPERATIONS[] = {
    {"bcast", bcast},         {"reduce", reduce},     {"allreduce", allreduce}, {"reduce_scatter", reduce_scatter},
    {"allgather", allgather}, {"alltoall", alltoall},
};

/* Seconds of a call, averaged over calls and ranks; all ranks get the same. */
static double batch(void (*call)(int), int size, int count)
{
    double seconds = 0, total;
    for (int i = 0; i < count; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        call(size);
        seconds += MPI_Wtime() - start;
    }
    MPI_Allreduce(&seconds, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total / ranks / count;
}

static double best_of(void (*call)(int), int size)
{
    batch(call, size, 1);
    double best = batch(call, size, FEWEST);
    int count = best * MOST < BATCH_SECONDS ? MOST : (int)(BATCH_SECONDS / best);
    count = count < FEWEST ? FEWEST : count;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < BATCHES; i++) {
        double seconds = batch(call, size, count);
        best = seconds < best ? seconds : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mine = malloc(LARGEST);
    theirs = malloc(LARGEST);
    if (mine == NULL || theirs == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    memset(mine, 0, LARGEST);
    memset(theirs, 0, LARGEST);
    for (size_t k = 0; k < sizeof OPERATIONS / sizeof *OPERATIONS; k++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            double seconds = best_of(OPERATIONS[k].call, SIZES[i]);
            if (rank == 0)
                printf("%s %d %.1f\n", OPERATIONS[k].name, SIZES[i], seconds * 1e6);
        }
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
