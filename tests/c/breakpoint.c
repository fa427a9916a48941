/* A function for debuggers to stop in, in each rank, and a variable that each rank has for itself. (Of a global one
 * debuggers show any rank's.) */
#include <mpi.h>

static int value = 5;

__attribute__((noinline)) void stop_here(int rank)
{
    value += rank;
    __asm__ volatile("" : : "r"(&value) : "memory");
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    stop_here(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    stop_here(rank);
    MPI_Finalize();
    return 0;
}
