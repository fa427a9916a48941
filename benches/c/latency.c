/* One-way latency of a ping-pong between ranks 0 and 1, by message size.
 *
 * Prints "latency SIZE NANOSECONDS" per size: the best of several batches, each long enough for the clock.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4 << 20, BATCHES = 10 };

static const double BATCH_SECONDS = 0.01;
static const int SIZES[] = {0, 8, 64, 512, 4096, 65536, 1 << 20, LARGEST};

static char *ping, *pong;
static int rank;

/* Seconds that so many round trips take. */
static double round_trips(int count, int size)
{
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            MPI_Send(ping, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(pong, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(pong, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(ping, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return MPI_Wtime() - start;
}

/* How many round trips make a batch; warms up on the way. Both ranks agree on it. */
static int batch_length(int size)
{
    int count = 10;
    for (;;) {
        double seconds = round_trips(count, size);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (seconds >= BATCH_SECONDS || count >= 1 << 24)
            return count;
        count = seconds < BATCH_SECONDS / 10 ? count * 5 : (int)(count * 1.1 * BATCH_SECONDS / seconds) + 1;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ping = malloc(LARGEST);
    pong = malloc(LARGEST);
    if (ping == NULL || pong == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    memset(ping, 1, LARGEST);
    memset(pong, 2, LARGEST);

    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        int count = batch_length(SIZES[i]);
        double best = 1e9;
        for (int batch = 0; batch < BATCHES; batch++) {
            double seconds = round_trips(count, SIZES[i]);
            best = seconds < best ? seconds : best;
        }
        if (rank == 0)
            printf("latency %d %.2f\n", SIZES[i], best / count / 2 * 1e9);
    }
    free(ping);
    free(pong);
    MPI_Finalize();
    return 0;
}
