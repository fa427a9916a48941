/* Collectives of neighbours under way: all nonblocking ones at a time, all persistent ones again and again, beside
   messages along the same edges, on a communicator that is freed meanwhile; errors at the start and at the end. */
#include "neighbors.h"

enum { FUNCTIONS = 10, ROUNDS = 3 };

/* The buffers of all functions for edges with so many ints. */
struct work {
    const struct edges *e;
    int n, own;
    /* Sent in parts of n ints, in parts as long as their edges are wide, and as a whole. */
    int *mine, *counts, *displs, *whole, *ones;
    int *in_counts, *in_displs, *whole_counts, *whole_displs, *evens;
    /* The same in the widths of the large functions and in bytes. */
    MPI_Count *large, *large_in, *large_whole;
    MPI_Aint *far, *far_in, *far_whole, *bytes, *bytes_in;
    MPI_Datatype *types, *types_in;
    /* The ints that each function receives, and the expected ones. */
    int *got[FUNCTIONS], *expected[FUNCTIONS], lengths[FUNCTIONS];
};

static int sum(int number, const int *counts)
{
    int total = 0;
    while (number-- > 0)
        total += counts[number];
    return total;
}

static struct work work_of(const struct edges *e, int n)
{
    int most = 1 + (e->in > e->out ? e->in : e->out);
    struct work w = {.e = e, .n = n, .own = e->rank % 3 * n};
    w.counts = neighbor_room(most), w.displs = neighbor_room(most), w.ones = neighbor_room(most);
    w.in_counts = calloc(most, sizeof(int)), w.in_displs = neighbor_room(most);
    w.whole_counts = calloc(most, sizeof(int)), w.whole_displs = neighbor_room(most);
    w.evens = neighbor_room(most), w.large = malloc(3 * most * sizeof *w.large);
    w.large_in = w.large + most, w.large_whole = w.large_in + most;
    w.far = malloc(5 * most * sizeof *w.far), w.far_in = w.far + most, w.far_whole = w.far_in + most;
    w.bytes = w.far_whole + most, w.bytes_in = w.bytes + most;
    w.types = malloc(2 * most * sizeof *w.types), w.types_in = w.types + most;
    for (int k = 0; k < most; k++)
        w.counts[k] = neighbor_count(e->rank, k, n), w.ones[k] = w.own, w.types[k] = w.types_in[k] = MPI_INT;
    numbers_along_edges(e, w.counts, w.in_counts);
    numbers_along_edges(e, w.ones, w.whole_counts);
    for (int k = 0; k < most; k++) {
        w.displs[k] = sum(k, w.counts), w.in_displs[k] = sum(k, w.in_counts);
        w.whole_displs[k] = sum(k, w.whole_counts), w.evens[k] = k * n, w.ones[k] = n;
        w.large[k] = w.counts[k], w.large_in[k] = w.in_counts[k], w.large_whole[k] = w.whole_counts[k];
        w.far[k] = w.displs[k], w.far_in[k] = w.in_displs[k], w.far_whole[k] = w.whole_displs[k];
        w.bytes[k] = w.displs[k] * (MPI_Aint)sizeof(int), w.bytes_in[k] = w.in_displs[k] * (MPI_Aint)sizeof(int);
    }
    w.mine = neighbor_room(most * n), w.whole = neighbor_room(w.own);
    int even = e->in * n, uneven = sum(e->in, w.in_counts), gathered = sum(e->in, w.whole_counts);
    int lengths[FUNCTIONS] = {even, even, even, even, gathered, gathered, uneven, uneven, uneven, uneven};
    for (int f = 0; f < FUNCTIONS; f++) {
        w.lengths[f] = lengths[f];
        w.got[f] = neighbor_room(lengths[f]), w.expected[f] = neighbor_room(lengths[f]);
    }
    return w;
}

static void work_free(struct work *w)
{
    free(w->mine), free(w->counts), free(w->displs), free(w->whole), free(w->ones), free(w->in_counts);
    free(w->in_displs), free(w->whole_counts), free(w->whole_displs), free(w->evens), free(w->large), free(w->far);
    free(w->types);
    for (int f = 0; f < FUNCTIONS; f++)
        free(w->got[f]), free(w->expected[f]);
}

/* New data for a round, and nothing received yet. */
static void fill(struct work *w, int round)
{
    for (int i = 0; i < w->e->out * w->n; i++)
        w->mine[i] = neighbor_item(w->e->rank, round, i);
    for (int i = 0; i < w->own; i++)
        w->whole[i] = neighbor_item(w->e->rank, round, -i);
    for (int f = 0; f < FUNCTIONS; f++)
        memset(w->got[f], 0xff, w->lengths[f] * sizeof(int));
}

/* The expected result, by messages. */
static void expect(struct work *w)
{
    const struct edges *e = w->e;
    int most = e->in > e->out ? e->in : e->out, *zeros = calloc(most + 1, sizeof(int)), *own = neighbor_room(most);
    for (int k = 0; k < most; k++)
        own[k] = w->own;
    for (int f = 0; f < FUNCTIONS; f++) {
        if (f < 2)
            along_edges(e, w->mine, w->ones, w->evens, w->expected[f], w->ones, w->evens);
        else if (f < 4)
            along_edges(e, w->mine, w->ones, zeros, w->expected[f], w->ones, w->evens);
        else if (f < 6)
            along_edges(e, w->whole, own, zeros, w->expected[f], w->whole_counts, w->whole_displs);
        else
            along_edges(e, w->mine, w->counts, w->displs, w->expected[f], w->in_counts, w->in_displs);
    }
    free(zeros), free(own);
}

static void compare(const struct work *w)
{
    for (int f = 0; f < FUNCTIONS; f++)
        CHECK(!memcmp(w->got[f], w->expected[f], (w->lengths[f] + 1) * sizeof(int)));
}

static void start_all(const struct work *w, MPI_Comm comm, MPI_Request *r)
{
    int n = w->n, *s = w->mine, *const *g = w->got;
    MPI_Datatype i = MPI_INT;
    OK(MPI_Ineighbor_alltoall(s, n, i, g[0], n, i, comm, &r[0]));
    OK(MPI_Ineighbor_alltoall_c(s, n, i, g[1], n, i, comm, &r[1]));
    OK(MPI_Ineighbor_allgather(s, n, i, g[2], n, i, comm, &r[2]));
    OK(MPI_Ineighbor_allgather_c(s, n, i, g[3], n, i, comm, &r[3]));
    OK(MPI_Ineighbor_allgatherv(w->whole, w->own, i, g[4], w->whole_counts, w->whole_displs, i, comm, &r[4]));
    OK(MPI_Ineighbor_allgatherv_c(w->whole, w->own, i, g[5], w->large_whole, w->far_whole, i, comm, &r[5]));
    OK(MPI_Ineighbor_alltoallv(s, w->counts, w->displs, i, g[6], w->in_counts, w->in_displs, i, comm, &r[6]));
    OK(MPI_Ineighbor_alltoallv_c(s, w->large, w->far, i, g[7], w->large_in, w->far_in, i, comm, &r[7]));
    OK(MPI_Ineighbor_alltoallw(s, w->counts, w->bytes, w->types, g[8], w->in_counts, w->bytes_in, w->types_in, comm,
                               &r[8]));
    OK(MPI_Ineighbor_alltoallw_c(s, w->large, w->bytes, w->types, g[9], w->large_in, w->bytes_in, w->types_in, comm,
                                 &r[9]));
}

static void init_all(const struct work *w, MPI_Comm comm, MPI_Request *r)
{
    int n = w->n, *s = w->mine, *const *g = w->got;
    MPI_Datatype i = MPI_INT;
    MPI_Info none = MPI_INFO_NULL;
    OK(MPI_Neighbor_alltoall_init(s, n, i, g[0], n, i, comm, none, &r[0]));
    OK(MPI_Neighbor_alltoall_init_c(s, n, i, g[1], n, i, comm, none, &r[1]));
    OK(MPI_Neighbor_allgather_init(s, n, i, g[2], n, i, comm, none, &r[2]));
    OK(MPI_Neighbor_allgather_init_c(s, n, i, g[3], n, i, comm, none, &r[3]));
    OK(MPI_Neighbor_allgatherv_init(w->whole, w->own, i, g[4], w->whole_counts, w->whole_displs, i, comm, none,
                                    &r[4]));
    OK(MPI_Neighbor_allgatherv_init_c(w->whole, w->own, i, g[5], w->large_whole, w->far_whole, i, comm, none, &r[5]));
    OK(MPI_Neighbor_alltoallv_init(s, w->counts, w->displs, i, g[6], w->in_counts, w->in_displs, i, comm, none,
                                   &r[6]));
    OK(MPI_Neighbor_alltoallv_init_c(s, w->large, w->far, i, g[7], w->large_in, w->far_in, i, comm, none, &r[7]));
    OK(MPI_Neighbor_alltoallw_init(s, w->counts, w->bytes, w->types, g[8], w->in_counts, w->bytes_in, w->types_in,
                                   comm, none, &r[8]));
    OK(MPI_Neighbor_alltoallw_init_c(s, w->large, w->bytes, w->types, g[9], w->large_in, w->bytes_in, w->types_in,
                                     comm, none, &r[9]));
}

/* All are under way, on a communicator that is given up, while messages go along the edges; which is complete first
   does not matter. */
static void nonblocking(struct work *w)
{
    MPI_Comm twin;
    MPI_Request requests[FUNCTIONS];
    fill(w, 0);
    OK(MPI_Comm_dup(w->e->comm, &twin));
    start_all(w, twin, requests);
    OK(MPI_Comm_free(&twin));
    expect(w);
    for (int left = FUNCTIONS; left > 0; left--) {
        int which;
        if (w->e->rank % 2)
            OK(MPI_Waitany(FUNCTIONS, requests, &which, MPI_STATUS_IGNORE));
        else
            OK(MPI_Wait(&requests[left - 1], MPI_STATUS_IGNORE));
    }
    compare(w);
}

/* Started forwards and backwards, all together and one by one, with other data each time. */
static void persistent(struct work *w)
{
    MPI_Request requests[FUNCTIONS];
    init_all(w, w->e->comm, requests);
    for (int round = 0; round < ROUNDS; round++) {
        fill(w, round);
        if (round == 0)
            OK(MPI_Startall(FUNCTIONS, requests));
        for (int f = 0; round > 0 && f < FUNCTIONS; f++)
            OK(MPI_Start(&requests[round == 1 ? f : FUNCTIONS - 1 - f]));
        expect(w);
        OK(MPI_Waitall(FUNCTIONS, requests, MPI_STATUSES_IGNORE));
        compare(w);
    }
    for (int f = 0; f < FUNCTIONS; f++)
        OK(MPI_Request_free(&requests[f]));
}

static void all_sizes(const struct edges *e)
{
    static const int sizes[] = {0, 1, 6, LONGEST};
    for (int s = 0; s < 4; s++) {
        struct work w = work_of(e, sizes[s]);
        nonblocking(&w);
        persistent(&w);
        work_free(&w);
    }
}

/* Wrong arguments show at once, wrong data of others in the end. */
static void errors(void)
{
    MPI_Comm world, ring;
    MPI_Request request = MPI_REQUEST_NULL;
    int periodic = 1, sent[4] = {1, 2, 3, 4}, got[4] = {-1, -1, -1, -1};
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    OK(MPI_Cart_create(world, 1, &check_size, &periodic, 0, &ring));
    FAILS(MPI_Ineighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, world, &request), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Ineighbor_alltoall(sent, -1, MPI_INT, got, 1, MPI_INT, ring, &request), MPI_ERR_COUNT);
    FAILS(MPI_Neighbor_allgather_init(MPI_IN_PLACE, 1, MPI_INT, got, 1, MPI_INT, ring, MPI_INFO_NULL, &request),
          MPI_ERR_BUFFER);
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Ineighbor_alltoall(sent, 2, MPI_INT, got, 1, MPI_INT, ring, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    memset(got, 0xff, sizeof got);
    OK(MPI_Ineighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, ring, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(got[0] == 2 && got[1] == 1 && got[2] == -1);
    OK(MPI_Comm_free(&ring));
    OK(MPI_Comm_free(&world));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    in_all_topologies(all_sizes);
    errors();
    return check_end();
}
