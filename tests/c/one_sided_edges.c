/* Edges of a graph that only one end names. The argument says whether they are refused, as what is checked decides. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int one = 1, zero = 0, in, out, weighted, found = -1, value = 0, values[2];
    MPI_Comm graph;
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    /* Rank 0 sends to rank 1, which does not know of it. */
    int code = MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, check_rank == 0, &one,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    if (argc > 1 && !strcmp(argv[1], "refused")) {
        FAILS(code, MPI_ERR_TOPOLOGY);
        CHECK(graph == MPI_COMM_NULL);
        return check_end();
    }
    OK(code);
    OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 0 && out == (check_rank == 0) && !weighted);
    OK(MPI_Dist_graph_neighbors(graph, 0, NULL, MPI_UNWEIGHTED, out, &found, MPI_UNWEIGHTED));
    CHECK(found == (check_rank ? -1 : 1));
    /* Messages can be sent, but a collective would have no end to send to. */
    FAILS(MPI_Neighbor_allgather(&value, 1, MPI_INT, values, 1, MPI_INT, graph), MPI_ERR_TOPOLOGY);
    OK(MPI_Bcast(&zero, 1, MPI_INT, 0, graph));
    OK(MPI_Comm_free(&graph));
    return check_end();
}
