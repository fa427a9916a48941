/* Ranks that are at some stage of their use of MPI, for good; each says "up" when it has got there.
 * usage: ends before|start|computing|collectives|transfers|finalize|after */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 4 << 20 };

static void up(void)
{
    if (write(STDOUT_FILENO, "up\n", 3) != 3)
        _exit(99);
}

static void stay(void)
{
    up();
    for (;;)
        pause();
}

static void collectives(char *buffer, char *other, int rank, int size)
{
    for (int turn = 0;; turn++) {
        int count = turn % 7 == 6 ? LONG / 64 : 8;
        MPI_Bcast(buffer, count, MPI_BYTE, turn % size, MPI_COMM_WORLD);
        MPI_Allreduce(buffer, other, count / 8, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoall(buffer, count / size, MPI_BYTE, other, count / size, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == rank)
            up();
    }
}

static void transfers(char *buffer, char *other, int rank, int size)
{
    for (int turn = 0;; turn++) {
        int distance = 1 + turn % (size - 1);
        MPI_Request requests[2];
        MPI_Irecv(other, LONG, MPI_BYTE, (rank + size - distance) % size, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(buffer, LONG, MPI_BYTE, (rank + distance) % size, 0, MPI_COMM_WORLD, &requests[1]);
        if (turn == 1)
            up();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const char *stage = argc > 1 ? argv[1] : "start";
    int rank, size;
    if (!strcmp(stage, "before"))
        stay();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(stage, "computing"))
        stay();
    if (!strcmp(stage, "finalize")) {
        if (rank == size - 1)
            stay();
        up();
    }
    char *buffer = calloc(2, LONG);
    if (!buffer)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (!strcmp(stage, "start") || !strcmp(stage, "collectives"))
        collectives(buffer, buffer + LONG, rank, size);
    if (!strcmp(stage, "transfers"))
        transfers(buffer, buffer + LONG, rank, size);
    free(buffer);
    MPI_Finalize();
    stay();
}
