/* Programs whose ranks start themselves again as others: what the others do is told by their first argument. */
#ifndef SPAWNED_H
#define SPAWNED_H

#include "mpi_check.h"

/* Which part is to be played; none in the world of the command line. */
static inline const char *part(int argc, char **argv)
{
    return argc > 1 ? argv[1] : "";
}

/* Starts this program in so many processes, which play a part. */
static inline MPI_Comm spawn(MPI_Comm comm, char *program, char *part, int number)
{
    char *arguments[] = {part, NULL};
    int codes[64];
    MPI_Comm children;
    int remote;

    for (int i = 0; i < number; i++)
        codes[i] = -1;
    OK(MPI_Comm_spawn(program, arguments, number, MPI_INFO_NULL, 0, comm, &children, codes));
    for (int i = 0; i < number; i++)
        CHECK(codes[i] == MPI_SUCCESS);
    OK(MPI_Comm_remote_size(children, &remote));
    CHECK(remote == number);
    return children;
}

/* The parents of this world. */
static inline MPI_Comm parents(void)
{
    MPI_Comm parent, again;

    OK(MPI_Comm_get_parent(&parent));
    OK(MPI_Comm_get_parent(&again));
    CHECK(parent != MPI_COMM_NULL && parent == again);
    return parent;
}

#endif
