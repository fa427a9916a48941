/* Collectives, one-sided operations and partitioned messages of four ranks, each with bytes of its own, for a
 * profile. */
#include "mpi_check.h"

enum { MANY = 1000 };

static void collectives(void)
{
    static char out[4 * MANY], in[16 * MANY];
    static int numbers[MANY], sums[MANY];
    int counts[4], displacements[4], source = 3, degree = 1, destination = 0;
    long one = 1, sum;
    MPI_Request request;
    for (int i = 0; i < 4; i++) {
        counts[i] = (i + 1) * 100;
        displacements[i] = i * 1000;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Bcast(out, MANY, MPI_CHAR, 1, MPI_COMM_WORLD));
    OK(MPI_Gather(out, 10, MPI_CHAR, in, 10, MPI_CHAR, 0, MPI_COMM_WORLD));
    OK(MPI_Scatterv(in, counts, displacements, MPI_CHAR, out, counts[check_rank], MPI_CHAR, 2, MPI_COMM_WORLD));
    OK(MPI_Allgather(out, 3, MPI_CHAR, in, 3, MPI_CHAR, MPI_COMM_WORLD));
    OK(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_CHAR, in, 5, MPI_CHAR, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Reduce(numbers, sums, 20, MPI_INT, MPI_SUM, 3, MPI_COMM_WORLD));
    OK(MPI_Allreduce(numbers, sums, MANY, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter(numbers, sums, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Scan(&one, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Alltoall(out, 6, MPI_CHAR, in, 6, MPI_CHAR, MPI_COMM_WORLD));
    OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_CHAR, in, 9, MPI_CHAR, MPI_COMM_WORLD));
    OK(MPI_Alltoall_init(out, 7, MPI_CHAR, in, 7, MPI_CHAR, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int time = 0; time < 2; time++) {
        OK(MPI_Start(&request));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    OK(MPI_Request_free(&request));

    MPI_Comm graph;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, check_rank == 3, &source, &degree, &destination, MPI_UNWEIGHTED,
                             MPI_INFO_NULL, 0, &graph));
    OK(MPI_Neighbor_allgather(out, 50, MPI_CHAR, in, 50, MPI_CHAR, graph));
    OK(MPI_Comm_free(&graph));
}

/* Each rank of one half sends to all of the other. */
static void between_groups(void)
{
    MPI_Comm half, both;
    static int numbers[8], sums[8];
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank / 2, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_rank < 2 ? 2 : 0, 0, &both));
    OK(MPI_Bcast(numbers, 11, MPI_CHAR, check_rank == 0 ? MPI_ROOT : check_rank == 1 ? MPI_PROC_NULL : 0, both));
    OK(MPI_Allreduce(numbers, sums, 8, MPI_INT, MPI_SUM, both));
    OK(MPI_Comm_free(&both));
    OK(MPI_Comm_free(&half));
}

static void one_sided(void)
{
    static char out[64], in[64];
    int *base, one = 1, before;
    MPI_Win window;
    OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
    OK(MPI_Win_fence(0, window));
    if (check_rank == 0)
        OK(MPI_Put(out, 64, MPI_CHAR, 3, 0, 64, MPI_CHAR, window));
    if (check_rank == 1)
        OK(MPI_Get(in, 32, MPI_CHAR, 2, 0, 32, MPI_CHAR, window));
    if (check_rank == 3)
        OK(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Win_free(&window));
}

static void partitioned(void)
{
    static char data[96];
    MPI_Request request;
    if (check_rank != 2 && check_rank != 3)
        return;
    if (check_rank == 2)
        OK(MPI_Psend_init(data, 2, 48, MPI_CHAR, 3, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    else
        OK(MPI_Precv_init(data, 2, 48, MPI_CHAR, 2, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Start(&request));
    if (check_rank == 2)
        OK(MPI_Pready_range(0, 1, request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(check_size == 4);
    collectives();
    between_groups();
    one_sided();
    partitioned();
    return check_end();
}
