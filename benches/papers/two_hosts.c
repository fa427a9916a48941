/* Ranks of two hosts that compute and exchange in turns: what their processors do meanwhile.
 *
 * Rank r has a partner on the other host, r plus or minus half of the ranks. Arguments: bytes of a message, and
 * microseconds of work in a step. The messages are checked. Prints "step RANKS MICROSECONDS", and the work of all ranks
 * together, "compute RANKS MILLISECONDS". What processors did otherwise is told by `mpiexec --stats`.
 */
#include "../c/work.h"
#include "papers.h"

enum { STEPS = 200 };

/* Steps of work that take so long: the best of several trials, in which nobody else has used the processor. */
static long undisturbed_steps_for(double seconds)
{
    const long trial = 1000000;
    double best = 1e300;
    for (int i = 0; i < 10; i++) {
        double begin = MPI_Wtime();
        work(trial);
        double took = MPI_Wtime() - begin;
        best = took < best ? took : best;
    }
    return (long)((double)trial * seconds / best);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int bytes = argument(argc, argv, 1, 1024), microseconds = argument(argc, argv, 2, 100);
    require(ranks % 2 == 0 && bytes >= (int)sizeof(int), "an even number of ranks, and 4 bytes, please");
    int partner = (rank + ranks / 2) % ranks;
    char *out = memory((size_t)bytes), *in = memory((size_t)bytes);
    memset(out, 0, (size_t)bytes);
    memset(in, 0, (size_t)bytes);
    long steps = rank == 0 ? undisturbed_steps_for(microseconds * 1e-6) : 0;
    MPI_Bcast(&steps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < STEPS; i++) {
        MPI_Request requests[2];
        int stamp = partner * STEPS + i, mine = rank * STEPS + i;
        memcpy(out, &mine, sizeof mine);
        MPI_Irecv(in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &requests[1]);
        work(steps);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        require(memcmp(in, &stamp, sizeof stamp) == 0, "step %d has another's message", i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double took = MPI_Wtime() - begin;
    if (rank == 0)
        printf("step %d %.2f\ncompute %d %.2f\n", ranks, took / STEPS * 1e6, ranks,
               (double)ranks * STEPS * microseconds * 1e-3);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
