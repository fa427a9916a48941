/* How much of its processor a rank keeps for itself while a long message is under way, by message size, or while
 * another one puts data to its window or gets some.
 *
 * Rank 0 posts a nonblocking operation, works, and waits; rank 1 only does its part of the transfer. Where rank 0 is
 * the target of a put or get and a flush, it waits for a message without data, which follows them. With base the time
 * of posting and waiting without work, and iteration that of all three, availability is
 *
 *     1 - (iteration - work) / base
 *
 * (post-work-wait method). The work takes twice as long as the message, and a while longer, in which who sleeps until
 * the message needs him can wake up. Prints "availability_send SIZE PERCENT", and the same for
 * "receive", "put" and "get": of medians, for the three are measured in turns. Arguments name the kinds of transfer:
 * all if there are none.
 */
#include "work.h"

#include <stdio.h>

#include "chosen.h"

static const double WHILE = 300e-6;

enum { SMALLEST = 64 << 10, LARGEST = 4 << 20, TURNS = 101, WARM_UP = 5 };

enum part { BASE, WORK, ITERATION, PARTS };

/* What rank 0 does, or what rank 1 does to it. */
enum kind { SEND, RECEIVE, PUT, GET, KINDS };

static const char *const NAMES[KINDS] = {"send", "receive", "put", "get"};

static char *buffer, *target;
static int rank;
static MPI_Win window;

static void post(int size, int sends, MPI_Request *request)
{
    if (sends)
        MPI_Isend(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, request);
    else
        MPI_Irecv(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, request);
}

/* Rank 1 accesses the window of rank 0, and then says so. */
static void access(int size, enum kind kind)
{
    if (kind == PUT)
        MPI_Put(buffer, size, MPI_BYTE, 0, 0, size, MPI_BYTE, window);
    else
        MPI_Get(buffer, size, MPI_BYTE, 0, 0, size, MPI_BYTE, window);
    MPI_Win_flush(0, window);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

/* Seconds that rank 0 takes for a part. */
static double turn(enum part part, int size, enum kind kind, long steps)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int accesses = kind == PUT || kind == GET;
    /* A receiver is there before its sender: rank 1 posts its receive first, and sends only when rank 0 has posted. */
    if (rank == 1) {
        if (part != WORK && kind == SEND)
            post(size, 0, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (part != WORK && kind == RECEIVE)
            post(size, 1, &request);
        if (part != WORK && accesses)
            access(size, kind);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (part != WORK)
        post(accesses ? 0 : size, kind == SEND, &request);
    if (part != BASE)
        work(steps);
    if (part != WORK)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

static double availability(int size, enum kind kind)
{
    static double times[PARTS][TURNS];
    double base = 0;
    for (int i = 0; i < TURNS; i++)
        times[BASE][i] = turn(BASE, size, kind, 0);
    base = median(times[BASE], TURNS);
    long steps = rank == 0 ? steps_for(2 * base + WHILE) : 0;
    for (int i = -WARM_UP; i < TURNS; i++)
        for (int part = 0; part < PARTS; part++) {
            double seconds = turn(part, size, kind, steps);
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
    choose(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = calloc(LARGEST, 1);
    if (buffer == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Win_allocate(LARGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &window);
    MPI_Win_lock_all(0, window);
    for (int kind = 0; kind < KINDS; kind++)
        for (int size = SMALLEST; size <= LARGEST && chosen(NAMES[kind]); size *= 4) {
            double percent = availability(size, kind);
            if (rank == 0)
                printf("availability_%s %d %.1f\n", NAMES[kind], size, percent);
        }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    free(buffer);
    return MPI_Finalize();
}
