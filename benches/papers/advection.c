/* Advection over a periodic square, first order upwind, one direction after the other.
 *
 * Each task has a rectangle of the square. A step takes the row below and the column to the left from the neighbours
 * there, and passes twice over the rectangle. Arguments: cells of a side, steps, and 1 if each step allocates its field
 * anew. A wave is an eigenfunction of the scheme, so the field after any number of steps is known. Prints "step TASKS
 * MICROSECONDS".
 */
#include "grid.h"

#include <complex.h>
#include <math.h>

enum { REPETITIONS = 3 };

static const double ACROSS = 0.4, UPWARDS = 0.3;

static int steps, anew;
/* The field and the result of the first pass, with a column more at the left and a row more at the bottom. */
static double *field, *between, *column;

static double *at(double *cells, int row, int place)
{
    return cells + (size_t)row * (size_t)(width + 1) + place;
}

static size_t cells(void)
{
    return (size_t)(width + 1) * (size_t)(height + 1);
}

/* What a step does to the wave. */
static double complex factor(void)
{
    return (1 - ACROSS * (1 - cexp(-I * 2 * M_PI / side))) * (1 - UPWARDS * (1 - cexp(-I * 4 * M_PI / side)));
}

/* The wave at a cell, with an amplitude and a phase. */
static double wave(int row, int place, double amplitude, double phase)
{
    int x = left + place - 1, y = bottom + row - 1;
    return 2 + amplitude * cos(2 * M_PI * (x + 2 * y) / side + phase);
}

static void begin(void)
{
    for (int row = 1; row <= height; row++)
        for (int place = 1; place <= width; place++)
            *at(field, row, place) = wave(row, place, 1, 0);
}

static void check(void)
{
    double amplitude = pow(cabs(factor()), steps), phase = steps * carg(factor());
    for (int row = 1; row <= height; row++)
        for (int place = 1; place <= width; place++) {
            double expected = wave(row, place, amplitude, phase), found = *at(field, row, place);
            require(fabs(found - expected) < 1e-9, "cell %d, %d is %g and not %g", place, row, found, expected);
        }
}

static void exchange(void)
{
    MPI_Sendrecv(at(field, height, 1), width, MPI_DOUBLE, neighbour[NORTH], 0, at(field, 0, 1), width, MPI_DOUBLE,
                 neighbour[SOUTH], 0, grid, MPI_STATUS_IGNORE);
    for (int row = 0; row <= height; row++)
        column[row] = *at(field, row, width);
    MPI_Sendrecv_replace(column, height + 1, MPI_DOUBLE, neighbour[EAST], 1, neighbour[WEST], 1, grid,
                         MPI_STATUS_IGNORE);
    for (int row = 0; row <= height; row++)
        *at(field, row, 0) = column[row];
}

static void step(void)
{
    exchange();
    for (int row = 0; row <= height; row++) {
        const double *from = at(field, row, 0);
        double *to = at(between, row, 0);
        for (int place = 1; place <= width; place++)
            to[place] = from[place] - ACROSS * (from[place] - from[place - 1]);
    }
    if (anew) {
        free(field);
        field = memory(cells() * sizeof *field);
    }
    for (int row = 1; row <= height; row++) {
        const double *from = at(between, row, 0), *below = at(between, row - 1, 0);
        double *to = at(field, row, 0);
        for (int place = 1; place <= width; place++)
            to[place] = from[place] - UPWARDS * (from[place] - below[place]);
    }
}

static double advance(void)
{
    begin();
    MPI_Barrier(grid);
    double start = MPI_Wtime();
    for (int i = 0; i < steps; i++)
        step();
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    side = argument(argc, argv, 1, 2048);
    steps = argument(argc, argv, 2, 20);
    anew = argument(argc, argv, 3, 0);
    place_task();
    field = memory(cells() * sizeof *field);
    between = memory(cells() * sizeof *between);
    column = memory((size_t)(height + 1) * sizeof *column);
    double best = best_of(REPETITIONS, advance);
    check();
    if (rank == 0)
        printf("step %d %.2f\n", ranks, best / steps * 1e6);
    free(field);
    free(between);
    free(column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
