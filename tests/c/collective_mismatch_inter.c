/* Collectives of two groups that do not fit together: ranks of even numbers and ranks of odd ones. */
#include "mistakes.h"

static MPI_Comm two_groups(void)
{
    MPI_Comm half, made;
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - check_rank % 2, 7, &made));
    OK(MPI_Comm_free(&half));
    return made;
}

/* The root of the even ranks is their first, for whom `other` is what the odd ones pass. */
static int root_of(int other)
{
    return check_rank % 2 ? other : check_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static int operation(void)
{
    return odd() ? MPI_Barrier(comm) : MPI_Allgather(out, N, MPI_INT, in, N, MPI_INT, comm);
}

static int bcast_count(void)
{
    return MPI_Bcast(in, ODD(N, N - 1), MPI_INT, root_of(0), comm);
}

static int gather_type(void)
{
    return MPI_Gather(out, N, ODD(MPI_FLOAT, MPI_INT), in, N, MPI_INT, root_of(0), comm);
}

static int scatter_room(void)
{
    return MPI_Scatter(out, N, MPI_INT, in, ODD(N - 1, N), MPI_INT, root_of(0), comm);
}

static int reduce_count(void)
{
    return MPI_Reduce(out, in, ODD(N - 1, N), MPI_INT, MPI_SUM, root_of(0), comm);
}

static int allgather_count(void)
{
    return MPI_Allgather(out, ODD(N - 1, N), MPI_INT, in, N, MPI_INT, comm);
}

static int alltoall_type(void)
{
    return MPI_Alltoall(out, 1, ODD(MPI_UNSIGNED, MPI_INT), in, 1, MPI_INT, comm);
}

static int allreduce_op(void)
{
    return MPI_Allreduce(out, in, N, MPI_INT, ODD(MPI_MAX, MPI_SUM), comm);
}

static int started_count(void)
{
    MPI_Request request;
    OK(MPI_Iallreduce(out, in, ODD(N - 1, N), MPI_INT, MPI_SUM, comm, &request));
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct mistake mistakes[] = {
    MISTAKE(operation),    MISTAKE(bcast_count),     MISTAKE(gather_type),
    MISTAKE(scatter_room), MISTAKE(reduce_count),    MISTAKE(allgather_count),
    MISTAKE(alltoall_type), MISTAKE(allreduce_op),   MISTAKE(started_count),
};

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    comm = two_groups();
    return make_mistakes(argc, argv, mistakes, sizeof mistakes / sizeof *mistakes);
}
