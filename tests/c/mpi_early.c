/* What the standard allows at any time: an error handler is older and lives longer than the use of MPI. */
#include "mpi_check.h"

static int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    handled = *comm == MPI_COMM_WORLD ? *code : -1;
}

int main(int argc, char **argv)
{
    MPI_Errhandler early, late, current;
    if (MPI_Comm_create_errhandler(handle, &early) != MPI_SUCCESS)
        return 1;
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, early));
    CHECK(MPI_Send(NULL, 0, MPI_INT, check_size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(handled == MPI_ERR_RANK);
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &current));
    CHECK(current == early);
    OK(MPI_Errhandler_free(&current));
    check_end();

    if (MPI_Comm_create_errhandler(handle, &late) != MPI_SUCCESS || late == early)
        return 2;
    if (MPI_Errhandler_free(&late) != MPI_SUCCESS || late != MPI_ERRHANDLER_NULL)
        return 3;
    if (MPI_Errhandler_free(&early) != MPI_SUCCESS || early != MPI_ERRHANDLER_NULL)
        return 4;
    return 0;
}
