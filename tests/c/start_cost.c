/* Processor time that the process of rank 0 has used when all ranks are there, in milliseconds. */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

static double milliseconds(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int argc, char **argv)
{
    int rank;
    struct rusage usage;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
        printf("%.3f\n", milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
    MPI_Finalize();
    return 0;
}
