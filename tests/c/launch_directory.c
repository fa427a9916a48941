/* Says in which directory each rank runs, and what MPI knows of that. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, found;
    char directory[4096], told[MPI_MAX_INFO_VAL];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Info_get(MPI_INFO_ENV, "wdir", sizeof told - 1, told, &found);
    if (!getcwd(directory, sizeof directory) || !found || strcmp(directory, told))
        MPI_Abort(MPI_COMM_WORLD, 1);
    printf("%d of %d in %s\n", rank, size, directory);
    MPI_Finalize();
    return 0;
}
