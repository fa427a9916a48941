/* The default error handler ends the job with one line. The argument says which mistake to make. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    const char *mistake = argc > 1 ? argv[1] : "";
    int value = 0, size;
    if (!strcmp(mistake, "before"))
        return MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(mistake, "abort early"))
        MPI_Abort(MPI_COMM_WORLD, 8);
    if (!strcmp(mistake, "no world")) {
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (!strcmp(mistake, "rank"))
        MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    else if (!strcmp(mistake, "tag"))
        MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD);
    else if (!strcmp(mistake, "comm"))
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
    else if (!strcmp(mistake, "count"))
        MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (!strcmp(mistake, "type"))
        MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    else if (!strcmp(mistake, "truncate")) {
        int two[2] = {1, 2};
        MPI_Request request;
        MPI_Isend(two, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } else if (!strcmp(mistake, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    OK(MPI_Finalize());
    if (!strcmp(mistake, "after"))
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(mistake, "again"))
        MPI_Init(&argc, &argv);
    if (!strcmp(mistake, "session")) {
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        return 0;
    }
    puts("not reached after a mistake");
    return 0;
}
