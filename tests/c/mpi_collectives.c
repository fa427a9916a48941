/* The collectives that move data, with and without MPI_IN_PLACE, at each root, short and long, even and uneven. */
#include "mpi_check.h"

static int *room(int n)
{
    int *data = malloc((n + 1) * sizeof *data);
    CHECK(data);
    for (int i = 0; i <= n; i++)
        data[i] = -1;
    return data;
}

/* Element i of the data of rank `from` for rank `to`. */
static int item(int from, int to, int i)
{
    return from * 1000003 + to * 101 + i;
}

static void even(int n)
{
    int size = check_size, me = check_rank;
    int *mine = room(n), *all = room(n * size), *others = room(n * size);
    for (int root = 0; root < size; root += 1 + size / 3) {
        for (int i = 0; i < n; i++)
            mine[i] = me == root ? item(root, 0, i) : -1;
        OK(MPI_Bcast(mine, n, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(mine[i] == item(root, 0, i));

        for (int place = 0; place < 2; place++) {
            int in_place = place && me == root;
            for (int i = 0; i < n * size; i++)
                all[i] = -1;
            for (int i = 0; i < n; i++)
                mine[i] = item(me, root, i);
            if (in_place)
                memcpy(all + root * n, mine, n * sizeof(int));
            OK(MPI_Gather(in_place ? MPI_IN_PLACE : mine, n, MPI_INT, me == root ? all : NULL, n, MPI_INT, root,
                          MPI_COMM_WORLD));
            for (int i = 0; me == root && i < n * size; i++)
                CHECK(all[i] == item(i / n, root, i % n));

            for (int i = 0; i < n * size; i++)
                all[i] = me == root ? item(root, i / n, i % n) : -1;
            memset(mine, 0xff, n * sizeof(int));
            OK(MPI_Scatter(me == root ? all : NULL, n, MPI_INT, in_place ? MPI_IN_PLACE : mine, n, MPI_INT, root,
                           MPI_COMM_WORLD));
            for (int i = 0; !in_place && i < n; i++)
                CHECK(mine[i] == item(root, me, i));
        }
    }
    for (int place = 0; place < 2; place++) {
        for (int i = 0; i < n * size; i++)
            all[i] = -1;
        for (int i = 0; i < n; i++)
            mine[i] = all[me * n + i] = item(me, 0, i);
        OK(MPI_Allgather(place ? MPI_IN_PLACE : mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD));
        for (int i = 0; i < n * size; i++)
            CHECK(all[i] == item(i / n, 0, i % n));

        for (int i = 0; i < n * size; i++)
            all[i] = item(me, i / n, i % n), others[i] = -1;
        OK(place ? MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD)
                 : MPI_Alltoall(all, n, MPI_INT, others, n, MPI_INT, MPI_COMM_WORLD));
        for (int i = 0; i < n * size; i++)
            CHECK((place ? all : others)[i] == item(i / n, me, i % n));
    }
    CHECK(mine[n] == -1 && all[n * size] == -1 && others[n * size] == -1);
    free(mine);
    free(all);
    free(others);
}

/* Rank r has r % 3 * n elements; the parts lie in reverse order with gaps of one element. */
static void uneven(int n)
{
    int size = check_size, me = check_rank, total = size;
    int *counts = room(size), *displs = room(size), *bytes = room(size);
    MPI_Datatype *types = malloc(size * sizeof *types);
    for (int r = size - 1, at = 0; r >= 0; r--) {
        counts[r] = r % 3 * n;
        displs[r] = at;
        bytes[r] = at * (int)sizeof(int);
        types[r] = MPI_INT;
        at += counts[r] + 1;
        total += counts[r];
    }
    int own = counts[me], *mine = room(own), *all = room(total), *others = room(total);
    for (int root = 0; root < size; root += 1 + size / 2) {
        for (int i = 0; i < total; i++)
            all[i] = -1;
        for (int i = 0; i < own; i++)
            mine[i] = item(me, root, i);
        OK(MPI_Gatherv(mine, own, MPI_INT, all, counts, displs, MPI_INT, root, MPI_COMM_WORLD));
        for (int r = 0; me == root && r < size; r++) {
            for (int i = 0; i < counts[r]; i++)
                CHECK(all[displs[r] + i] == item(r, root, i));
            CHECK(all[displs[r] + counts[r]] == -1);
        }
        for (int r = 0; r < size; r++)
            for (int i = 0; i < counts[r]; i++)
                all[displs[r] + i] = item(root, r, i);
        memset(mine, 0xff, own * sizeof(int));
        OK(MPI_Scatterv(all, counts, displs, MPI_INT, mine, own, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; i < own; i++)
            CHECK(mine[i] == item(root, me, i));
    }
    for (int place = 0; place < 2; place++) {
        memset(all, 0xff, total * sizeof(int));
        for (int i = 0; i < own; i++)
            mine[i] = all[displs[me] + i] = item(me, 0, i);
        OK(MPI_Allgatherv(place ? MPI_IN_PLACE : mine, own, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < size; r++)
            for (int i = 0; i < counts[r]; i++)
                CHECK(all[displs[r] + i] == item(r, 0, i));
    }
    /* To each rank as many as it sends here: (me + r) % 3 * n. */
    total = size;
    for (int r = size - 1, at = 0; r >= 0; r--) {
        counts[r] = (me + r) % 3 * n;
        displs[r] = at;
        bytes[r] = at * (int)sizeof(int);
        at += counts[r] + 1;
        total += counts[r];
    }
    free(all);
    free(others);
    all = room(total);
    others = room(total);
    for (int form = 0; form < 4; form++) {
        for (int r = 0; r < size; r++)
            for (int i = 0; i < counts[r]; i++)
                all[displs[r] + i] = item(me, r, i);
        memset(others, 0xff, total * sizeof(int));
        switch (form) {
        case 0:
            OK(MPI_Alltoallv(all, counts, displs, MPI_INT, others, counts, displs, MPI_INT, MPI_COMM_WORLD));
            break;
        case 1:
            OK(MPI_Alltoallw(all, counts, bytes, types, others, counts, bytes, types, MPI_COMM_WORLD));
            break;
        case 2:
            OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD));
            break;
        case 3:
            OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, bytes, types, MPI_COMM_WORLD));
            break;
        }
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < counts[r]; i++)
                CHECK((form < 2 ? others : all)[displs[r] + i] == item(r, me, i));
            CHECK(others[displs[r] + counts[r]] == -1);
        }
    }
    free(mine);
    free(all);
    free(others);
    free(counts);
    free(displs);
    free(bytes);
    free(types);
}

/* A program may free the arrays of a persistent collective once it is set up. */
static void arrays_of_the_past(void)
{
    int *mine = malloc(sizeof *mine), *all = malloc(check_size * sizeof *all);
    int *counts = malloc(check_size * sizeof *counts), *displs = malloc(check_size * sizeof *displs);
    MPI_Request request;
    for (int i = 0; i < check_size; i++) {
        counts[i] = 1;
        displs[i] = check_size - 1 - i;
    }
    *mine = check_rank;
    OK(MPI_Allgatherv_init(mine, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    memset(counts, 0x7f, check_size * sizeof *counts);
    memset(displs, 0x7f, check_size * sizeof *displs);
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < check_size; i++)
        CHECK(all[check_size - 1 - i] == i);
    OK(MPI_Request_free(&request));
    free(mine), free(all), free(counts), free(displs);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int n = 1; n < 30000; n = n * 5 + 3) {
        even(n);
        uneven(n);
    }
    even(0);
    /* Many in a row, on communicators that overlap. */
    MPI_Comm half;
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
    for (int i = 0; i < 500; i++) {
        int value = i + check_rank, least;
        OK(MPI_Bcast(&value, 1, MPI_INT, i % check_size, MPI_COMM_WORLD));
        CHECK(value == i + i % check_size);
        OK(MPI_Barrier(half));
        OK(MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, half));
        CHECK(least == value);
    }
    OK(MPI_Comm_free(&half));
    arrays_of_the_past();
    return check_end();
}
