/* Collectives among the neighbours of a ring that do not fit together. */
#include "mistakes.h"

static MPI_Comm ring(void)
{
    MPI_Comm made;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){check_size}, (int[]){1}, 0, &made));
    return made;
}

/* Buffers have room for a part for each rank, and a rank has two neighbours. */
static int two(int count)
{
    return check_size > 1 ? count : 1;
}

static int allgather_count(void)
{
    return MPI_Neighbor_allgather(out, two(ODD(N - 1, N)), MPI_INT, in, two(N), MPI_INT, comm);
}

static int allgather_room(void)
{
    return MPI_Neighbor_allgather(out, 2, MPI_INT, in, ODD(1, 2), MPI_INT, comm);
}

static int alltoall_type(void)
{
    return MPI_Neighbor_alltoall(out, 2, ODD(MPI_FLOAT, MPI_INT), in, 2, MPI_INT, comm);
}

static int alltoallv_count(void)
{
    int send[2] = {ODD(1, 2), 2}, recv[2] = {2, 2}, at[2] = {0, 2};
    return MPI_Neighbor_alltoallv(out, send, at, MPI_INT, in, recv, at, MPI_INT, comm);
}

static int operation(void)
{
    return odd() ? MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm)
                 : MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
}

static const struct mistake mistakes[] = {
    MISTAKE(allgather_count), MISTAKE(allgather_room), MISTAKE(alltoall_type),
    MISTAKE(alltoallv_count), MISTAKE(operation),
};

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    comm = ring();
    return make_mistakes(argc, argv, mistakes, sizeof mistakes / sizeof *mistakes);
}
