/* kNeighbor of Charm++: each rank sends a message to each of its K neighbours on both sides of a ring, and goes on
 * when it has those of all of them.
 *
 * Arguments: K, and the smallest and largest size of messages. Each message says who has sent it and in which
 * iteration. Prints "iteration SIZE MICROSECONDS".
 */
#include "papers.h"

enum { MOST = 8, REPETITIONS = 7 };

static const double ENOUGH = 0.01;

static int neighbours, size, count, iteration;
static char *sent, *received;

static void exchange(void)
{
    MPI_Request requests[4 * MOST];
    int posted = 0, last = 2 * neighbours;
    int stamp[2] = {rank, iteration};
    memcpy(sent, stamp, sizeof stamp);
    for (int i = 0; i < last; i++) {
        int distance = i < neighbours ? i + 1 : ranks - (i - neighbours + 1);
        MPI_Irecv(received + (size_t)i * size, size, MPI_BYTE, (rank + distance) % ranks, i, MPI_COMM_WORLD,
                  &requests[posted++]);
    }
    for (int i = 0; i < last; i++) {
        int distance = i < neighbours ? ranks - (i + 1) : i - neighbours + 1;
        MPI_Isend(sent, size, MPI_BYTE, (rank + distance) % ranks, i, MPI_COMM_WORLD, &requests[posted++]);
    }
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < last; i++) {
        int distance = i < neighbours ? i + 1 : ranks - (i - neighbours + 1);
        memcpy(stamp, received + (size_t)i * size, sizeof stamp);
        require(stamp[0] == (rank + distance) % ranks && stamp[1] == iteration, "a message of rank %d, iteration %d",
                stamp[0], stamp[1]);
    }
    iteration++;
}

static double exchanges(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++)
        exchange();
    return MPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    neighbours = argument(argc, argv, 1, 3);
    int smallest = argument(argc, argv, 2, 8), largest = argument(argc, argv, 3, 65536);
    require(neighbours >= 1 && neighbours <= MOST && 2 * neighbours < ranks && smallest >= 8,
            "not so many neighbours, or too few bytes");
    sent = memory((size_t)largest);
    received = memory((size_t)largest * 2 * MOST);
    memset(sent, 1, (size_t)largest);
    memset(received, 0, (size_t)largest * 2 * MOST);
    for (size = smallest; size <= largest; size *= 4) {
        count = 1;
        while (best_of(SEVERAL, exchanges) < ENOUGH && count < 1 << 20)
            count *= 2;
        double best = best_of(REPETITIONS, exchanges) / count;
        if (rank == 0)
            printf("iteration %d %.3f\n", size, best * 1e6);
    }
    free(sent);
    free(received);
    MPI_Finalize();
    return 0;
}
