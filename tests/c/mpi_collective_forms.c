/* Every collective in its nonblocking and its persistent form, with int and with large counts: all of them are under
 * way at the same time, and are completed in different ways. */
#include "mpi_check.h"

enum form { NONBLOCKING, NONBLOCKING_LARGE, PERSISTENT, PERSISTENT_LARGE, FORMS };
enum op {
    BARRIER, BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW,
    REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN, OPS
};

static int size, me, root, n;
static int *in[OPS], *out[OPS];
static MPI_Request requests[OPS];

/* Counts and displacements: what a rank gives in all, what it exchanges with another. */
static int counts[64], displs[64], exchanged[64], bytes[64];
static MPI_Count large_counts[64], large_exchanged[64];
static MPI_Aint large_displs[64], large_bytes[64];
static MPI_Datatype types[64];

/* Starts an operation, or sets it up, in one of the forms. `ARGS` and `LARGE` are its arguments, in parentheses. */
#define LIST(...) __VA_ARGS__
#define BEGIN(OP, i, I, ARGS, LARGE)                                                              \
    switch (form) {                                                                               \
    case NONBLOCKING: OK(MPI_I##i(LIST ARGS, &requests[OP])); break;                              \
    case NONBLOCKING_LARGE: OK(MPI_I##i##_c(LIST LARGE, &requests[OP])); break;                   \
    case PERSISTENT: OK(MPI_##I##_init(LIST ARGS, MPI_INFO_NULL, &requests[OP])); break;          \
    default: OK(MPI_##I##_init_c(LIST LARGE, MPI_INFO_NULL, &requests[OP])); break;               \
    }
#define BEGIN_EVEN(OP, i, I, ...) BEGIN(OP, i, I, (__VA_ARGS__), (__VA_ARGS__))

static int value(int round, int op, int rank, int i)
{
    return (round * 31 + op) * 1000003 + rank * 10007 + i;
}

static int total(int round, int op, int first, int end, int i)
{
    unsigned sum = 0;
    for (int rank = first; rank < end; rank++)
        sum += (unsigned)value(round, op, rank, i);
    return (int)sum;
}

static void fill(int round)
{
    for (int op = 0; op < OPS; op++)
        for (int i = 0; i < (n + 1) * size; i++) {
            in[op][i] = value(round, op, me, i);
            out[op][i] = -1;
        }
}

static void begin(enum form form)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    if (form < PERSISTENT)
        OK(MPI_Ibarrier(comm, &requests[BARRIER]));
    else
        OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &requests[BARRIER]));
    BEGIN_EVEN(BCAST, bcast, Bcast, in[BCAST], n, MPI_INT, root, comm)
    BEGIN_EVEN(GATHER, gather, Gather, in[GATHER], n, MPI_INT, out[GATHER], n, MPI_INT, root, comm)
    BEGIN(GATHERV, gatherv, Gatherv,
          (in[GATHERV], counts[me], MPI_INT, out[GATHERV], counts, displs, MPI_INT, root, comm),
          (in[GATHERV], counts[me], MPI_INT, out[GATHERV], large_counts, large_displs, MPI_INT, root, comm))
    BEGIN_EVEN(SCATTER, scatter, Scatter, in[SCATTER], n, MPI_INT, out[SCATTER], n, MPI_INT, root, comm)
    BEGIN(SCATTERV, scatterv, Scatterv,
          (in[SCATTERV], counts, displs, MPI_INT, out[SCATTERV], counts[me], MPI_INT, root, comm),
          (in[SCATTERV], large_counts, large_displs, MPI_INT, out[SCATTERV], counts[me], MPI_INT, root, comm))
    BEGIN_EVEN(ALLGATHER, allgather, Allgather, in[ALLGATHER], n, MPI_INT, out[ALLGATHER], n, MPI_INT, comm)
    BEGIN(ALLGATHERV, allgatherv, Allgatherv,
          (in[ALLGATHERV], counts[me], MPI_INT, out[ALLGATHERV], counts, displs, MPI_INT, comm),
          (in[ALLGATHERV], counts[me], MPI_INT, out[ALLGATHERV], large_counts, large_displs, MPI_INT, comm))
    BEGIN_EVEN(ALLTOALL, alltoall, Alltoall, in[ALLTOALL], n, MPI_INT, out[ALLTOALL], n, MPI_INT, comm)
    BEGIN(ALLTOALLV, alltoallv, Alltoallv,
          (in[ALLTOALLV], exchanged, displs, MPI_INT, out[ALLTOALLV], exchanged, displs, MPI_INT, comm),
          (in[ALLTOALLV], large_exchanged, large_displs, MPI_INT, out[ALLTOALLV], large_exchanged, large_displs,
           MPI_INT, comm))
    BEGIN(ALLTOALLW, alltoallw, Alltoallw,
          (in[ALLTOALLW], exchanged, bytes, types, out[ALLTOALLW], exchanged, bytes, types, comm),
          (in[ALLTOALLW], large_exchanged, large_bytes, types, out[ALLTOALLW], large_exchanged, large_bytes, types,
           comm))
    BEGIN_EVEN(REDUCE, reduce, Reduce, in[REDUCE], out[REDUCE], n, MPI_INT, MPI_SUM, root, comm)
    BEGIN_EVEN(ALLREDUCE, allreduce, Allreduce, in[ALLREDUCE], out[ALLREDUCE], n, MPI_INT, MPI_SUM, comm)
    BEGIN(REDUCE_SCATTER, reduce_scatter, Reduce_scatter,
          (in[REDUCE_SCATTER], out[REDUCE_SCATTER], counts, MPI_INT, MPI_SUM, comm),
          (in[REDUCE_SCATTER], out[REDUCE_SCATTER], large_counts, MPI_INT, MPI_SUM, comm))
    BEGIN_EVEN(REDUCE_SCATTER_BLOCK, reduce_scatter_block, Reduce_scatter_block, in[REDUCE_SCATTER_BLOCK],
               out[REDUCE_SCATTER_BLOCK], n, MPI_INT, MPI_SUM, comm)
    BEGIN_EVEN(SCAN, scan, Scan, in[SCAN], out[SCAN], n, MPI_INT, MPI_SUM, comm)
    BEGIN_EVEN(EXSCAN, exscan, Exscan, in[EXSCAN], out[EXSCAN], n, MPI_INT, MPI_SUM, comm)
}

/* Completes all operations, in a way that depends on the round. */
static void complete(int round)
{
    int index, flag = 0, found[OPS], several = 0;
    switch (round % 4) {
    case 0:
        OK(MPI_Waitall(OPS, requests, MPI_STATUSES_IGNORE));
        break;
    case 1:
        for (index = OPS; index-- > 0;)
            OK(MPI_Wait(&requests[index], MPI_STATUS_IGNORE));
        break;
    case 2:
        for (int left = OPS; left > 0; left--)
            OK(MPI_Waitany(OPS, requests, &index, MPI_STATUS_IGNORE));
        OK(MPI_Testall(OPS, requests, &flag, MPI_STATUSES_IGNORE));
        CHECK(flag);
        break;
    default:
        for (int left = OPS; left > 0; left -= several)
            OK(MPI_Testsome(OPS, requests, &several, found, MPI_STATUSES_IGNORE));
    }
}

static void check(int round)
{
    for (int i = 0; i < n; i++) {
        CHECK(in[BCAST][i] == value(round, BCAST, root, i));
        CHECK(out[SCATTER][i] == value(round, SCATTER, root, me * n + i));
        CHECK(out[REDUCE][i] == (me == root ? total(round, REDUCE, 0, size, i) : -1));
        CHECK(out[ALLREDUCE][i] == total(round, ALLREDUCE, 0, size, i));
        CHECK(out[REDUCE_SCATTER_BLOCK][i] == total(round, REDUCE_SCATTER_BLOCK, 0, size, me * n + i));
        CHECK(out[SCAN][i] == total(round, SCAN, 0, me + 1, i));
        CHECK(out[EXSCAN][i] == (me == 0 ? -1 : total(round, EXSCAN, 0, me, i)));
    }
    int before = 0;
    for (int rank = 0; rank < size; rank++) {
        for (int i = 0; i < n; i++) {
            int at = rank * n + i;
            CHECK(out[GATHER][at] == (me == root ? value(round, GATHER, rank, i) : -1));
            CHECK(out[ALLGATHER][at] == value(round, ALLGATHER, rank, i));
            CHECK(out[ALLTOALL][at] == value(round, ALLTOALL, rank, me * n + i));
        }
        for (int i = 0; i <= n; i++) {
            int at = displs[rank] + i, own = displs[me] + i;
            int given = i < counts[rank], swapped = i < exchanged[rank];
            CHECK(out[GATHERV][at] == (me == root && given ? value(round, GATHERV, rank, i) : -1));
            CHECK(out[ALLGATHERV][at] == (given ? value(round, ALLGATHERV, rank, i) : -1));
            CHECK(out[ALLTOALLV][at] == (swapped ? value(round, ALLTOALLV, rank, own) : -1));
            CHECK(out[ALLTOALLW][at] == (swapped ? value(round, ALLTOALLW, rank, own) : -1));
        }
        before += rank < me ? counts[rank] : 0;
    }
    for (int i = 0; i <= n; i++) {
        CHECK(out[SCATTERV][i] == (i < counts[me] ? value(round, SCATTERV, root, displs[me] + i) : -1));
        CHECK(out[REDUCE_SCATTER][i] == (i < counts[me] ? total(round, REDUCE_SCATTER, 0, size, before + i) : -1));
    }
}

static void test(enum form form, int elements)
{
    n = elements;
    root = (form + elements) % size;
    for (int op = 0; op < OPS; op++) {
        in[op] = malloc(((n + 1) * size + 1) * sizeof(int));
        out[op] = malloc(((n + 1) * size + 1) * sizeof(int));
        CHECK(in[op] && out[op]);
    }
    for (int rank = 0; rank < size; rank++) {
        large_counts[rank] = counts[rank] = n + rank % 2;
        large_exchanged[rank] = exchanged[rank] = n + (rank + me) % 2;
        large_displs[rank] = displs[rank] = rank * (n + 1);
        large_bytes[rank] = bytes[rank] = rank * (n + 1) * (int)sizeof(int);
        types[rank] = MPI_INT;
    }
    fill(0);
    begin(form);
    for (int round = 0; round < 5; round++) {
        if (form >= PERSISTENT) {
            fill(round);
            OK(MPI_Startall(OPS, requests));
        } else if (round > 0) {
            fill(round);
            begin(form);
        }
        complete(round);
        check(round);
    }
    for (int op = 0; op < OPS; op++) {
        if (form >= PERSISTENT)
            OK(MPI_Request_free(&requests[op]));
        CHECK(requests[op] == MPI_REQUEST_NULL);
        free(in[op]);
        free(out[op]);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    size = check_size;
    me = check_rank;
    for (int form = 0; form < FORMS; form++) {
        test(form, 0);
        test(form, 3);
        test(form, 2000);
    }
    return check_end();
}
