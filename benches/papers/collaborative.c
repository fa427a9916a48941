/* Collaborative polling: the time that a rank which computes spends in MPI for a message of another host, while the
 * other ranks of its process compute as well, and while they wait in MPI and can look after its message.
 *
 * The first half of the ranks is on one host, the second half on the other. Rank 0 posts a receive and computes; the
 * first rank of the other host sends. Argument: the largest size. Messages are checked. Prints "alone SIZE
 * MICROSECONDS" and "helped SIZE MICROSECONDS", medians of the time that rank 0 waits after its work.
 */
#include "../c/work.h"
#include "papers.h"

enum { TURNS = 31 };

static const double WORK = 0.002;

static char *buffer;
static int number;

/* Computes for so long. */
static void compute(double seconds)
{
    double begin = MPI_Wtime();
    volatile double x = 1;
    while (MPI_Wtime() - begin < seconds)
        for (int i = 0; i < 1000; i++)
            x = x * 0.999999 + 0.000001;
}

static double turn(int size, int helped)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int sender = ranks / 2;
    double waited = 0;
    number++;
    if (rank == 0)
        MPI_Irecv(buffer, size, MPI_BYTE, sender, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == sender) {
        buffer[0] = buffer[size - 1] = (char)number;
        MPI_Send(buffer, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
        compute(WORK);
        double begin = MPI_Wtime();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        waited = MPI_Wtime() - begin;
        require(buffer[0] == (char)number && buffer[size - 1] == (char)number, "%d bytes are wrong", size);
    } else if (rank < sender && !helped) {
        compute(WORK);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return waited;
}

static double typical_wait(int size, int helped)
{
    double times[TURNS];
    for (int i = 0; i < TURNS; i++)
        times[i] = turn(size, helped);
    return median(times, TURNS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int largest = argument(argc, argv, 1, 1 << 20);
    require(ranks % 2 == 0, "an even number of ranks, please");
    buffer = memory((size_t)largest);
    memset(buffer, 0, (size_t)largest);
    for (int size = 64; size <= largest; size *= 16) {
        double alone = typical_wait(size, 0), helped = typical_wait(size, 1);
        if (rank == 0)
            printf("alone %d %.2f\nhelped %d %.2f\n", size, alone * 1e6, size, helped * 1e6);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
