/* One-way latency of a ping-pong of data with gaps between ranks 0 and 1, from one layout to the same, by bytes of
 * data.
 *
 * Prints "face SIZE NANOSECONDS" for a face of an array (blocks at equal distances), "gaps SIZE NANOSECONDS" for an
 * array of structs with gaps, "indexed SIZE NANOSECONDS" for blocks of several lengths at several distances: each the
 * best of several batches.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 10, LARGEST = 4 << 20, ROOM = 5 * LARGEST };

static const double BATCH_SECONDS = 0.01;
static const int SIZES[] = {1 << 10, 64 << 10, LARGEST};

struct gapped {
    char letter;
    double value;
    int list[2];
};

static char *ping, *pong;
static int rank;

/* Rows of 8 numbers out of 32. */
static int face(int size, MPI_Datatype *type)
{
    MPI_Type_vector(size / 64, 8, 32, MPI_DOUBLE, type);
    return 1;
}

static int gaps(int size, MPI_Datatype *type)
{
    int lengths[] = {1, 1, 2};
    MPI_Aint places[] = {offsetof(struct gapped, letter), offsetof(struct gapped, value),
                         offsetof(struct gapped, list)};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Type_create_struct(3, lengths, places, types, type);
    return size / 17;
}

/* Blocks of 1 to 4 numbers, 1 to 3 apart. */
static int indexed(int size, MPI_Datatype *type)
{
    int numbers = size / (int)sizeof(double), count = 0, place = 0;
    int *lengths = malloc(numbers * sizeof *lengths), *places = malloc(numbers * sizeof *places);
    for (unsigned seed = 1; numbers > 0; count++) {
        seed = seed * 1103515245 + 12345;
        int length = 1 + (int)(seed >> 16) % 4;
        lengths[count] = length < numbers ? length : numbers;
        places[count] = place;
        place += length + 1 + (int)(seed >> 20) % 3;
        numbers -= lengths[count];
    }
    MPI_Type_indexed(count, lengths, places, MPI_DOUBLE, type);
    free(lengths);
    free(places);
    return 1;
}

static const struct {
    const char *name;
    int (*make)(int size, MPI_Datatype *type);
} LAYOUTS[] = {{"face", face}, {"gaps", gaps}, {"indexed", indexed}};

/* Seconds that so many round trips take. */
static double round_trips(int times, int count, MPI_Datatype type)
{
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Send(ping, count, type, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(pong, count, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(pong, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(ping, count, type, 0, 0, MPI_COMM_WORLD);
        }
    }
    return MPI_Wtime() - start;
}

/* How many round trips make a batch; warms up on the way. Both ranks agree on it. */
static int batch_length(int count, MPI_Datatype type)
{
    int times = 2;
    for (;;) {
        double seconds = round_trips(times, count, type);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (seconds >= BATCH_SECONDS || times >= 1 << 24)
            return times;
        times = seconds < BATCH_SECONDS / 10 ? times * 5 : (int)(times * 1.1 * BATCH_SECONDS / seconds) + 1;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ping = malloc(ROOM);
    pong = malloc(ROOM);
    if (ping == NULL || pong == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    memset(ping, 1, ROOM);
    memset(pong, 2, ROOM);

    for (size_t l = 0; l < sizeof LAYOUTS / sizeof *LAYOUTS; l++) {
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            MPI_Datatype type;
            int count = LAYOUTS[l].make(SIZES[i], &type);
            MPI_Type_commit(&type);
            int times = batch_length(count, type);
            double best = 1e9;
            for (int batch = 0; batch < BATCHES; batch++) {
                double seconds = round_trips(times, count, type);
                best = seconds < best ? seconds : best;
            }
            if (rank == 0)
                printf("%s %d %.2f\n", LAYOUTS[l].name, SIZES[i], best / times / 2 * 1e9);
            MPI_Type_free(&type);
        }
    }
    free(ping);
    free(pong);
    MPI_Finalize();
    return 0;
}
