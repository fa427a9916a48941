/* Buffers of one call that are the same memory. With the argument "overlaps" those, too, that only overlap. */
#include "mpi_check.h"

#define REFUSED(call) FAILS(call, MPI_ERR_BUFFER)

enum { N = 4 };
static int counts[N], places[N], bytes[N];
static MPI_Datatype types[N];

/* A rank's data for itself is read from where it is written: each call on a communicator of the rank alone. */
static void own(MPI_Comm self)
{
    int buf[8] = {0}, *to = buf;
    MPI_Request request;
    REFUSED(MPI_Gather(buf, 2, MPI_INT, to, 2, MPI_INT, 0, self));
    REFUSED(MPI_Gatherv(buf, 2, MPI_INT, to, counts, places, MPI_INT, 0, self));
    REFUSED(MPI_Scatter(buf, 2, MPI_INT, to, 2, MPI_INT, 0, self));
    REFUSED(MPI_Scatterv(buf, counts, places, MPI_INT, to, 2, MPI_INT, 0, self));
    REFUSED(MPI_Allgather(buf, 2, MPI_INT, to, 2, MPI_INT, self));
    REFUSED(MPI_Allgatherv(buf, 2, MPI_INT, to, counts, places, MPI_INT, self));
    REFUSED(MPI_Alltoall(buf, 2, MPI_INT, to, 2, MPI_INT, self));
    REFUSED(MPI_Alltoallv(buf, counts, places, MPI_INT, to, counts, places, MPI_INT, self));
    REFUSED(MPI_Alltoallw(buf, counts, bytes, types, to, counts, bytes, types, self));
    REFUSED(MPI_Reduce(buf, to, 2, MPI_INT, MPI_SUM, 0, self));
    REFUSED(MPI_Allreduce(buf, to, 2, MPI_INT, MPI_SUM, self));
    REFUSED(MPI_Reduce_scatter(buf, to, counts, MPI_INT, MPI_SUM, self));
    REFUSED(MPI_Reduce_scatter_block(buf, to, 2, MPI_INT, MPI_SUM, self));
    REFUSED(MPI_Scan(buf, to, 2, MPI_INT, MPI_SUM, self));
    REFUSED(MPI_Exscan(buf, to, 2, MPI_INT, MPI_SUM, self));
    REFUSED(MPI_Reduce_local(buf, to, 2, MPI_INT, MPI_SUM));
    REFUSED(MPI_Reduce_local_c(buf, to, 2, MPI_INT, MPI_SUM));
    REFUSED(MPI_Igather(buf, 2, MPI_INT, to, 2, MPI_INT, 0, self, &request));
    REFUSED(MPI_Ialltoall(buf, 2, MPI_INT, to, 2, MPI_INT, self, &request));
    REFUSED(MPI_Ireduce_scatter_block(buf, to, 2, MPI_INT, MPI_SUM, self, &request));
    REFUSED(MPI_Scatter_init(buf, 2, MPI_INT, to, 2, MPI_INT, 0, self, MPI_INFO_NULL, &request));
}

/* A rank's part of the buffer of all. */
static void part_of_all(MPI_Comm world)
{
    int *all = calloc(check_size, sizeof *all);
    REFUSED(MPI_Allgather(&all[check_rank], 1, MPI_INT, all, 1, MPI_INT, world));
    free(all);
}

/* Data that other data covers in part. */
static void overlaps(MPI_Comm self, MPI_Comm ring)
{
    int buf[8] = {0};
    MPI_Request request;
    MPI_Status status;
    REFUSED(MPI_Gather(buf + 1, 2, MPI_INT, buf, 2, MPI_INT, 0, self));
    REFUSED(MPI_Scatterv(buf + 1, counts, places, MPI_INT, buf, 2, MPI_INT, 0, self));
    REFUSED(MPI_Alltoallw(buf, counts, bytes, types, buf + 1, counts, bytes, types, self));
    REFUSED(MPI_Allreduce(buf + 1, buf, 2, MPI_INT, MPI_SUM, self));
    REFUSED(MPI_Reduce_local(buf, (char *)buf + 1, 2, MPI_INT, MPI_SUM));
    REFUSED(MPI_Neighbor_allgather(buf, 1, MPI_INT, buf, 1, MPI_INT, ring));
    REFUSED(MPI_Neighbor_alltoall(buf, 1, MPI_INT, buf + 1, 1, MPI_INT, ring));
    REFUSED(MPI_Sendrecv(buf, 2, MPI_INT, 0, 0, buf + 1, 2, MPI_INT, 0, 0, self, &status));
    REFUSED(MPI_Isendrecv(buf, 2, MPI_INT, 0, 0, buf, 2, MPI_INT, 0, 0, self, &request));
}

/* Data that lies side by side, though in one array, and empty data. */
static void apart(MPI_Comm self, MPI_Comm ring)
{
    int buf[8] = {1, 2, 3, 4, 5, 6, 7, 8}, none[N] = {0}, one = 1, two = 2, start, sizes = 8;
    MPI_Datatype left, right;
    OK(MPI_Gather(buf, 2, MPI_INT, buf + 2, 2, MPI_INT, 0, self));
    CHECK(buf[2] == 1 && buf[3] == 2);
    OK(MPI_Allgather(buf, 0, MPI_INT, buf, 0, MPI_INT, self));
    OK(MPI_Alltoallv(buf, none, none, MPI_INT, buf, none, none, MPI_INT, self));
    OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buf, 2, MPI_INT, 0, self));
    OK(MPI_Neighbor_alltoall(buf, 1, MPI_INT, buf + 2, 1, MPI_INT, ring));
    OK(MPI_Sendrecv(buf, 2, MPI_INT, MPI_PROC_NULL, 0, buf, 2, MPI_INT, MPI_PROC_NULL, 0, self, MPI_STATUS_IGNORE));
    start = 0;
    OK(MPI_Type_create_subarray(1, &sizes, &two, &start, MPI_ORDER_C, MPI_INT, &left));
    start = 6;
    OK(MPI_Type_create_subarray(1, &sizes, &two, &start, MPI_ORDER_C, MPI_INT, &right));
    OK(MPI_Type_commit(&left));
    OK(MPI_Type_commit(&right));
    OK(MPI_Alltoallw(buf, &one, none, &left, buf, &one, none, &right, self));
    CHECK(buf[6] == buf[0] && buf[7] == buf[1]);
    OK(MPI_Type_free(&left));
    OK(MPI_Type_free(&right));
}

int main(int argc, char **argv)
{
    int length = 1, periods = 1;
    MPI_Comm self, world, ring;
    check_begin(&argc, &argv);
    for (int i = 0; i < N; i++) {
        counts[i] = 2;
        types[i] = MPI_INT;
    }
    OK(MPI_Comm_dup(MPI_COMM_SELF, &self));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Cart_create(MPI_COMM_SELF, 1, &length, &periods, 0, &ring));
    OK(MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    own(self);
    part_of_all(world);
    apart(self, ring);
    if (argc > 1 && !strcmp(argv[1], "overlaps"))
        overlaps(self, ring);
    OK(MPI_Comm_free(&self));
    OK(MPI_Comm_free(&world));
    OK(MPI_Comm_free(&ring));
    return check_end();
}
