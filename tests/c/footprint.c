/* How many mappings and how much memory the process has when all ranks are there. As C or as C++. */
#include "footprint.h"
#include <mpi.h>
#ifdef __cplusplus
#include <iostream>
#endif

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        tell_footprint();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
