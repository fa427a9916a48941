/* Blocking collective calls that do not fit together. */
#include "mistakes.h"

static int counts[MOST], displs[MOST], bytes_at[MOST];
static MPI_Datatype types[MOST];

/* The result of a user-defined operation does not matter here. */
static void first(void *invec, void *inoutvec, int *len, MPI_Datatype *type)
{
    (void)len, (void)type;
    memcpy(inoutvec, invec, sizeof(int));
}

static void even_counts(int count)
{
    for (int i = 0; i < check_size; i++)
        counts[i] = count, displs[i] = N * i, bytes_at[i] = N * i * (int)sizeof(int), types[i] = MPI_INT;
}

static int operation(void)
{
    return odd() ? MPI_Barrier(comm) : MPI_Allgather(out, N, MPI_INT, in, N, MPI_INT, comm);
}

static int bcast_or_barrier(void)
{
    return odd() ? MPI_Barrier(comm) : MPI_Bcast(in, N, MPI_INT, 0, comm);
}

static int root(void)
{
    return MPI_Bcast(in, N, MPI_INT, ODD(1, 0), comm);
}

static int gather_root(void)
{
    return MPI_Gather(out, N, MPI_INT, in, N, MPI_INT, ODD(1, 0), comm);
}

static int reduce_root(void)
{
    return MPI_Reduce(out, in, N, MPI_INT, MPI_SUM, ODD(1, 0), comm);
}

static int bcast_count(void)
{
    return MPI_Bcast(in, ODD(N, N - 1), MPI_INT, 0, comm);
}

static int bcast_room(void)
{
    return MPI_Bcast(in, ODD(N - 1, N), MPI_INT, 0, comm);
}

static int bcast_type(void)
{
    return MPI_Bcast(in, N, ODD(MPI_FLOAT, MPI_INT), 0, comm);
}

static int bcast_derived(void)
{
    MPI_Datatype pairs;
    OK(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_FLOAT}, &pairs));
    OK(MPI_Type_commit(&pairs));
    int code = odd() ? MPI_Bcast(in, N, MPI_INT, 0, comm) : MPI_Bcast(in, N / 2, pairs, 0, comm);
    OK(MPI_Type_free(&pairs));
    return code;
}

static int gather_count(void)
{
    return MPI_Gather(out, ODD(N - 1, N), MPI_INT, in, N, MPI_INT, 0, comm);
}

static int gather_room(void)
{
    return MPI_Gather(out, ODD(N, N - 1), MPI_INT, in, N - 1, MPI_INT, 0, comm);
}

static int gatherv_count(void)
{
    even_counts(N - 1);
    return MPI_Gatherv(out, ODD(N - 2, N - 1), MPI_INT, in, counts, displs, MPI_INT, 0, comm);
}

static int scatter_count(void)
{
    return MPI_Scatter(out, N - 1, MPI_INT, in, ODD(N, N - 1), MPI_INT, 0, comm);
}

static int scatter_room(void)
{
    return MPI_Scatter(out, N, MPI_INT, in, ODD(N - 1, N), MPI_INT, 0, comm);
}

static int scatterv_type(void)
{
    even_counts(N);
    return MPI_Scatterv(out, counts, displs, MPI_INT, in, N, ODD(MPI_UNSIGNED, MPI_INT), 0, comm);
}

static int allgather_count(void)
{
    return MPI_Allgather(out, ODD(N - 1, N), MPI_INT, in, N, MPI_INT, comm);
}

static int allgather_type(void)
{
    return MPI_Allgather(out, N, ODD(MPI_FLOAT, MPI_INT), in, N, MPI_INT, comm);
}

static int allgatherv_count(void)
{
    even_counts(N - 1);
    counts[0] = ODD(N, N - 1);
    return MPI_Allgatherv(out, N - 1, MPI_INT, in, counts, displs, MPI_INT, comm);
}

static int alltoall_count(void)
{
    return MPI_Alltoall(out, ODD(N - 1, N), MPI_INT, in, ODD(N - 1, N), MPI_INT, comm);
}

static int alltoall_place(void)
{
    return MPI_Alltoall(ODD(MPI_IN_PLACE, out), N, MPI_INT, in, N, MPI_INT, comm);
}

static int alltoall_place_count(void)
{
    return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, ODD(N - 1, N), MPI_INT, comm);
}

static int alltoallv_count(void)
{
    even_counts(N - 1);
    int send[MOST];
    for (int i = 0; i < check_size; i++)
        send[i] = ODD(N - 2, N - 1);
    return MPI_Alltoallv(out, send, displs, MPI_INT, in, counts, displs, MPI_INT, comm);
}

static int alltoallw_type(void)
{
    MPI_Datatype send[MOST];
    even_counts(N);
    for (int i = 0; i < check_size; i++)
        send[i] = ODD(MPI_FLOAT, MPI_INT);
    return MPI_Alltoallw(out, counts, bytes_at, send, in, counts, bytes_at, types, comm);
}

static int reduce_count(void)
{
    return MPI_Reduce(out, in, ODD(N - 1, N), MPI_INT, MPI_SUM, 0, comm);
}

static int allreduce_count(void)
{
    return MPI_Allreduce(out, in, ODD(N - 1, N), MPI_INT, MPI_SUM, comm);
}

static int allreduce_type(void)
{
    return MPI_Allreduce(out, in, N, ODD(MPI_FLOAT, MPI_INT), MPI_SUM, comm);
}

static int allreduce_size(void)
{
    return MPI_Allreduce(out, in, N / 2, ODD(MPI_DOUBLE, MPI_INT), MPI_SUM, comm);
}

static int allreduce_op(void)
{
    return MPI_Allreduce(out, in, N, MPI_INT, ODD(MPI_MAX, MPI_SUM), comm);
}

static int reduce_op(void)
{
    return MPI_Reduce(out, in, N, MPI_INT, ODD(MPI_MAX, MPI_SUM), 0, comm);
}

static int user_op(void)
{
    MPI_Op op;
    OK(MPI_Op_create(first, 1, &op));
    int code = MPI_Allreduce(out, in, N, MPI_INT, ODD(MPI_SUM, op), comm);
    OK(MPI_Op_free(&op));
    return code;
}

static int commuting_op(void)
{
    MPI_Op op;
    OK(MPI_Op_create(first, odd(), &op));
    int code = MPI_Allreduce(out, in, N, MPI_INT, op, comm);
    OK(MPI_Op_free(&op));
    return code;
}

static int scan_count(void)
{
    return MPI_Scan(out, in, ODD(N - 1, N), MPI_INT, MPI_SUM, comm);
}

static int exscan_op(void)
{
    return MPI_Exscan(out, in, N, MPI_INT, ODD(MPI_PROD, MPI_SUM), comm);
}

static int scan_or_exscan(void)
{
    return odd() ? MPI_Scan(out, in, N, MPI_INT, MPI_SUM, comm) : MPI_Exscan(out, in, N, MPI_INT, MPI_SUM, comm);
}

static int reduce_scatter_counts(void)
{
    even_counts(1);
    if (check_size > 1 && odd())
        counts[0] = 0, counts[check_size - 1] = 2;
    return MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
}

static int reduce_scatter_total(void)
{
    even_counts(ODD(1, 2));
    return MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
}

static int reduce_scatter_block_count(void)
{
    return MPI_Reduce_scatter_block(out, in, ODD(1, 2), MPI_INT, MPI_SUM, comm);
}

static const struct mistake mistakes[] = {
    MISTAKE(operation),
    PARTING(bcast_or_barrier),
    MISTAKE(root),
    MISTAKE(gather_root),
    MISTAKE(reduce_root),
    MISTAKE(bcast_count),
    MISTAKE(bcast_room),
    MISTAKE(bcast_type),
    MISTAKE(bcast_derived),
    MISTAKE(gather_count),
    MISTAKE(gather_room),
    MISTAKE(gatherv_count),
    MISTAKE(scatter_count),
    MISTAKE(scatter_room),
    MISTAKE(scatterv_type),
    MISTAKE(allgather_count),
    MISTAKE(allgather_type),
    MISTAKE(allgatherv_count),
    MISTAKE(alltoall_count),
    MISTAKE(alltoall_place),
    MISTAKE(alltoall_place_count),
    MISTAKE(alltoallv_count),
    MISTAKE(alltoallw_type),
    MISTAKE(reduce_count),
    MISTAKE(allreduce_count),
    MISTAKE(allreduce_type),
    MISTAKE(allreduce_size),
    MISTAKE(allreduce_op),
    MISTAKE(reduce_op),
    MISTAKE(user_op),
    MISTAKE(commuting_op),
    MISTAKE(scan_count),
    MISTAKE(exscan_op),
    MISTAKE(scan_or_exscan),
    MISTAKE(reduce_scatter_counts),
    MISTAKE(reduce_scatter_total),
    MISTAKE(reduce_scatter_block_count),
};

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    return make_mistakes(argc, argv, mistakes, sizeof mistakes / sizeof *mistakes);
}
