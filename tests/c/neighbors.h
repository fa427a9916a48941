/* Edges along which a rank sends and receives, and what goes along them by messages: the reference of the collectives
   of neighbours. */
#ifndef NEIGHBORS_H
#define NEIGHBORS_H

#include "mpi_check.h"

/* The most ints of one part. */
enum { LONGEST = 6000 };

struct edges {
    MPI_Comm comm;
    int rank, in, out;
    /* The other ends, and the tags of messages that go this way. */
    int *sources, *source_tags, *destinations, *destination_tags;
};

/* Element i of the data along edge `place` of a rank. */
static inline int neighbor_item(int rank, int place, int i)
{
    return rank * 1000003 + place * 10007 + i;
}

/* How much goes along edge `place` of a rank where the parts are uneven: n ints for one in three, and never n twice. */
static inline int neighbor_count(int rank, int place, int n)
{
    return (rank + 2 * place) % 3 * n / 2;
}

static inline int *neighbor_room(int n)
{
    int *data = malloc((n + 1) * sizeof *data);
    CHECK(data);
    memset(data, 0xff, (n + 1) * sizeof *data);
    return data;
}

/* Takes the communicator over. */
static inline struct edges edges_of(MPI_Comm comm)
{
    struct edges e = {.comm = comm};
    int kind, dims[8], periods[8], coords[8], weighted;
    OK(MPI_Comm_rank(comm, &e.rank));
    OK(MPI_Topo_test(comm, &kind));
    if (kind == MPI_CART) {
        OK(MPI_Cartdim_get(comm, &e.in));
        OK(MPI_Cart_get(comm, e.in, dims, periods, coords));
        e.out = e.in *= 2;
    } else if (kind == MPI_GRAPH) {
        OK(MPI_Graph_neighbors_count(comm, e.rank, &e.in));
        e.out = e.in;
    } else {
        OK(MPI_Dist_graph_neighbors_count(comm, &e.in, &e.out, &weighted));
    }
    e.sources = neighbor_room(e.in), e.source_tags = calloc(e.in + 1, sizeof(int));
    e.destinations = neighbor_room(e.out), e.destination_tags = calloc(e.out + 1, sizeof(int));
    if (kind == MPI_CART) {
        for (int d = 0; d < e.in / 2; d++) {
            /* Data sent towards lower ranks comes from higher ones: the tag tells the two apart. */
            OK(MPI_Cart_shift(comm, d, 1, &e.sources[2 * d], &e.sources[2 * d + 1]));
            e.source_tags[2 * d] = e.destination_tags[2 * d + 1] = 2 * d + 1;
            e.source_tags[2 * d + 1] = e.destination_tags[2 * d] = 2 * d;
        }
        memcpy(e.destinations, e.sources, e.in * sizeof(int));
    } else if (kind == MPI_GRAPH) {
        OK(MPI_Graph_neighbors(comm, e.rank, e.in, e.sources));
        memcpy(e.destinations, e.sources, e.in * sizeof(int));
    } else {
        OK(MPI_Dist_graph_neighbors(comm, e.in, e.sources, MPI_UNWEIGHTED, e.out, e.destinations, MPI_UNWEIGHTED));
    }
    return e;
}

static inline void edges_free(struct edges *e)
{
    free(e->sources), free(e->source_tags), free(e->destinations), free(e->destination_tags);
    OK(MPI_Comm_free(&e->comm));
}

/* Sends counts[k] ints from displs[k] on along each edge, and receives likewise. */
static inline void along_edges(const struct edges *e, const int *sent, const int *counts, const int *displs,
                               int *received, const int *in_counts, const int *in_displs)
{
    MPI_Request *requests = malloc((e->in + e->out + 1) * sizeof *requests);
    for (int k = 0; k < e->in; k++)
        OK(MPI_Irecv(received + in_displs[k], in_counts[k], MPI_INT, e->sources[k], e->source_tags[k], e->comm,
                     &requests[k]));
    for (int k = 0; k < e->out; k++)
        OK(MPI_Isend(sent + displs[k], counts[k], MPI_INT, e->destinations[k], e->destination_tags[k], e->comm,
                     &requests[e->in + k]));
    OK(MPI_Waitall(e->in + e->out, requests, MPI_STATUSES_IGNORE));
    free(requests);
}

/* One number along each edge. */
static inline void numbers_along_edges(const struct edges *e, const int *sent, int *received)
{
    int most = e->in > e->out ? e->in : e->out;
    int *ones = neighbor_room(most), *places = neighbor_room(most);
    for (int k = 0; k < most; k++)
        ones[k] = 1, places[k] = k;
    along_edges(e, sent, ones, places, received, ones, places);
    free(ones), free(places);
}

/* The graph of some edges out of a generator that all ranks know, some of them several times or from a rank to itself;
   each rank names its own in an order of its own. */
static inline MPI_Comm random_graph(unsigned seed)
{
    int n = 4 * check_size, in = 0, out = 0;
    int *sources = neighbor_room(n), *destinations = neighbor_room(n);
    for (int k = 0; k < n; k++) {
        seed = seed * 1664525u + 1013904223u;
        int from = (seed >> 16) % check_size, to = (seed >> 8) % check_size;
        if (to == check_rank)
            sources[in++] = from;
        /* The last edge comes first. */
        if (from == check_rank) {
            memmove(destinations + 1, destinations, out++ * sizeof(int));
            destinations[0] = to;
        }
    }
    MPI_Comm graph;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, destinations, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, seed & 1, &graph));
    free(sources), free(destinations);
    return graph;
}

/* A graph known as a whole: node 0 is twice the neighbour of the last, the last twice its own. */
static inline MPI_Comm star_graph(void)
{
    int *index = neighbor_room(check_size), *edges = neighbor_room(3 * check_size + 6), n = 0, last = check_size - 1;
    for (int node = 0; node < check_size; node++) {
        for (int leaf = 1; node == 0 && leaf < check_size; leaf++)
            edges[n++] = leaf;
        if (node > 0)
            edges[n++] = 0;
        if (node == last)
            edges[n++] = node, edges[n++] = 0, edges[n++] = node;
        if (node == 0)
            edges[n++] = last;
        index[node] = n;
    }
    MPI_Comm graph;
    OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, edges, 1, &graph));
    free(index), free(edges);
    return graph;
}

/* A grid of all ranks in `ndims` dimensions, some of them rings. */
static inline MPI_Comm grid(int ndims, unsigned rings)
{
    int dims[4] = {0}, periods[4];
    MPI_Comm cart;
    if (ndims > 2)
        dims[1] = 1;
    OK(MPI_Dims_create(check_size, ndims, dims));
    for (int d = 0; d < ndims; d++)
        periods[d] = rings >> d & 1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 1, &cart));
    return cart;
}

/* Calls `test` for topologies of all kinds. */
static inline void in_all_topologies(void (*test)(const struct edges *))
{
    enum { GRIDS = 7, ALL = GRIDS + 5 };
    static const int ndims[GRIDS] = {1, 1, 2, 2, 3, 3, 4};
    static const unsigned rings[GRIDS] = {0, 1, 2, 3, 5, 2, 15};
    for (int which = 0; which < ALL; which++) {
        MPI_Comm comm, other;
        if (which < GRIDS) {
            comm = grid(ndims[which], rings[which]);
        } else if (which == GRIDS) {
            int remain[2] = {0, 1};
            other = grid(2, 2);
            OK(MPI_Cart_sub(other, remain, &comm));
            OK(MPI_Comm_free(&other));
        } else if (which == GRIDS + 1) {
            comm = star_graph();
        } else if (which == GRIDS + 2) {
            /* Everybody's right neighbour is known to the left neighbour alone. */
            int one = 1, to = (check_rank + 1) % check_size;
            OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &check_rank, &one, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                     &other));
            OK(MPI_Comm_dup(other, &comm));
            OK(MPI_Comm_free(&other));
        } else {
            comm = random_graph(which);
        }
        struct edges e = edges_of(comm);
        test(&e);
        edges_free(&e);
    }
}

#endif
