/* A halo exchange like that of S3D: fields of several variables, large nonblocking messages, and a difference operator
 * whose inner part needs none of them.
 *
 * The box is cut into a slab for each rank. Arguments: cells of a side, and steps. The fields are waves, of which the
 * operator makes multiples that are known. Prints "step RANKS MILLISECONDS", of which "wait RANKS MILLISECONDS" are
 * spent in MPI by rank 0.
 */
#include "papers.h"

#include <math.h>

enum { VARIABLES = 4, REPETITIONS = 3 };

static int side, steps, depth, bottom;
static double *field, *result;
static double waited;

static size_t plane(void)
{
    return (size_t)side * (size_t)side * VARIABLES;
}

/* The cells of a plane; planes 0 and depth + 1 are those of the neighbours. */
static double *at(double *cells, int layer)
{
    return cells + (size_t)layer * plane();
}

static double wave(int layer, int row, int column, int variable)
{
    return cos(2 * M_PI * (bottom + layer - 1 + row + column) / side + variable);
}

static void fill(void)
{
    for (int layer = 1; layer <= depth; layer++)
        for (int row = 0; row < side; row++)
            for (int column = 0; column < side; column++)
                for (int v = 0; v < VARIABLES; v++)
                    at(field, layer)[((size_t)row * side + column) * VARIABLES + v] = wave(layer, row, column, v);
}

/* The sum of second differences in a plane. */
static void operate(int layer)
{
    const double *here = at(field, layer), *below = at(field, layer - 1), *above = at(field, layer + 1);
    double *out = at(result, layer);
    for (int row = 0; row < side; row++) {
        size_t south = (size_t)((row + side - 1) % side) * side, north = (size_t)((row + 1) % side) * side;
        for (int column = 0; column < side; column++) {
            size_t west = (size_t)((column + side - 1) % side), east = (size_t)((column + 1) % side);
            size_t cell = ((size_t)row * side + column) * VARIABLES;
            for (int v = 0; v < VARIABLES; v++)
                out[cell + v] = below[cell + v] + above[cell + v] + here[(south + column) * VARIABLES + v] +
                                here[(north + column) * VARIABLES + v] +
                                here[((size_t)row * side + west) * VARIABLES + v] +
                                here[((size_t)row * side + east) * VARIABLES + v] - 6 * here[cell + v];
        }
    }
}

static void step(void)
{
    MPI_Request requests[4];
    int count = (int)plane(), ahead = (rank + 1) % ranks, behind = (rank + ranks - 1) % ranks;
    MPI_Irecv(at(field, 0), count, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(at(field, depth + 1), count, MPI_DOUBLE, ahead, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(at(field, depth), count, MPI_DOUBLE, ahead, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(at(field, 1), count, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &requests[3]);
    for (int layer = 2; layer < depth; layer++)
        operate(layer);
    double begin = MPI_Wtime();
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    waited += MPI_Wtime() - begin;
    operate(1);
    operate(depth);
}

static double several(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    waited = 0;
    double begin = MPI_Wtime();
    for (int i = 0; i < steps; i++)
        step();
    return MPI_Wtime() - begin;
}

static void check(void)
{
    double factor = 3 * (2 * cos(2 * M_PI / side) - 2);
    for (int layer = 1; layer <= depth; layer++)
        for (size_t cell = 0; cell < plane(); cell++) {
            double expected = factor * at(field, layer)[cell], found = at(result, layer)[cell];
            require(fabs(found - expected) < 1e-12, "layer %d is wrong: %g and not %g", layer, found, expected);
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    side = argument(argc, argv, 1, 128);
    steps = argument(argc, argv, 2, 10);
    require(side % ranks == 0, "%d cells cannot be shared", side);
    depth = side / ranks;
    bottom = rank * depth;
    size_t cells = plane() * (size_t)(depth + 2);
    field = memory(cells * sizeof *field);
    result = memory(cells * sizeof *result);
    memset(field, 0, cells * sizeof *field);
    memset(result, 0, cells * sizeof *result);
    fill();
    double best = best_of(REPETITIONS, several);
    check();
    if (rank == 0)
        printf("step %d %.3f\nwait %d %.3f\n", ranks, best / steps * 1e3, ranks, waited / steps * 1e3);
    free(field);
    free(result);
    MPI_Finalize();
    return 0;
}
