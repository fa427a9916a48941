/* The large-count collectives do what the others do, on parts of different lengths that lie apart. */
#include "mpi_check.h"

enum { N = 7 };

/* Element i of the data of rank `from` for rank `to`. */
static int item(int from, int to, int i)
{
    return 10000 * from + 100 * to + i;
}

static int *room(int length)
{
    int *data = malloc(sizeof(int) * (length + 1));
    CHECK(data);
    for (int i = 0; i <= length; i++)
        data[i] = -1;
    return data;
}

static void even(void)
{
    int size = check_size, me = check_rank, last = size - 1;
    int mine[N], *all = room(N * size), *other = room(N * size);
    for (int i = 0; i < N; i++)
        mine[i] = me == last ? item(last, 0, i) : -1;
    OK(MPI_Bcast_c(mine, N, MPI_INT, last, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++)
        CHECK(mine[i] == item(last, 0, i));

    for (int i = 0; i < N; i++)
        mine[i] = item(me, last, i);
    OK(MPI_Gather_c(mine, N, MPI_INT, all, N, MPI_INT, last, MPI_COMM_WORLD));
    for (int i = 0; i < N * size; i++)
        CHECK(all[i] == (me == last ? item(i / N, last, i % N) : -1));
    for (int i = 0; i < N * size; i++)
        all[i] = item(last, i / N, i % N);
    OK(MPI_Scatter_c(all, N, MPI_INT, mine, N, MPI_INT, last, MPI_COMM_WORLD));
    for (int i = 0; i < N; i++)
        CHECK(mine[i] == item(last, me, i));

    for (int i = 0; i < N; i++)
        mine[i] = item(me, 0, i);
    OK(MPI_Allgather_c(mine, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < N * size; i++)
        CHECK(all[i] == item(i / N, 0, i % N));
    for (int i = 0; i < N * size; i++)
        all[i] = item(me, i / N, i % N);
    OK(MPI_Alltoall_c(all, N, MPI_INT, other, N, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < N * size; i++)
        CHECK(other[i] == item(i / N, me, i % N));
    free(all), free(other);
}

/* Rank r has r elements for everybody, each part at twice its even place. */
static void uneven(void)
{
    int size = check_size, me = check_rank, width = 2 * size, length = width * size;
    int *out = room(length), *in = room(length);
    MPI_Count *mine = calloc(size, sizeof *mine), *theirs = calloc(size, sizeof *theirs);
    MPI_Aint *displs = calloc(size, sizeof *displs), *bytes = calloc(size, sizeof *bytes);
    MPI_Datatype *types = calloc(size, sizeof *types);
    for (int r = 0; r < size; r++) {
        mine[r] = me, theirs[r] = r, displs[r] = r * width, bytes[r] = displs[r] * sizeof(int), types[r] = MPI_INT;
        for (int i = 0; i < me; i++)
            out[r * width + i] = item(me, r, i);
    }
    OK(MPI_Alltoallv_c(out, mine, displs, MPI_INT, in, theirs, displs, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < length; i++)
        CHECK(in[i] == (i % width < i / width ? item(i / width, me, i % width) : -1));
    memset(in, 0xff, length * sizeof(int));
    OK(MPI_Alltoallw_c(out, mine, bytes, types, in, theirs, bytes, types, MPI_COMM_WORLD));
    for (int i = 0; i < length; i++)
        CHECK(in[i] == (i % width < i / width ? item(i / width, me, i % width) : -1));

    memset(in, 0xff, length * sizeof(int));
    OK(MPI_Gatherv_c(out, me, MPI_INT, in, theirs, displs, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < length; i++)
        CHECK(in[i] == (me == 0 && i % width < i / width ? item(i / width, 0, i % width) : -1));
    int part[N * 8] = {0};
    for (int i = 0; i < length; i++)
        in[i] = item(0, i / width, i % width);
    CHECK(me <= N * 8);
    OK(MPI_Scatterv_c(in, theirs, displs, MPI_INT, part, me, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < N * 8; i++)
        CHECK(part[i] == (i < me ? item(0, me, i) : 0));
    memset(in, 0xff, length * sizeof(int));
    OK(MPI_Allgatherv_c(out + me * width, me, MPI_INT, in, theirs, displs, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < length; i++)
        CHECK(in[i] == (i % width < i / width ? item(i / width, i / width, i % width) : -1));
    free(out), free(in), free(mine), free(theirs), free(displs), free(bytes), free(types);
}

static void reductions(void)
{
    int size = check_size, me = check_rank, total = size * (size - 1) / 2;
    long mine[2] = {me, 2 * me}, got[2] = {-1, -1};
    OK(MPI_Reduce_c(mine, got, 2, MPI_LONG, MPI_SUM, size - 1, MPI_COMM_WORLD));
    CHECK(me == size - 1 ? got[0] == total && got[1] == 2 * total : got[0] == -1);
    OK(MPI_Allreduce_c(mine, got, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK(got[0] == total && got[1] == 2 * total);
    OK(MPI_Scan_c(mine, got, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK(got[0] == me * (me + 1) / 2 && got[1] == me * (me + 1));
    got[0] = got[1] = -1;
    OK(MPI_Exscan_c(mine, got, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK(me == 0 ? got[0] == -1 : got[0] == me * (me - 1) / 2);
    got[0] = 5, got[1] = 7;
    OK(MPI_Reduce_local_c(mine, got, 2, MPI_LONG, MPI_SUM));
    CHECK(got[0] == 5 + me && got[1] == 7 + 2 * me);

    long *all = malloc(2 * size * sizeof *all), sum = -1, two[2];
    MPI_Count *counts = malloc(size * sizeof *counts);
    for (int r = 0; r < size; r++)
        all[2 * r] = me + r, all[2 * r + 1] = me * r, counts[r] = r == 0 ? 2 : 1;
    OK(MPI_Reduce_scatter_block_c(all, two, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK(two[0] == total + (long)size * me && two[1] == (long)total * me);
    /* Rank 0 gets the first two elements, every other rank the next one. */
    OK(MPI_Reduce_scatter_c(all, me ? &sum : two, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    if (me == 0)
        CHECK(two[0] == total && two[1] == 0);
    else
        CHECK(sum == ((me + 1) % 2 ? (long)total * ((me + 1) / 2) : total + (long)size * ((me + 1) / 2)));
    free(all), free(counts);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    even();
    uneven();
    reductions();
    return check_end();
}
