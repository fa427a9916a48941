/* Jobs of several mpiexecs that meet in a universe: how they find each other, and what they say to each other. */
#ifndef UNIVERSE_H
#define UNIVERSE_H

#include "spawned.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* All of a communicator accept those who look for a service. */
static inline MPI_Comm accept_as(const char *service, MPI_Comm comm)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;
    int rank;

    OK(MPI_Comm_rank(comm, &rank));
    if (rank == 0) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
    }
    OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, comm, &other));
    if (rank == 0) {
        OK(MPI_Unpublish_name(service, MPI_INFO_NULL, port));
        OK(MPI_Close_port(port));
    }
    return other;
}

/* The port of a service, as soon as there is one. */
static inline void look_up(const char *service, char *port)
{
    MPI_Errhandler before;
    int error, class;

    OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &before));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    while ((error = MPI_Lookup_name(service, MPI_INFO_NULL, port)) != MPI_SUCCESS) {
        OK(MPI_Error_class(error, &class));
        CHECK(class == MPI_ERR_NAME);
        usleep(1000);
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, before));
}

/* The world connects to those who accept as a service. */
static inline MPI_Comm connect_to(const char *service)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;

    if (check_rank == 0)
        look_up(service, port);
    OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other));
    return other;
}

/* All of one side talk to all of the other, in messages of so many numbers. */
static inline void exchange(MPI_Comm other, int count)
{
    int rank, remote;
    int *mine = malloc((size_t)count * sizeof *mine), *theirs = malloc((size_t)count * sizeof *theirs);

    OK(MPI_Comm_rank(other, &rank));
    OK(MPI_Comm_remote_size(other, &remote));
    for (int peer = 0; peer < remote; peer++) {
        MPI_Request request;
        for (int i = 0; i < count; i++) {
            mine[i] = 1000 * rank + peer + i;
            theirs[i] = -1;
        }
        OK(MPI_Isend(mine, count, MPI_INT, peer, 3, other, &request));
        OK(MPI_Recv(theirs, count, MPI_INT, peer, 3, other, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < count; i++)
            CHECK(theirs[i] == 1000 * peer + rank + i);
    }
    free(mine);
    free(theirs);
}

/* Collective operations of all of a communicator. */
static inline void agree(MPI_Comm all)
{
    int rank, size, sum, root[3000];
    MPI_Comm near, half;

    OK(MPI_Comm_rank(all, &rank));
    OK(MPI_Comm_size(all, &size));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK(sum == size * (size - 1) / 2);
    for (int from = 0; from < size; from++) {
        for (int i = 0; i < 3000; i++)
            root[i] = rank == from ? from + i : -1;
        OK(MPI_Bcast(root, 3000, MPI_INT, from, all));
        CHECK(root[0] == from && root[2999] == from + 2999);
    }
    int *mine = malloc((size_t)size * sizeof *mine), *theirs = malloc((size_t)size * sizeof *theirs);
    for (int i = 0; i < size; i++)
        mine[i] = 100 * rank + i;
    OK(MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, all));
    for (int i = 0; i < size; i++)
        CHECK(theirs[i] == 100 * i + rank);
    OK(MPI_Allgather(&rank, 1, MPI_INT, theirs, 1, MPI_INT, all));
    for (int i = 0; i < size; i++)
        CHECK(theirs[i] == i);
    free(mine);
    free(theirs);
    OK(MPI_Comm_split(all, rank % 2, -rank, &half));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, half));
    CHECK(sum % 2 == rank % 2 && sum >= size - 2);
    OK(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    OK(MPI_Barrier(near));
    OK(MPI_Comm_free(&near));
    OK(MPI_Comm_free(&half));
}

/* All that those do who have met. */
static inline void talk(MPI_Comm other, int high)
{
    MPI_Comm all;
    int one = 1, sum, remote;

    OK(MPI_Comm_remote_size(other, &remote));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other));
    CHECK(sum == remote);
    exchange(other, 1);
    exchange(other, 100000);
    OK(MPI_Intercomm_merge(other, high, &all));
    agree(all);
    OK(MPI_Comm_free(&all));
}

/* The number of the first process of the other side. */
static inline int pid_of(MPI_Comm other)
{
    int own = getpid(), pid = -1;

    if (check_rank == 0)
        OK(MPI_Sendrecv(&own, 1, MPI_INT, 0, 4, &pid, 1, MPI_INT, 0, 4, other, MPI_STATUS_IGNORE));
    OK(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return pid;
}

/* Waits until a process is gone. */
static inline void outlive(int pid)
{
    for (int i = 0; i < 2000; i++) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return;
        usleep(5000);
    }
    CHECK(!"it goes");
}

#endif
