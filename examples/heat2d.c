/* Heat conduction in a square plate: explicit finite differences, the plate cut into one block per rank.
 *
 *     mpicc -O2 heat2d.c -o heat2d && mpiexec -n 16 ./heat2d -n 1024 -s 500 -o plate.pgm
 *
 * The state is in plain global variables, as in many grown programs: each rank has its own copy of them.
 * A cell is computed from the same numbers in the same order however the plate is cut, and the largest change
 * of a step is a maximum, so the result is the same bit by bit for any number of ranks; the checksum shows it.
 */
#include <mpi.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UP, DOWN, LEFT, RIGHT, SIDES };

static const double CONDUCTION = 0.2; /* per step; stable up to 0.25 */

/* The plate, from the command line. */
int plate = 512; /* cells per side */
int steps = 200;
const char *output = NULL;

/* This rank's block: cells [row0, row0 + rows) x [col0, col0 + cols) of the plate, with a rim one cell wide. */
int rank, ranks;
int grid_rows, grid_cols; /* the ranks as a grid */
int row0, rows, col0, cols;
int neighbour[SIDES];
double *now, *next;
MPI_Datatype column;

static void fail(const char *message)
{
    fprintf(stderr, "heat2d: %s\n", message);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    exit(EXIT_FAILURE);
}

/* Cell (r, c) of the block; -1 and rows or cols are the rim. */
static double *cell(double *block, int r, int c)
{
    return block + (size_t)(r + 1) * (cols + 2) + (c + 1);
}

static void read_arguments(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "n:s:o:")) != -1;) {
        switch (option) {
        case 'n': plate = atoi(optarg); break;
        case 's': steps = atoi(optarg); break;
        case 'o': output = optarg; break;
        default: fail("usage: heat2d [-n CELLS_PER_SIDE] [-s STEPS] [-o IMAGE.pgm]");
        }
    }
    if (plate < 1 || plate > 32768)
        fail("a side has 1 to 32768 cells");
    if (steps < 0)
        fail("the number of steps cannot be negative");
}

/* Cells [first(i), first(i + 1)) belong to part i of so many parts of a side. */
static int first(int part, int parts)
{
    return (int)((int64_t)plate * part / parts);
}

/* Arranges the ranks as the squarest grid: the shorter the cuts, the less to exchange; rather more rows than columns,
 * since a row of cells is contiguous in memory. */
static void cut_plate(void)
{
    for (grid_cols = (int)sqrt(ranks); ranks % grid_cols != 0;)
        grid_cols--;
    grid_rows = ranks / grid_cols;
    if (grid_rows > plate)
        fail("more ranks in a column than cells: take a larger plate");

    int r = rank / grid_cols, c = rank % grid_cols;
    row0 = first(r, grid_rows);
    rows = first(r + 1, grid_rows) - row0;
    col0 = first(c, grid_cols);
    cols = first(c + 1, grid_cols) - col0;
    neighbour[UP] = r > 0 ? rank - grid_cols : MPI_PROC_NULL;
    neighbour[DOWN] = r + 1 < grid_rows ? rank + grid_cols : MPI_PROC_NULL;
    neighbour[LEFT] = c > 0 ? rank - 1 : MPI_PROC_NULL;
    neighbour[RIGHT] = c + 1 < grid_cols ? rank + 1 : MPI_PROC_NULL;

    MPI_Type_vector(rows, 1, cols + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
}

static int in_disc(double y, double x, double centre_y, double centre_x, double radius)
{
    double dy = y - centre_y, dx = x - centre_x;
    return dy * dy + dx * dx < radius * radius;
}

/* Where the plate is hot at first. Its left edge, outside the plate, is hot for ever, the other edges are cold. */
static double initial(int row, int col)
{
    double y = (row + 0.5) / plate, x = (col + 0.5) / plate;
    if (x < 0)
        return 1.0;
    if (x > 1 || y < 0 || y > 1)
        return 0.0;
    int ring = in_disc(y, x, 0.4, 0.45, 0.28) && !in_disc(y, x, 0.4, 0.45, 0.2);
    return ring || in_disc(y, x, 0.72, 0.74, 0.14) ? 1.0 : 0.0;
}

static void heat_plate(void)
{
    size_t bytes = (size_t)(rows + 2) * (cols + 2) * sizeof(double);
    now = malloc(bytes);
    next = malloc(bytes);
    if (now == NULL || next == NULL)
        fail("not enough memory for the plate");
    for (int r = -1; r <= rows; r++)
        for (int c = -1; c <= cols; c++)
            *cell(now, r, c) = initial(row0 + r, col0 + c);
    memcpy(next, now, bytes); /* for the rim at the edges of the plate, which no neighbour fills */
}

/* Fills the rim with the neighbours' outermost cells. A message's tag is the side it leaves by. */
static void exchange_rim(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request requests[2 * SIDES];
    MPI_Irecv(cell(now, -1, 0), cols, MPI_DOUBLE, neighbour[UP], DOWN, world, &requests[0]);
    MPI_Irecv(cell(now, rows, 0), cols, MPI_DOUBLE, neighbour[DOWN], UP, world, &requests[1]);
    MPI_Irecv(cell(now, 0, -1), 1, column, neighbour[LEFT], RIGHT, world, &requests[2]);
    MPI_Irecv(cell(now, 0, cols), 1, column, neighbour[RIGHT], LEFT, world, &requests[3]);
    MPI_Isend(cell(now, 0, 0), cols, MPI_DOUBLE, neighbour[UP], UP, world, &requests[4]);
    MPI_Isend(cell(now, rows - 1, 0), cols, MPI_DOUBLE, neighbour[DOWN], DOWN, world, &requests[5]);
    MPI_Isend(cell(now, 0, 0), 1, column, neighbour[LEFT], LEFT, world, &requests[6]);
    MPI_Isend(cell(now, 0, cols - 1), 1, column, neighbour[RIGHT], RIGHT, world, &requests[7]);
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
}

/* One step of time; returns the largest change of a cell of this block. */
static double conduct(void)
{
    double largest = 0.0;
    for (int r = 0; r < rows; r++) {
        const double *above = cell(now, r - 1, 0), *here = cell(now, r, 0), *below = cell(now, r + 1, 0);
        double *after = cell(next, r, 0);
        for (int c = 0; c < cols; c++) {
            double change = CONDUCTION * (above[c] + below[c] + here[c - 1] + here[c + 1] - 4.0 * here[c]);
            after[c] = here[c] + change;
            largest = fabs(change) > largest ? fabs(change) : largest;
        }
    }
    double *before = now;
    now = next;
    next = before;
    return largest;
}

/* The whole plate, on rank 0 only. Sender and receiver describe a block each as it lies in their memory. */
static double *gather(void)
{
    MPI_Datatype block;
    MPI_Request sent;
    MPI_Type_vector(rows, cols, cols + 2, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    MPI_Isend(cell(now, 0, 0), 1, block, 0, SIDES, MPI_COMM_WORLD, &sent);
    MPI_Type_free(&block);

    double *whole = NULL;
    if (rank == 0) {
        whole = malloc((size_t)plate * plate * sizeof(double));
        if (whole == NULL)
            fail("not enough memory for the whole plate");
        for (int from = 0; from < ranks; from++) {
            int r = from / grid_cols, c = from % grid_cols;
            int top = first(r, grid_rows), left = first(c, grid_cols);
            int height = first(r + 1, grid_rows) - top, width = first(c + 1, grid_cols) - left;
            MPI_Type_vector(height, width, plate, MPI_DOUBLE, &block);
            MPI_Type_commit(&block);
            MPI_Recv(whole + (size_t)top * plate + left, 1, block, from, SIDES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Type_free(&block);
        }
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    return whole;
}

/* FNV-1a over every bit of every cell. */
static uint64_t checksum(const double *whole)
{
    const unsigned char *bytes = (const unsigned char *)whole;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < (size_t)plate * plate * sizeof(double); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A grey image with 16 bits per cell. */
static void write_image(const double *whole)
{
    FILE *file = fopen(output, "wb");
    if (file == NULL)
        fail("cannot open the image file for writing");
    fprintf(file, "P5\n%d %d\n65535\n", plate, plate);
    for (size_t i = 0; i < (size_t)plate * plate; i++) {
        unsigned grey = (unsigned)(whole[i] * 65535.0 + 0.5);
        putc(grey >> 8, file);
        putc(grey & 255, file);
    }
    if (fclose(file) != 0)
        fail("cannot write the image file");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_arguments(argc, argv);
    cut_plate();
    heat_plate();

    double largest = 0.0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        exchange_rim();
        double mine = conduct();
        MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    double seconds = MPI_Wtime() - start;

    double *whole = gather();
    if (rank == 0) {
        printf("plate %d x %d, %d steps, %d ranks as %d x %d\n", plate, plate, steps, ranks, grid_rows, grid_cols);
        printf("seconds %.6f\nlargest change %.17g\n", seconds, largest);
        printf("checksum %016llx\n", (unsigned long long)checksum(whole));
        if (output != NULL)
            write_image(whole);
    }
    free(whole);
    free(now);
    free(next);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
