/* Collectives of neighbours on topologies of all kinds against messages along the same edges: even and uneven parts,
   datatypes, borders of grids, short rings, edges that are there several times, ranks without edges, errors. */
#include "neighbors.h"

/* Every rank sends n ints; c says whether the functions with large counts are called. */
static void even(const struct edges *e, int n, int c)
{
    int *mine = neighbor_room(n * e->out), *got = neighbor_room(n * e->in), *expected = neighbor_room(n * e->in);
    int most = e->in > e->out ? e->in : e->out;
    int *counts = neighbor_room(most), *places = neighbor_room(most), *zeros = calloc(most + 1, sizeof(int));
    for (int k = 0; k < most; k++)
        counts[k] = n, places[k] = k * n;
    for (int k = 0; k < e->out; k++)
        for (int i = 0; i < n; i++)
            mine[k * n + i] = neighbor_item(e->rank, k, i);

    along_edges(e, mine, counts, places, expected, counts, places);
    OK(c ? MPI_Neighbor_alltoall_c(mine, n, MPI_INT, got, n, MPI_INT, e->comm)
         : MPI_Neighbor_alltoall(mine, n, MPI_INT, got, n, MPI_INT, e->comm));
    CHECK(!memcmp(got, expected, (n * e->in + 1) * sizeof(int)));

    memset(got, 0xff, n * e->in * sizeof(int)), memset(expected, 0xff, n * e->in * sizeof(int));
    along_edges(e, mine, counts, zeros, expected, counts, places);
    OK(c ? MPI_Neighbor_allgather_c(mine, n, MPI_INT, got, n, MPI_INT, e->comm)
         : MPI_Neighbor_allgather(mine, n, MPI_INT, got, n, MPI_INT, e->comm));
    CHECK(!memcmp(got, expected, (n * e->in + 1) * sizeof(int)));
    free(mine), free(got), free(expected), free(counts), free(places), free(zeros);
}

/* Parts of edge after edge in reverse order, with gaps of one int: where they lie, and the ints that they take. */
static int reversed(int edges, const int *counts, int *displs)
{
    int total = 0;
    for (int k = edges - 1; k >= 0; k--) {
        displs[k] = total;
        total += counts[k] + 1;
    }
    return total;
}

/* Uneven parts, as many as neighbor_count says for each edge; n is even, so that parts are whole pairs of ints or none
   of them is a pair. */
static void uneven(const struct edges *e, int n, int c)
{
    int *counts = neighbor_room(e->out), *displs = neighbor_room(e->out);
    int *in_counts = neighbor_room(e->in), *in_displs = neighbor_room(e->in);
    for (int k = 0; k < e->out; k++)
        counts[k] = neighbor_count(e->rank, k, n);
    memset(in_counts, 0, e->in * sizeof(int));
    numbers_along_edges(e, counts, in_counts);
    int sent = reversed(e->out, counts, displs), received = reversed(e->in, in_counts, in_displs);
    int *mine = neighbor_room(sent), *got = neighbor_room(received), *expected = neighbor_room(received);
    for (int k = 0; k < e->out; k++)
        for (int i = 0; i < counts[k]; i++)
            mine[displs[k] + i] = neighbor_item(e->rank, k, i);
    along_edges(e, mine, counts, displs, expected, in_counts, in_displs);

    int most = e->in > e->out ? e->in : e->out;
    MPI_Count *large = calloc(2 * most + 1, sizeof *large), *large_in = large + most;
    MPI_Aint *far = calloc(2 * most + 1, sizeof *far), *far_in = far + most;
    for (int k = 0; k < e->out; k++)
        large[k] = counts[k], far[k] = displs[k];
    for (int k = 0; k < e->in; k++)
        large_in[k] = in_counts[k], far_in[k] = in_displs[k];
    OK(c ? MPI_Neighbor_alltoallv_c(mine, large, far, MPI_INT, got, large_in, far_in, MPI_INT, e->comm)
         : MPI_Neighbor_alltoallv(mine, counts, displs, MPI_INT, got, in_counts, in_displs, MPI_INT, e->comm));
    CHECK(!memcmp(got, expected, (received + 1) * sizeof(int)));

    /* Sent as pairs where the parts are such, received as ints at absolute addresses. */
    memset(got, 0xff, received * sizeof(int));
    MPI_Datatype pair, *types = malloc((2 * most + 1) * sizeof *types), *types_in = types + most;
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    for (int k = 0; k < e->out; k++) {
        int pairs = counts[k] % 2 == 0;
        types[k] = pairs ? pair : MPI_INT;
        large[k] = counts[k] = pairs ? counts[k] / 2 : counts[k];
        far[k] = displs[k] * (MPI_Aint)sizeof(int);
    }
    for (int k = 0; k < e->in; k++) {
        types_in[k] = MPI_INT;
        OK(MPI_Get_address(got + in_displs[k], &far_in[k]));
    }
    OK(c ? MPI_Neighbor_alltoallw_c(mine, large, far, types, MPI_BOTTOM, large_in, far_in, types_in, e->comm)
         : MPI_Neighbor_alltoallw(mine, counts, far, types, MPI_BOTTOM, in_counts, far_in, types_in, e->comm));
    OK(MPI_Type_free(&pair));
    CHECK(!memcmp(got, expected, (received + 1) * sizeof(int)));
    free(counts), free(displs), free(in_counts), free(in_displs), free(mine), free(got), free(expected);
    free(large), free(far), free(types);
}

/* Every rank sends as many ints as its rank says, every other one of its buffer. */
static void uneven_gather(const struct edges *e, int n, int c)
{
    int own = e->rank % 3 * n, sent = 0, *in_counts = calloc(e->in + 1, sizeof(int));
    int *in_displs = neighbor_room(e->in), *displs = calloc(e->out + 1, sizeof(int)), *counts = neighbor_room(e->out);
    for (int k = 0; k < e->out; k++)
        counts[k] = own;
    numbers_along_edges(e, counts, in_counts);
    int received = reversed(e->in, in_counts, in_displs);
    int *mine = neighbor_room(own), *apart = neighbor_room(2 * own);
    int *got = neighbor_room(received), *expected = neighbor_room(received);
    for (; sent < own; sent++)
        mine[sent] = apart[2 * sent] = neighbor_item(e->rank, 0, sent);
    along_edges(e, mine, counts, displs, expected, in_counts, in_displs);

    MPI_Datatype other;
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &other));
    OK(MPI_Type_commit(&other));
    MPI_Count *large = calloc(e->in + 1, sizeof *large);
    MPI_Aint *far = calloc(e->in + 1, sizeof *far);
    for (int k = 0; k < e->in; k++)
        large[k] = in_counts[k], far[k] = in_displs[k];
    OK(c ? MPI_Neighbor_allgatherv_c(apart, own, other, got, large, far, MPI_INT, e->comm)
         : MPI_Neighbor_allgatherv(apart, own, other, got, in_counts, in_displs, MPI_INT, e->comm));
    OK(MPI_Type_free(&other));
    CHECK(!memcmp(got, expected, (received + 1) * sizeof(int)));
    free(in_counts), free(in_displs), free(displs), free(counts), free(mine), free(apart), free(got), free(expected);
    free(large), free(far);
}

static void all_sizes(const struct edges *e)
{
    static const int sizes[] = {0, 1, 6, LONGEST};
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < 2; c++) {
            even(e, sizes[s], c);
            uneven(e, sizes[s], c);
            uneven_gather(e, sizes[s], c);
        }
}

/* A ring of one or two: what goes up comes from below. */
static void short_ring(int size)
{
    MPI_Comm ring;
    int periodic = 1, rank, sent[2], got[2] = {-1, -1};
    if (check_size < size)
        return;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 1, &ring));
    if (ring == MPI_COMM_NULL)
        return;
    OK(MPI_Comm_rank(ring, &rank));
    sent[0] = 10 * rank, sent[1] = 10 * rank + 1;
    OK(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, ring));
    int other = 10 * (size - 1 - rank);
    CHECK(got[0] == other + 1 && got[1] == other);
    OK(MPI_Comm_free(&ring));
}

/* Nobody has neighbours: nothing is looked at but whether counts are such. */
static void nobody(void)
{
    MPI_Comm alone;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                      MPI_INFO_NULL, 0, &alone));
    OK(MPI_Neighbor_allgather(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
    OK(MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, alone));
    OK(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
    OK(MPI_Neighbor_alltoallv(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT, alone));
    OK(MPI_Neighbor_alltoallw(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, alone));
    OK(MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN));
    FAILS(MPI_Neighbor_allgather(NULL, -1, MPI_INT, NULL, 1, MPI_INT, alone), MPI_ERR_COUNT);
    OK(MPI_Comm_free(&alone));
    /* A grid without dimensions is one rank, without neighbours. */
    OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &alone));
    if (alone != MPI_COMM_NULL) {
        OK(MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone));
        OK(MPI_Comm_free(&alone));
    }
}

/* After each error the communicator works as before. */
static void errors(void)
{
    MPI_Comm world, ring, lopsided;
    int periodic = 1, sent[4] = {1, 2, 3, 4}, got[4] = {-1, -1, -1, -1}, minus[2] = {-1, 1}, ones[2] = {1, 1};
    int places[2] = {0, 1};
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Cart_create(world, 1, &check_size, &periodic, 0, &ring));
    FAILS(MPI_Neighbor_allgather(sent, 1, MPI_INT, got, 1, MPI_INT, world), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Neighbor_alltoallw(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, world), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    FAILS(MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, got, 1, MPI_INT, ring), MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_alltoallv(MPI_IN_PLACE, ones, places, MPI_INT, got, ones, places, MPI_INT, ring),
          MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_allgather(NULL, 1, MPI_INT, got, 1, MPI_INT, ring), MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_allgather(sent, 1, MPI_INT, got, -1, MPI_INT, ring), MPI_ERR_COUNT);
    FAILS(MPI_Neighbor_alltoallv(sent, minus, places, MPI_INT, got, ones, places, MPI_INT, ring), MPI_ERR_COUNT);
    FAILS(MPI_Neighbor_allgatherv(sent, 1, MPI_INT, got, NULL, places, MPI_INT, ring), MPI_ERR_ARG);
    FAILS(MPI_Neighbor_allgather(sent, 1, MPI_DATATYPE_NULL, got, 1, MPI_INT, ring), MPI_ERR_TYPE);
    /* More than there is room for. */
    FAILS(MPI_Neighbor_allgather(sent, 2, MPI_INT, got, 1, MPI_INT, ring), MPI_ERR_TRUNCATE);
    FAILS(MPI_Neighbor_alltoall(sent, 2, MPI_INT, got, 1, MPI_INT, ring), MPI_ERR_TRUNCATE);
    if (check_size > 1)
        FAILS(check_rank ? MPI_Neighbor_allgather(sent, 1, MPI_INT, got, 1, MPI_INT, ring)
                         : MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, ring),
              MPI_ERR_OTHER);
    memset(got, 0xff, sizeof got);
    OK(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, ring));
    CHECK(got[0] == 2 && got[1] == 1 && got[2] == -1);
    /* Where there is no data, there need be no datatype. */
    int none[2] = {0, 0};
    MPI_Aint at[2] = {0, 0};
    MPI_Datatype open[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    OK(MPI_Neighbor_alltoallw(NULL, none, at, open, NULL, none, at, open, ring));
    FAILS(MPI_Neighbor_alltoallw(sent, ones, at, open, got, ones, at, open, ring), MPI_ERR_TYPE);
    OK(MPI_Comm_free(&ring));

    /* Rank 0 has itself as its neighbour, and, if there are others, the last, which does not know of it. */
    int last = check_size - 1, *index = neighbor_room(check_size), edges[2] = {0, last};
    for (int node = 0; node < check_size; node++)
        index[node] = 2;
    OK(MPI_Graph_create(world, check_size, index, edges, 0, &lopsided));
    if (check_size > 1)
        for (int again = 0; again < 2; again++)
            FAILS(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, lopsided), MPI_ERR_TOPOLOGY);
    OK(MPI_Comm_free(&lopsided));
    free(index);
    if (check_size > 1) {
        MPI_Comm half, both;
        OK(MPI_Comm_split(world, check_rank % 2, 0, &half));
        OK(MPI_Intercomm_create(half, 0, world, 1 - check_rank % 2, 0, &both));
        FAILS(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, both), MPI_ERR_COMM);
        OK(MPI_Comm_free(&both));
        OK(MPI_Comm_free(&half));
    }
    OK(MPI_Comm_free(&world));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    in_all_topologies(all_sizes);
    short_ring(1);
    short_ring(2);
    nobody();
    errors();
    return check_end();
}
