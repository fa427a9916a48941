/* Graph topologies, known as a whole or in parts: creation, neighbours and their order, weights, errors. */
#include "mpi_check.h"

/* Node 0 has every node as its neighbour, itself included, the last one twice; the others have node 0. */
static void star(int reorder)
{
    int *index = malloc(sizeof(int) * check_size), *edges = malloc(sizeof(int) * 2 * check_size + sizeof(int));
    int nedges = 0;
    for (int node = 0; node < check_size; node++)
        edges[nedges++] = node;
    edges[nedges++] = check_size - 1;
    index[0] = nedges;
    for (int node = 1; node < check_size; node++) {
        edges[nedges++] = 0;
        index[node] = nedges;
    }
    MPI_Comm graph, copy;
    int kind, nodes, count, rank;
    OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, edges, reorder, &graph));
    OK(MPI_Comm_dup(graph, &copy));
    OK(MPI_Comm_free(&graph));
    OK(MPI_Topo_test(copy, &kind));
    CHECK(kind == MPI_GRAPH);
    OK(MPI_Graphdims_get(copy, &nodes, &count));
    CHECK(nodes == check_size && count == nedges);
    int *index2 = malloc(sizeof(int) * nodes), *edges2 = malloc(sizeof(int) * count);
    OK(MPI_Graph_get(copy, nodes, count, index2, edges2));
    CHECK(!memcmp(index, index2, sizeof(int) * nodes) && !memcmp(edges, edges2, sizeof(int) * count));
    OK(MPI_Graph_neighbors_count(copy, 0, &count));
    CHECK(count == check_size + 1);
    OK(MPI_Graph_neighbors(copy, 0, count, edges2));
    CHECK(!memcmp(edges, edges2, sizeof(int) * count));
    OK(MPI_Comm_rank(copy, &rank));
    if (rank > 0) {
        OK(MPI_Graph_neighbors_count(copy, rank, &count));
        OK(MPI_Graph_neighbors(copy, rank, 5, edges2));
        CHECK(count == 1 && edges2[0] == 0);
    }
    OK(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
    FAILS(MPI_Graph_neighbors(copy, 0, check_size, edges2), MPI_ERR_ARG);
    FAILS(MPI_Graph_neighbors_count(copy, check_size, &count), MPI_ERR_RANK);
    FAILS(MPI_Graph_get(copy, nodes - 1, nedges, index2, edges2), MPI_ERR_ARG);
    FAILS(MPI_Cartdim_get(copy, &count), MPI_ERR_TOPOLOGY);
    OK(MPI_Comm_free(&copy));

    OK(MPI_Graph_map(MPI_COMM_WORLD, check_size, index, edges, &rank));
    long bit = 1L << rank, bits;
    OK(MPI_Allreduce(&bit, &bits, 1, MPI_LONG, MPI_BOR, MPI_COMM_WORLD));
    CHECK(bits == (1L << check_size) - 1);
    free(index), free(edges), free(index2), free(edges2);
}

/* Graphs with fewer nodes than there are ranks. */
static void small_graphs(void)
{
    MPI_Comm graph;
    int index[1] = {1}, edges[1] = {0}, rank, size;
    OK(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &graph));
    CHECK(graph == MPI_COMM_NULL);
    OK(MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 1, &graph));
    CHECK((graph == MPI_COMM_NULL) == (check_rank != 0));
    if (graph != MPI_COMM_NULL) {
        OK(MPI_Comm_size(graph, &size));
        CHECK(size == 1);
        OK(MPI_Comm_free(&graph));
    }
    OK(MPI_Graph_map(MPI_COMM_WORLD, 1, index, edges, &rank));
    CHECK(rank == (check_rank ? MPI_UNDEFINED : 0));
}

/* Checks the neighbours of the caller in a ring whose edges to the right have weight 1 + source. */
static void check_ring(MPI_Comm ring, int weighted)
{
    int kind, rank, in, out, flag, source = -1, dest = -1, in_weight = -5, out_weight = -5;
    int left, right;
    OK(MPI_Topo_test(ring, &kind));
    CHECK(kind == MPI_DIST_GRAPH);
    OK(MPI_Comm_rank(ring, &rank));
    left = (rank + check_size - 1) % check_size, right = (rank + 1) % check_size;
    OK(MPI_Dist_graph_neighbors_count(ring, &in, &out, &flag));
    CHECK(in == 1 && out == 1 && flag == weighted);
    OK(MPI_Dist_graph_neighbors(ring, 1, &source, &in_weight, 1, &dest, &out_weight));
    CHECK(source == left && dest == right);
    CHECK(in_weight == (weighted ? 1 + left : -5) && out_weight == (weighted ? 1 + rank : -5));
    OK(MPI_Dist_graph_neighbors(ring, 1, &source, MPI_UNWEIGHTED, 0, NULL, NULL));
    CHECK(source == left);
}

static void rings(int reorder)
{
    int left = (check_rank + check_size - 1) % check_size, right = (check_rank + 1) % check_size;
    int weight = 1 + check_rank, left_weight = 1 + left, one = 1;
    MPI_Comm ring, copy;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    /* Every rank gives its edge to the right, then the one from the left. */
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &check_rank, &one, &right, &weight, info, reorder, &ring));
    OK(MPI_Comm_dup(ring, &copy));
    OK(MPI_Comm_free(&ring));
    check_ring(copy, 1);
    OK(MPI_Comm_free(&copy));
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &left, &one, &check_rank, MPI_UNWEIGHTED, info, reorder, &ring));
    check_ring(ring, 0);
    OK(MPI_Comm_free(&ring));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &left_weight, 1, &right, &weight, info, reorder,
                                      &ring));
    check_ring(ring, 1);
    OK(MPI_Comm_free(&ring));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, info,
                                      reorder, &ring));
    check_ring(ring, 0);
    OK(MPI_Comm_free(&ring));
    OK(MPI_Info_free(&info));
    /* The last rank gives the whole ring, the others nothing. */
    int last = check_rank == check_size - 1, n = last ? check_size : 0;
    int *table = malloc(sizeof(int) * 4 * check_size);
    int *sources = table, *degrees = table + check_size, *dests = degrees + check_size, *weights = dests + check_size;
    for (int node = 0; node < n; node++)
        sources[node] = node, degrees[node] = 1, dests[node] = (node + 1) % check_size, weights[node] = 1 + node;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, dests, last ? weights : MPI_WEIGHTS_EMPTY,
                             MPI_INFO_NULL, reorder, &ring));
    check_ring(ring, 1);
    OK(MPI_Comm_free(&ring));
    free(table);
}

/* Adjacent edges come back in the order in which they were given: first myself, twice, then all from the last down. */
static void order(void)
{
    int degree = check_size + 2, in, out, flag;
    int *ranks = malloc(sizeof(int) * degree), *weights = malloc(sizeof(int) * degree);
    int *got = malloc(sizeof(int) * degree), *got_weights = malloc(sizeof(int) * degree);
    for (int i = 0; i < degree; i++) {
        ranks[i] = i < 2 ? check_rank : degree - 1 - i;
        weights[i] = i;
    }
    MPI_Comm graph;
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, ranks, weights, degree, ranks, weights, MPI_INFO_NULL, 0,
                                      &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &flag));
    CHECK(in == degree && out == degree && flag);
    OK(MPI_Dist_graph_neighbors(graph, in, got, got_weights, 0, NULL, NULL));
    CHECK(!memcmp(got, ranks, sizeof(int) * degree) && !memcmp(got_weights, weights, sizeof(int) * degree));
    got[1] = -9;
    OK(MPI_Dist_graph_neighbors(graph, 0, NULL, NULL, 1, got, got_weights));
    CHECK(got[0] == check_rank && got[1] == -9);
    OK(MPI_Comm_free(&graph));

    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, NULL, MPI_INFO_NULL, 1, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &flag));
    CHECK(in == 0 && out == 0 && flag);
    OK(MPI_Comm_free(&graph));
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                      1, &graph));
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &flag));
    CHECK(in == 0 && out == 0 && !flag);
    OK(MPI_Comm_free(&graph));
    free(ranks), free(weights), free(got), free(got_weights);
}

static void errors(void)
{
    MPI_Comm world, graph;
    int index[1] = {1}, edges[1] = {check_size}, one = 1, minus = -1, me = check_rank, n;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    FAILS(MPI_Graph_create(world, 1, index, edges, 0, &graph), MPI_ERR_RANK);
    CHECK(graph == MPI_COMM_NULL);
    FAILS(MPI_Graph_create(world, -1, index, edges, 0, &graph), MPI_ERR_ARG);
    index[0] = -1;
    FAILS(MPI_Graph_create(world, 1, index, edges, 0, &graph), MPI_ERR_ARG);
    FAILS(MPI_Graph_map(world, 1, index, edges, &n), MPI_ERR_ARG);
    int *none = calloc(check_size + 1, sizeof(int));
    FAILS(MPI_Graph_create(world, check_size + 1, none, edges, 0, &graph), MPI_ERR_ARG);
    free(none);
    FAILS(MPI_Graphdims_get(world, &n, &n), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Dist_graph_neighbors_count(world, &n, &n, &n), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Dist_graph_create(world, 1, &me, &one, edges, &one, MPI_INFO_NULL, 0, &graph), MPI_ERR_RANK);
    FAILS(MPI_Dist_graph_create(world, 1, &me, &minus, &me, &one, MPI_INFO_NULL, 0, &graph), MPI_ERR_ARG);
    FAILS(MPI_Dist_graph_create(world, 1, &me, &one, &me, &minus, MPI_INFO_NULL, 0, &graph), MPI_ERR_ARG);
    FAILS(MPI_Dist_graph_create(world, 1, &me, &one, &me, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph), MPI_ERR_ARG);
    FAILS(MPI_Dist_graph_create_adjacent(world, -1, &me, &one, 0, NULL, NULL, MPI_INFO_NULL, 0, &graph), MPI_ERR_ARG);
    /* Rank 0 sends to itself and does not receive it. */
    FAILS(MPI_Dist_graph_create_adjacent(world, 0, NULL, NULL, check_rank == 0, &me, &one, MPI_INFO_NULL, 0, &graph),
          MPI_ERR_TOPOLOGY);
    if (check_size > 1)
        FAILS(MPI_Dist_graph_create(world, 1, &me, &one, &me, check_rank ? &one : MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                    &graph),
              MPI_ERR_ARG);
    OK(MPI_Comm_free(&world));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int reorder = 0; reorder < 2; reorder++) {
        star(reorder);
        rings(reorder);
    }
    small_graphs();
    order();
    errors();
    return check_end();
}
