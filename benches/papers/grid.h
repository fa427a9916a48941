/* A square of cells shared by the tasks of a periodic grid: each has a rectangle and four neighbours. */
#ifndef GRID_H
#define GRID_H

#include "papers.h"

enum { SOUTH, NORTH, WEST, EAST, SIDES };

static MPI_Comm grid;
static int neighbour[SIDES];
/* Of the whole square, and of this task's rectangle: cells, and the place of its first cell. */
static int side, width, height, left, bottom;

/* Finds this task's rectangle of a square with `side` cells in a row. */
static inline void place_task(void)
{
    int numbers[2] = {0, 0}, periodic[2] = {1, 1}, mine[2];
    MPI_Dims_create(ranks, 2, numbers);
    MPI_Cart_create(MPI_COMM_WORLD, 2, numbers, periodic, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, mine);
    MPI_Cart_shift(grid, 0, 1, &neighbour[SOUTH], &neighbour[NORTH]);
    MPI_Cart_shift(grid, 1, 1, &neighbour[WEST], &neighbour[EAST]);
    require(side % numbers[0] == 0 && side % numbers[1] == 0, "%d cells cannot be shared", side);
    height = side / numbers[0];
    width = side / numbers[1];
    bottom = mine[0] * height;
    left = mine[1] * width;
}

#endif
