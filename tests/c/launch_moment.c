/* Ranks that are told of when the time of the job is over. The argument says what they do: "late", the last one
 * computes for ever while the others wait for it; "loop", all call the same collectives again and again. */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size, sum;
    volatile int forever = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "late") == 0) {
        while (rank == size - 1 && forever)
            ;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    while (forever)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return 0;
}
