/* Overhead and availability while a message is under way, by message size: post, work, wait.
 *
 * Rank 0 posts a nonblocking operation, works, and waits; rank 1 does only its part of the transfer. Overhead is what
 * the three take beyond the work, and availability is 1 - overhead / base, with base the time of posting and waiting
 * without work. The work takes twice the base and a while longer, in which who sleeps until the message needs him can
 * wake up. Arguments: smallest and largest size. What is received is checked. Prints medians: "overhead_send SIZE
 * MICROSECONDS", "available_send SIZE PERCENT", and the same for receive.
 */
#include "../c/work.h"
#include "papers.h"

enum { TURNS = 41, WARM_UP = 3 };

static const double WHILE = 300e-6;

enum part { BASE, WORK, ITERATION, PARTS };

static char *buffer;
static int turn_number;

static void post(int size, int sends, MPI_Request *request)
{
    if (sends) {
        buffer[0] = buffer[size - 1] = (char)turn_number;
        MPI_Isend(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, request);
    } else {
        buffer[0] = buffer[size - 1] = (char)(turn_number - 1);
        MPI_Irecv(buffer, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, request);
    }
}

/* Seconds that rank 0 takes for a part. A receiver is there before its sender. */
static double turn(enum part part, int size, int sends, long steps)
{
    MPI_Request request = MPI_REQUEST_NULL;
    turn_number++;
    if (rank == 1 && part != WORK && sends)
        post(size, 0, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    if (rank == 1 && part != WORK && !sends)
        post(size, 1, &request);
    if (rank == 0 && part != WORK)
        post(size, sends, &request);
    if (rank == 0 && part != BASE)
        work(steps);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double took = MPI_Wtime() - begin;
    if (part != WORK && sends == rank)
        require(buffer[0] == (char)turn_number && buffer[size - 1] == (char)turn_number, "%d bytes are wrong", size);
    return took;
}

static void measure(int size, int sends)
{
    static double times[PARTS][TURNS];
    for (int i = 0; i < TURNS; i++)
        times[BASE][i] = turn(BASE, size, sends, 0);
    long steps = rank == 0 ? steps_for(2 * median(times[BASE], TURNS) + WHILE) : 0;
    for (int i = -WARM_UP; i < TURNS; i++)
        for (int part = 0; part < PARTS; part++) {
            double seconds = turn((enum part)part, size, sends, steps);
            if (i >= 0)
                times[part][i] = seconds;
        }
    double base = median(times[BASE], TURNS), overhead = median(times[ITERATION], TURNS) - median(times[WORK], TURNS);
    const char *what = sends ? "send" : "receive";
    if (rank == 0)
        printf("overhead_%s %d %.2f\navailable_%s %d %.1f\n", what, size, overhead * 1e6, what, size,
               100 * (1 - overhead / base));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    require(ranks == 2, "two ranks, please");
    int smallest = argument(argc, argv, 1, 4096), largest = argument(argc, argv, 2, 4 << 20);
    buffer = memory((size_t)largest);
    memset(buffer, 0, (size_t)largest);
    for (int sends = 1; sends >= 0; sends--)
        for (int size = smallest; size <= largest; size *= 4)
            measure(size, sends);
    free(buffer);
    MPI_Finalize();
    return 0;
}
