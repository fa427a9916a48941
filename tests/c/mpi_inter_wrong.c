/* Wrong calls of collectives on inter-communicators: each is an error at all ranks, and the next call works. */
#include "mpi_inter.h"

static struct inter it;

/* Both groups meet again as if nothing had happened. */
static void works(void)
{
    int sum = -1;
    OK(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, it.comm));
    CHECK(sum == it.remote);
}

static void roots(void)
{
    int one = 1, all[MAX_RANKS];
    int here = it.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    /* Out of range, and special values that there are not. */
    FAILS(MPI_Bcast(&one, 1, MPI_INT, it.remote, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&one, 1, MPI_INT, MPI_ANY_SOURCE, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&one, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&one, 1, MPI_INT, MPI_PROC_NULL, MPI_COMM_WORLD), MPI_ERR_ROOT);
    works();
    /* A root in each group; none; ranks of both groups; all of a group. */
    FAILS(MPI_Bcast(&one, 1, MPI_INT, here, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&one, 1, MPI_INT, MPI_PROC_NULL, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&one, 1, MPI_INT, 0, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&one, 1, MPI_INT, MPI_ROOT, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, here, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Scatter(all, 1, MPI_INT, &one, 1, MPI_INT, MPI_PROC_NULL, it.comm), MPI_ERR_ROOT);
    FAILS(MPI_Reduce(&one, all, 1, MPI_INT, MPI_SUM, 0, it.comm), MPI_ERR_ROOT);
    works();
    /* The left group says that its first rank is the root, the right one means its last. */
    int last = size_of(&it, 1) - 1;
    if (last > 0) {
        FAILS(MPI_Bcast(&one, 1, MPI_INT, it.left ? here : last, it.comm), MPI_ERR_ROOT);
        FAILS(MPI_Reduce(&one, all, 1, MPI_INT, MPI_SUM, it.left ? here : last, it.comm), MPI_ERR_ROOT);
        works();
    }
}

static void in_place(void)
{
    int all[MAX_RANKS], counts[MAX_RANKS], displs[MAX_RANKS] = {0};
    void *same = MPI_IN_PLACE;
    MPI_Comm comm = it.comm;
    int root = root_of(&it, 1, 0);
    for (int r = 0; r < MAX_RANKS; r++)
        counts[r] = 1;
    FAILS(MPI_Allreduce(same, all, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_scatter(same, all, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_scatter_block(same, all, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Allgather(same, 1, MPI_INT, all, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Allgatherv(same, 1, MPI_INT, all, counts, displs, MPI_INT, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoall(same, 1, MPI_INT, all, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoallv(same, counts, displs, MPI_INT, all, counts, displs, MPI_INT, comm), MPI_ERR_BUFFER);
    /* The special address means nothing where no buffer does. */
    OK(MPI_Gather(it.left ? same : &root, 1, MPI_INT, it.left ? all : same, 1, MPI_INT, root, comm));
    works();
}

/* Ranks of the right group have less room than the left one gives: at least they are told. */
static void cut_off(int code)
{
    if (it.left && code == MPI_SUCCESS)
        return;
    FAILS(code, MPI_ERR_TRUNCATE);
}

static void counts(void)
{
    static int some[4 * MAX_RANKS], room[4 * MAX_RANKS];
    int more = it.left ? 2 : 1, root = root_of(&it, 1, 0), counts[MAX_RANKS];
    MPI_Comm comm = it.comm;
    cut_off(MPI_Bcast(some, more, MPI_INT, root, comm));
    cut_off(MPI_Scatter(some, 2, MPI_INT, room, 1, MPI_INT, root, comm));
    cut_off(MPI_Allgather(some, more, MPI_INT, room, 1, MPI_INT, comm));
    cut_off(MPI_Alltoall(some, more, MPI_INT, room, 1, MPI_INT, comm));
    works();
    cut_off(MPI_Allreduce(some, room, more, MPI_INT, MPI_SUM, comm));
    for (int r = 0; r < MAX_RANKS; r++)
        counts[r] = more;
    counts[0] = more * (it.remote * it.local - it.local + 1);
    /* The groups give different numbers of elements. */
    FAILS(MPI_Reduce_scatter(some, room, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_TRUNCATE);
    works();
    FAILS(MPI_Allgather(some, -1, MPI_INT, room, 1, MPI_INT, comm), MPI_ERR_COUNT);
    FAILS(MPI_Allreduce(some, room, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
    FAILS(MPI_Allreduce(some, room, 1, MPI_FLOAT, MPI_BAND, comm), MPI_ERR_OP);
    FAILS(MPI_Alltoall(some, 1, MPI_DATATYPE_NULL, room, 1, MPI_INT, comm), MPI_ERR_TYPE);
    works();
}

/* Calls that the standard does not define on two groups. */
static void undefined(void)
{
    int one = 1, result;
    FAILS(MPI_Scan(&one, &result, 1, MPI_INT, MPI_SUM, it.comm), MPI_ERR_COMM);
    FAILS(MPI_Exscan(&one, &result, 1, MPI_INT, MPI_SUM, it.comm), MPI_ERR_COMM);
    works();
}

/* The groups are in different calls. */
static void calls(void)
{
    int one = 1, result, root = root_of(&it, 1, 0);
    FAILS(it.left ? MPI_Barrier(it.comm) : MPI_Allreduce(&one, &result, 1, MPI_INT, MPI_SUM, it.comm), MPI_ERR_OTHER);
    FAILS(it.left ? MPI_Bcast(&one, 1, MPI_INT, root, it.comm)
                  : MPI_Reduce(&one, &result, 1, MPI_INT, MPI_SUM, root, it.comm), MPI_ERR_OTHER);
    works();
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int shape = 0; check_size > 1 && shape < SHAPES; shape++) {
        make_inter(shape, &it);
        OK(MPI_Comm_set_errhandler(it.comm, MPI_ERRORS_RETURN));
        works();
        roots();
        in_place();
        counts();
        undefined();
        calls();
        OK(MPI_Comm_free(&it.comm));
    }
    return check_end();
}
