/* All ranks but one wait in a receive; prints the processor time that all of them use in a second. */
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>

static double processor_milliseconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        poll(NULL, 0, 200); /* the others go to sleep */
        double before = processor_milliseconds();
        poll(NULL, 0, 1000);
        printf("processor milliseconds %.0f\n", processor_milliseconds() - before);
        for (int other = 1; other < ranks; other++)
            MPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
