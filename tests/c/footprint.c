/* How many mappings and how much memory the process has when all ranks are there. As C, as C++, or as a part of
 * tests/fortran/footprint.f90. */
#include "footprint.h"
#include <mpi.h>
#ifdef __cplusplus
#include <iostream>
#endif

static void run(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        tell_footprint();
    MPI_Barrier(MPI_COMM_WORLD);
}

#ifdef FORTRAN
void c_begin_(void)
{
    MPI_Init(0, 0);
}

void c_run_(void)
{
    run();
}

void c_end_(void)
{
    MPI_Finalize();
}
#else
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    run();
    MPI_Finalize();
    return 0;
}
#endif
