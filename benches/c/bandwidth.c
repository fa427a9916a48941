/* What rank 0 sends to rank 1 with a window of nonblocking messages under way, by message size.
 *
 * Prints "bandwidth SIZE MEGABYTES_PER_SECOND" and "rate SIZE THOUSAND_MESSAGES_PER_SECOND" per size: the best of
 * several batches, each long enough for the clock.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4 << 20, WINDOW = 64, BATCHES = 10 };

static const double BATCH_SECONDS = 0.01;
static const int SIZES[] = {8, 64, 512, 4096, 65536, 1 << 20, LARGEST};

static char *buffers; /* one per message of the window, as a program that has 64 messages to send would */
static int rank;

/* Seconds that so many windows take, each confirmed by an empty message. */
static double windows(int count, int size)
{
    MPI_Request requests[WINDOW];
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        for (int m = 0; m < WINDOW; m++) {
            char *buffer = buffers + (size_t)m * (size_t)size;
            if (rank == 0)
                MPI_Isend(buffer, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[m]);
            else
                MPI_Irecv(buffer, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[m]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - start;
}

/* How many windows make a batch; warms up on the way. Both ranks agree on it. */
static int batch_length(int size)
{
    int count = 2;
    for (;;) {
        double seconds = windows(count, size);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (seconds >= BATCH_SECONDS || count >= 1 << 20)
            return count;
        count = seconds < BATCH_SECONDS / 10 ? count * 5 : (int)(count * 1.1 * BATCH_SECONDS / seconds) + 1;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffers = malloc((size_t)WINDOW * LARGEST);
    if (buffers == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    memset(buffers, 1, (size_t)WINDOW * LARGEST);

    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        int count = batch_length(SIZES[i]);
        double best = 1e9;
        for (int batch = 0; batch < BATCHES; batch++) {
            double seconds = windows(count, SIZES[i]);
            best = seconds < best ? seconds : best;
        }
        double messages = (double)count * WINDOW;
        if (rank == 0) {
            printf("bandwidth %d %.2f\n", SIZES[i], messages * SIZES[i] / best / 1e6);
            printf("rate %d %.3f\n", SIZES[i], messages / best / 1e3);
        }
    }
    free(buffers);
    MPI_Finalize();
    return 0;
}
