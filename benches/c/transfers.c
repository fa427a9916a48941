/* One-way latency of a ping-pong between ranks 0 and 1, by message size, with separate buffers for what is sent and
 * what is received: the same ones for each message, so that they stay in the caches, and others for each message,
 * from areas that no cache holds.
 *
 * Prints "cached SIZE NANOSECONDS" and "uncached SIZE NANOSECONDS" per size: the best of several batches, each long
 * enough for the clock. Before that, the data of one message of each size is checked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 10, LARGEST = 4 << 20, AREA = 64 << 20 };

static const double BATCH_SECONDS = 0.01;
static const int SIZES[] = {4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1 << 20, 2 << 20, LARGEST};

/* Where messages lie: bytes of each of the two areas that are used, and where the next message begins. */
struct place {
    const char *name;
    size_t bytes;
    size_t next;
};

static char *ping, *pong;
static int rank;

/* The offset of the next message in both areas. */
static size_t advance(struct place *place, int size)
{
    size_t at = place->next + size <= place->bytes ? place->next : 0;
    place->next = at + size;
    return at;
}

static void exchange(size_t at, int size)
{
    if (rank == 0) {
        MPI_Send(ping + at, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(pong + at, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(pong + at, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(ping + at, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

/* Seconds that so many round trips take. */
static double round_trips(struct place *place, int count, int size)
{
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++)
        exchange(advance(place, size), size);
    return MPI_Wtime() - start;
}

/* How many round trips make a batch; warms up on the way. Both ranks agree on it. */
static int batch_length(struct place *place, int size)
{
    int count = 10;
    for (;;) {
        double seconds = round_trips(place, count, size);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (seconds >= BATCH_SECONDS || count >= 1 << 24)
            return count;
        count = seconds < BATCH_SECONDS / 10 ? count * 5 : (int)(count * 1.1 * BATCH_SECONDS / seconds) + 1;
    }
}

static char expected(size_t i, int sender)
{
    return (char)(i * 7 + (i >> 12) + sender + 1);
}

static void check(int size)
{
    memset(pong, 0, size + 1);
    exchange(0, size);
    for (int i = 0; i < size; i++)
        if (pong[i] != expected(i, 1 - rank))
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    if (pong[size] != 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void measure(struct place *place, int size)
{
    int count = batch_length(place, size);
    double best = 1e9;
    for (int batch = 0; batch < BATCHES; batch++) {
        double seconds = round_trips(place, count, size);
        best = seconds < best ? seconds : best;
    }
    if (rank == 0)
        printf("%s %d %.2f\n", place->name, size, best / count / 2 * 1e9);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ping = malloc(AREA);
    pong = malloc(AREA);
    if (ping == NULL || pong == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (size_t i = 0; i < AREA; i++)
        ping[i] = expected(i, rank);
    memset(pong, 2, AREA);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        check(SIZES[i]);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        struct place cached = {.name = "cached", .bytes = SIZES[i]};
        measure(&cached, SIZES[i]);
    }
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        struct place uncached = {.name = "uncached", .bytes = AREA};
        measure(&uncached, SIZES[i]);
    }
    free(ping);
    free(pong);
    MPI_Finalize();
    return 0;
}
