/* The smallest program, for the time that a start takes. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    printf("hello from rank %d of %d\n", rank, ranks);
    MPI_Finalize();
    return 0;
}
