/* A program in C whose MPI is called in Fortran, under the name that configure has found out. */
#include "config.h"
#include <mpi.h>

#define say_hello FC_FUNC_(say_hello, SAY_HELLO)

extern void say_hello(const MPI_Fint *communicator);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD);
    say_hello(&world);
    MPI_Finalize();
    return 0;
}
