/* The report of pages.h, in a program of MPI. */
#include "../../crates/image/tests/programs/pages.h"
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    tell(__builtin_return_address(0));
    MPI_Finalize();
    return 0;
}
