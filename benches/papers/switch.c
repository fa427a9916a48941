/* The cost of a context switch: a token goes round a ring of ranks that share a core.
 *
 * Each hop is a message of 8 bytes and a switch from its sender to its receiver, for nobody else can go on. The token
 * counts its hops. Prints "switch RANKS NANOSECONDS" for one hop.
 */
#include "papers.h"

enum { REPETITIONS = 5 };

static const double ENOUGH = 0.02;

static int rounds = 1;
static long hops;

static double go_round(void)
{
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    long token = 0;
    double begin = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        if (rank == 0)
            MPI_Send(&token, 1, MPI_LONG, next, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token++;
        if (rank != 0)
            MPI_Send(&token, 1, MPI_LONG, next, 0, MPI_COMM_WORLD);
    }
    hops = token;
    return rank == 0 ? MPI_Wtime() - begin : 0;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    while (best_of(SEVERAL, go_round) < ENOUGH && rounds < 1 << 20)
        rounds *= 2;
    double best = best_of(REPETITIONS, go_round);
    require(rank != 0 || hops == (long)rounds * ranks, "the token has made %ld hops", hops);
    if (rank == 0)
        printf("switch %d %.2f\n", ranks, best / rounds / ranks * 1e9);
    MPI_Finalize();
    return 0;
}
