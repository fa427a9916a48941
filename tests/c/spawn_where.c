/* Where those run that rank 0 starts, and what they write. Arguments: how many, and a hint if there is one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int child(MPI_Comm parent)
{
    int rank, size, near;
    char directory[4096];
    MPI_Comm node;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &near);
    MPI_Comm_free(&node);
    if (!getcwd(directory, sizeof directory))
        MPI_Abort(MPI_COMM_WORLD, 98);
    printf("child %d of %d, %d on its node, in %s\n", rank, size, near, directory);
    fflush(stdout);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent);
    MPI_Info_create(&info);
    if (argc > 3)
        MPI_Info_set(info, argv[2], argv[3]);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, atoi(argv[1]), info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    MPI_Comm_disconnect(&children);
    MPI_Finalize();
    return 0;
}
