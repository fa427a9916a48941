/* Cartesian topologies: balanced extents, creation, coordinates, shifts, slices, mapping, errors. */
#include "mpi_check.h"

static void balanced_extents(void)
{
    int dims[3] = {0, 0, 0};
    OK(MPI_Dims_create(6, 2, dims));
    CHECK(dims[0] == 3 && dims[1] == 2);
    dims[0] = dims[1] = 0;
    OK(MPI_Dims_create(7, 2, dims));
    CHECK(dims[0] == 7 && dims[1] == 1);
    dims[0] = 0, dims[1] = 3, dims[2] = 0;
    OK(MPI_Dims_create(6, 3, dims));
    CHECK(dims[0] == 2 && dims[1] == 3 && dims[2] == 1);
    dims[0] = dims[1] = dims[2] = 0;
    OK(MPI_Dims_create(1000000000, 3, dims));
    CHECK(dims[0] == 1000 && dims[1] == 1000 && dims[2] == 1000);
    OK(MPI_Dims_create(1, 0, NULL));

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    dims[0] = 0, dims[1] = 3, dims[2] = 0;
    FAILS(MPI_Dims_create(7, 3, dims), MPI_ERR_DIMS);
    CHECK(dims[0] == 0 && dims[2] == 0);
    dims[0] = -1;
    FAILS(MPI_Dims_create(6, 3, dims), MPI_ERR_DIMS);
    FAILS(MPI_Dims_create(6, -1, dims), MPI_ERR_DIMS);
    FAILS(MPI_Dims_create(0, 1, dims), MPI_ERR_ARG);
    FAILS(MPI_Dims_create(6, 2, NULL), MPI_ERR_ARG);
}

/* A grid of all ranks but those beyond it: two columns, the second dimension a ring. */
static void grid(int reorder)
{
    int rows = check_size / 2, dims[2] = {rows, 2}, periods[2] = {0, 1};
    MPI_Comm cart;
    if (rows == 0)
        return;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &cart));
    CHECK((cart == MPI_COMM_NULL) == (check_rank >= 2 * rows));
    if (cart == MPI_COMM_NULL)
        return;
    int size, rank, kind, ndims, coords[2], got_dims[2], got_periods[2], found;
    OK(MPI_Comm_size(cart, &size));
    OK(MPI_Comm_rank(cart, &rank));
    CHECK(size == 2 * rows);
    OK(MPI_Topo_test(cart, &kind));
    CHECK(kind == MPI_CART);
    OK(MPI_Cartdim_get(cart, &ndims));
    CHECK(ndims == 2);
    OK(MPI_Cart_get(cart, 2, got_dims, got_periods, coords));
    CHECK(got_dims[0] == rows && got_dims[1] == 2 && got_periods[0] == 0 && got_periods[1] == 1);
    CHECK(coords[0] == rank / 2 && coords[1] == rank % 2);
    OK(MPI_Cart_rank(cart, coords, &found));
    CHECK(found == rank);
    coords[1] += 7;
    OK(MPI_Cart_rank(cart, coords, &found));
    CHECK(found == (rank ^ 1));
    OK(MPI_Cart_coords(cart, size - 1, 2, coords));
    CHECK(coords[0] == rows - 1 && coords[1] == 1);

    int source, dest;
    OK(MPI_Cart_shift(cart, 0, 1, &source, &dest));
    CHECK(source == (rank < 2 ? MPI_PROC_NULL : rank - 2));
    CHECK(dest == (rank + 2 >= size ? MPI_PROC_NULL : rank + 2));
    /* A message follows the result of the shift. */
    int mine = rank, got = -7;
    OK(MPI_Sendrecv(&mine, 1, MPI_INT, dest, 3, &got, 1, MPI_INT, source, 3, cart, MPI_STATUS_IGNORE));
    CHECK(got == (source == MPI_PROC_NULL ? -7 : source));
    OK(MPI_Cart_shift(cart, 1, -1, &source, &dest));
    CHECK(source == (rank ^ 1) && dest == (rank ^ 1));
    OK(MPI_Cart_shift(cart, 0, 0, &source, &dest));
    CHECK(source == rank && dest == rank);

    OK(MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN));
    FAILS(MPI_Cart_shift(cart, 2, 1, &source, &dest), MPI_ERR_ARG);
    FAILS(MPI_Cart_coords(cart, size, 2, coords), MPI_ERR_RANK);
    FAILS(MPI_Cart_coords(cart, 0, 1, coords), MPI_ERR_ARG);
    FAILS(MPI_Cart_get(cart, 1, got_dims, got_periods, coords), MPI_ERR_ARG);
    coords[0] = rows, coords[1] = 0;
    FAILS(MPI_Cart_rank(cart, coords, &found), MPI_ERR_ARG);
    FAILS(MPI_Graphdims_get(cart, &ndims, &found), MPI_ERR_TOPOLOGY);
    OK(MPI_Comm_free(&cart));
}

/* A duplicate keeps the topology, parts do not. */
static void inheritance(void)
{
    int dims[1] = {check_size}, periods[1] = {1}, kind, ndims;
    MPI_Comm ring, copy, part, sides, cart;
    MPI_Request request;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring));
    OK(MPI_Comm_dup(ring, &copy));
    OK(MPI_Comm_free(&ring));
    OK(MPI_Topo_test(copy, &kind));
    OK(MPI_Cartdim_get(copy, &ndims));
    CHECK(kind == MPI_CART && ndims == 1);
    OK(MPI_Comm_split(copy, 0, 0, &part));
    OK(MPI_Topo_test(part, &kind));
    CHECK(kind == MPI_UNDEFINED);
    OK(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN));
    FAILS(MPI_Cartdim_get(part, &ndims), MPI_ERR_TOPOLOGY);
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_idup(copy, &part, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Topo_test(part, &kind));
    CHECK(kind == MPI_CART);
    OK(MPI_Comm_free(&part));

    /* Two groups cannot be a grid. */
    if (check_size > 1) {
        int side = check_rank % 2;
        OK(MPI_Comm_split(copy, side, 0, &part));
        OK(MPI_Intercomm_create(part, 0, copy, 1 - side, 4, &sides));
        OK(MPI_Comm_set_errhandler(sides, MPI_ERRORS_RETURN));
        FAILS(MPI_Cart_create(sides, 1, (int[]){1}, periods, 0, &cart), MPI_ERR_COMM);
        OK(MPI_Topo_test(sides, &kind));
        CHECK(kind == MPI_UNDEFINED);
        OK(MPI_Comm_free(&sides));
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_free(&copy));
}

static void slices(void)
{
    int dims[3] = {1, check_size, 1}, periods[3] = {0, 1, 0};
    MPI_Comm cart, line, point, again;
    int ndims, size, rank, got_dims[1], got_periods[1], coords[1], sum;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cart));
    OK(MPI_Cart_sub(cart, (int[]){0, 1, 0}, &line));
    OK(MPI_Cart_get(line, 1, got_dims, got_periods, coords));
    CHECK(got_dims[0] == check_size && got_periods[0] == 1 && coords[0] == check_rank);
    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, line));
    CHECK(sum == check_size * (check_size - 1) / 2);
    OK(MPI_Cart_sub(cart, (int[]){1, 0, 1}, &point));
    OK(MPI_Comm_size(point, &size));
    OK(MPI_Cartdim_get(point, &ndims));
    CHECK(size == 1 && ndims == 2);
    OK(MPI_Comm_free(&point));

    /* Without any dimension a grid is a point. */
    OK(MPI_Cart_sub(line, (int[]){0}, &point));
    OK(MPI_Comm_size(point, &size));
    OK(MPI_Cartdim_get(point, &ndims));
    CHECK(size == 1 && ndims == 0);
    OK(MPI_Cart_get(point, 0, NULL, NULL, NULL));
    OK(MPI_Cart_coords(point, 0, 0, NULL));
    OK(MPI_Cart_rank(point, NULL, &rank));
    CHECK(rank == 0);
    OK(MPI_Cart_sub(point, NULL, &again));
    OK(MPI_Cartdim_get(again, &ndims));
    CHECK(ndims == 0);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&point));
    OK(MPI_Comm_free(&line));
    OK(MPI_Comm_free(&cart));
    OK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &point));
    CHECK((point == MPI_COMM_NULL) == (check_rank != 0));
    if (point != MPI_COMM_NULL)
        OK(MPI_Comm_free(&point));

    /* Rows of a grid of two columns are pairs. */
    if (check_size % 2 == 0) {
        OK(MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){check_size / 2, 2}, (int[]){0, 0}, 0, &cart));
        OK(MPI_Cart_sub(cart, (int[]){0, 1}, &line));
        OK(MPI_Comm_rank(line, &rank));
        OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, line));
        CHECK(rank == check_rank % 2 && sum == (check_rank & ~1) + (check_rank | 1));
        OK(MPI_Comm_free(&line));
        OK(MPI_Comm_free(&cart));
    }
}

/* The ranks that the map gives are a permutation, with which a split makes the same grid as a creation. */
static void mapping(void)
{
    int dims[1] = {check_size}, periods[1] = {1}, mine;
    OK(MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &mine));
    CHECK(mine >= 0 && mine < check_size);
    long bit = 1L << mine, bits;
    OK(MPI_Allreduce(&bit, &bits, 1, MPI_LONG, MPI_BOR, MPI_COMM_WORLD));
    CHECK(bits == (1L << check_size) - 1);
    dims[0] = 1;
    OK(MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &mine));
    CHECK(mine == (check_rank ? MPI_UNDEFINED : 0));
    OK(MPI_Cart_map(MPI_COMM_WORLD, 0, NULL, NULL, &mine));
    CHECK(mine == (check_rank ? MPI_UNDEFINED : 0));
    /* A grid without points is no place for any rank. */
    int none[2] = {2 * check_size, 0};
    OK(MPI_Cart_map(MPI_COMM_WORLD, 2, none, none, &mine));
    CHECK(mine == MPI_UNDEFINED);
    MPI_Comm cart = MPI_COMM_WORLD;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 2, none, none, 0, &cart));
    CHECK(cart == MPI_COMM_NULL);
}

static void errors(void)
{
    MPI_Comm world, cart;
    int dims[2] = {check_size, 2}, periods[2] = {0, 0}, rank;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    FAILS(MPI_Cart_create(world, 2, dims, periods, 0, &cart), MPI_ERR_DIMS);
    CHECK(cart == MPI_COMM_NULL);
    FAILS(MPI_Cart_map(world, 2, dims, periods, &rank), MPI_ERR_DIMS);
    dims[1] = 0;
    dims[0] = -1;
    FAILS(MPI_Cart_create(world, 2, dims, periods, 0, &cart), MPI_ERR_DIMS);
    FAILS(MPI_Cart_map(world, 2, dims, periods, &rank), MPI_ERR_DIMS);
    FAILS(MPI_Cart_create(world, -1, dims, periods, 0, &cart), MPI_ERR_DIMS);
    FAILS(MPI_Cart_create(world, 1, NULL, periods, 0, &cart), MPI_ERR_ARG);
    FAILS(MPI_Cart_create(MPI_COMM_NULL, 1, dims, periods, 0, &cart), MPI_ERR_COMM);
    FAILS(MPI_Cart_rank(world, dims, &rank), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Cart_sub(world, dims, &cart), MPI_ERR_TOPOLOGY);
    if (check_size > 1) {
        /* All ranks have to describe the same grid. */
        dims[0] = check_rank ? 1 : 2;
        FAILS(MPI_Cart_create(world, 1, dims, periods, 0, &cart), MPI_ERR_NOT_SAME);
    }
    OK(MPI_Comm_free(&world));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    balanced_extents();
    grid(0);
    grid(1);
    inheritance();
    slices();
    mapping();
    errors();
    return check_end();
}
