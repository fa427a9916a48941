/* How much of its processor a rank keeps for itself while a long message is under way, by message size.
 *
 * Rank 0 posts a nonblocking operation, works, and waits; rank 1 only does its part of the transfer. With base the time
 * of posting and waiting without work, and iteration that of all three, availability is
 *
 *     1 - (iteration - work) / base
 *
 * (post-work-wait method). The work takes twice as long as the message, and a while longer, in which who sleeps until
 * the message needs him can wake up. Prints "availability_send SIZE PERCENT" and "availability_receive SIZE PERCENT":
 * of medians, for the three are measured in turns.
 */
#include "work.h"

#include <stdio.h>

static const double WHILE = 300e-6;

enum { SMALLEST = 64 << 10, LARGEST = 4 << 20, TURNS = 101, WARM_UP = 5 };

enum part { BASE, WORK, ITERATION, PARTS };

static char *buffer;
static int rank;

static void post(int size, int sends, MPI_Request *request)
{
    if (sends)
        MPI_Isend(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, request);
    else
        MPI_Irecv(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, request);
}

/* Seconds that rank 0 takes for a part. */
static double turn(enum part part, int size, int sends, long steps)
{
    MPI_Request request = MPI_REQUEST_NULL;
    /* A receiver is there before its sender: rank 1 posts its receive first, and sends only when rank 0 has posted. */
    if (rank == 1) {
        if (part != WORK && sends)
            post(size, 0, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (part != WORK && !sends)
            post(size, 1, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (part != WORK)
        post(size, sends, &request);
    if (part != BASE)
        work(steps);
    if (part != WORK)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

static double availability(int size, int sends)
{
    static double times[PARTS][TURNS];
    double base = 0;
    for (int i = 0; i < TURNS; i++)
        times[BASE][i] = turn(BASE, size, sends, 0);
    base = median(times[BASE], TURNS);
    long steps = rank == 0 ? steps_for(2 * base + WHILE) : 0;
    for (int i = -WARM_UP; i < TURNS; i++)
        for (int part = 0; part < PARTS; part++) {
            double seconds = turn(part, size, sends, steps);
            if (i >= 0)
                times[part][i] = seconds;
        }
    double overhead = median(times[ITERATION], TURNS) - median(times[WORK], TURNS);
    base = median(times[BASE], TURNS);
    if (rank == 0 && getenv("OVERLAP_VERBOSE") != NULL)
        fprintf(stderr, "%d B: base %.1f us, work %.1f us, overhead %.2f us\n", size, base * 1e6,
                median(times[WORK], TURNS) * 1e6, overhead * 1e6);
    return 100 * (1 - overhead / base);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = calloc(LARGEST, 1);
    if (buffer == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int sends = 1; sends >= 0; sends--)
        for (int size = SMALLEST; size <= LARGEST; size *= 4) {
            double percent = availability(size, sends);
            if (rank == 0)
                printf("availability_%s %d %.1f\n", sends ? "send" : "receive", size, percent);
        }
    free(buffer);
    return MPI_Finalize();
}
