/* Ways for ranks of an MPI program to end: the first argument says which, rank 1 takes it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int code = argc > 2 ? atoi(argv[2]) : 0;
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d of %d: sum %d", rank, size, sum);
    if (rank == 1) {
        if (!strcmp(way, "abort"))
            MPI_Abort(MPI_COMM_WORLD, code);
        if (!strcmp(way, "return"))
            return code;
        if (!strcmp(way, "exit"))
            exit(code);
        if (!strcmp(way, "ask")) {
            char port[MPI_MAX_PORT_NAME];
            MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
            if (MPI_Lookup_name("nobody", MPI_INFO_NULL, port) == MPI_SUCCESS)
                MPI_Abort(MPI_COMM_WORLD, 99);
        }
        if (!strcmp(way, "wait") || !strcmp(way, "finish") || !strcmp(way, "ask"))
            MPI_Recv(&sum, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "start")) {
        MPI_Request request;
        MPI_Ibcast(&sum, 1, MPI_INT, 3, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "flood") && rank == 0) {
        for (int i = 0; i < 1000; i++)
            MPI_Send(&sum, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD);
    } else if (!strcmp(way, "differ")) {
        if (rank == 0)
            MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
        else
            MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (strcmp(way, "finish"))
        MPI_Barrier(MPI_COMM_WORLD);
    printf("\n");
    MPI_Finalize();
    return rank == 1 && !strcmp(way, "after") ? code : 0;
}
