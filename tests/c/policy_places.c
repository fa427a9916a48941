/* Says on which kernel thread each rank has run, before and after others have waited for it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, threads[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    threads[0] = gettid();
    for (int round = 0; round < 100; round++)
        MPI_Barrier(MPI_COMM_WORLD);
    threads[1] = gettid();
    printf("%d %d %d\n", rank, threads[0], threads[1]);
    MPI_Finalize();
    return 0;
}
