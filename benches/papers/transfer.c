/* Latency and bandwidth of messages between ranks 0 and 1, by message size.
 *
 * Latency is half a round trip. For the bandwidth rank 0 has a window of messages under way, and rank 1 answers when it
 * has received them all. The last message of each window is checked. Prints "latency SIZE NANOSECONDS" and "bandwidth
 * SIZE MEGABYTES_PER_SECOND", and stops at the size that its argument names.
 */
#include "papers.h"

enum { LARGEST = 4 << 20, WINDOW = 32, REPETITIONS = 7 };

static const double ENOUGH = 0.005;

static char *buffer;
static int size, count;

static double round_trips(void)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        if (rank == 0)
            MPI_Send(buffer, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(buffer, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - begin;
}

static double windows(void)
{
    MPI_Request requests[WINDOW];
    char answer = 0;
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < WINDOW; j++) {
            if (rank == 0)
                MPI_Isend(buffer, size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[j]);
            else
                MPI_Irecv(buffer, size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[j]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(&answer, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&answer, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - begin;
}

/* Seconds for one of what is timed. */
static double each(double (*timed)(void))
{
    count = 1;
    while (best_of(SEVERAL, timed) < ENOUGH && count < 1 << 20)
        count *= 2;
    return best_of(REPETITIONS, timed) / count;
}

/* Rank 0 fills its buffer with a pattern of the size, rank 1 with zeros. */
static void fill(void)
{
    for (int i = 0; i < size; i++)
        buffer[i] = rank == 0 ? (char)(i * 7 + size) : 0;
}

static void check(void)
{
    for (int i = 0; i < size; i++)
        require(buffer[i] == (char)(i * 7 + size), "byte %d of %d is wrong", i, size);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    require(ranks == 2, "two ranks, please");
    int last = argument(argc, argv, 1, LARGEST);
    buffer = memory(LARGEST);
    for (size = 1; size <= last; size *= 4) {
        fill();
        double latency = each(round_trips) / 2;
        check();
        fill();
        double bandwidth = (double)size * WINDOW / each(windows);
        check();
        if (rank == 0)
            printf("latency %d %.2f\nbandwidth %d %.3f\n", size, latency * 1e9, size, bandwidth * 1e-6);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
