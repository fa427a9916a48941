/* Collectives by message size, as the OSU benchmarks define their time: the mean over the ranks of the mean time of a
 * call, the ranks meeting at a barrier before each call. Barriers follow each other.
 *
 * Prints "NAME SIZE MICROSECONDS" per operation and size: the best of several batches. Sizes whose buffers would not
 * fit into a gigabyte are left out.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20, BATCHES = 8, FEWEST = 3, MOST = 1 << 17 };

static const double BATCH_SECONDS = 0.02, SLOW_SECONDS = 0.05;
static const double MOST_BYTES = 1 << 30;
static const int SIZES[] = {8, 4096, 65536, LARGEST};

static char *mine, *theirs;
static int rank, ranks;

static void barrier(int size)
{
    (void)size;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(int size)
{
    MPI_Bcast(mine, size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allreduce(int size)
{
    MPI_Allreduce(mine, theirs, size / (int)sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(int size)
{
    MPI_Alltoall(mine, size, MPI_BYTE, theirs, size, MPI_BYTE, MPI_COMM_WORLD);
}

/* Seconds of a call, averaged over calls and ranks; all ranks get the same. */
static double batch(void (*call)(int), int size, int count)
{
    double seconds = 0, total;
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        if (call == barrier) {
            call(size);
            continue;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        call(size);
        seconds += MPI_Wtime() - start;
    }
    if (call == barrier)
        seconds = MPI_Wtime() - begin;
    MPI_Allreduce(&seconds, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total / ranks / count;
}

/* How many calls make a batch, from how long a few took with everything around them. */
static int batch_length(double seconds)
{
    int count = seconds * MOST < BATCH_SECONDS ? MOST : (int)(BATCH_SECONDS / seconds);
    count = count < FEWEST ? FEWEST : count;
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return count;
}

static void measure(const char *name, void (*call)(int), int size)
{
    batch(call, size, 1);
    double start = MPI_Wtime();
    double best = batch(call, size, FEWEST), around = (MPI_Wtime() - start) / FEWEST;
    int count = batch_length(around), batches = around > SLOW_SECONDS ? 1 : BATCHES;
    MPI_Bcast(&batches, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < batches; i++) {
        double seconds = batch(call, size, count);
        best = seconds < best ? seconds : best;
    }
    if (rank == 0) {
        printf("%s %d %.3f\n", name, size, best * 1e6);
        fflush(stdout);
    }
}

/* Room for so many blocks of a size at each rank, for data that go and data that come, if there may be so much. */
static int fits(double blocks, int size)
{
    free(mine);
    free(theirs);
    mine = theirs = NULL;
    if (2 * blocks * size * ranks > MOST_BYTES)
        return 0;
    size_t bytes = (size_t)blocks * (size_t)size;
    mine = malloc(bytes);
    theirs = malloc(bytes);
    if (mine == NULL || theirs == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    memset(mine, 0, bytes);
    memset(theirs, 0, bytes);
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    measure("barrier", barrier, 0);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        if (fits(1, SIZES[i])) {
            measure("bcast", bcast, SIZES[i]);
            measure("allreduce", allreduce, SIZES[i]);
        }
        if (fits(ranks, SIZES[i]))
            measure("alltoall", alltoall, SIZES[i]);
    }
    MPI_Finalize();
    return 0;
}
