/* Heat conduction in a periodic square: an implicit step, solved by conjugate gradients.
 *
 * Each task has a rectangle. An iteration exchanges the edges of a vector with the four neighbours while the inner part
 * is being worked on, and adds two numbers over all tasks. Arguments: cells of a side, and iterations. The residual is
 * computed anew in the end, and has to be small. Prints "iteration TASKS MICROSECONDS".
 */
#include "grid.h"

#include <math.h>

enum { REPETITIONS = 2 };

/* Conductivity times step over the square of a cell's width: the condition number is 9. */
static const double FLOW = 1.0;

static int iterations, stride;
static double *heat, *solution, *residual, *direction, *applied;
static double *sent[SIDES], *received[SIDES];

/* A number between 0 and 1 that depends on the place. */
static double random_heat(int x, int y)
{
    unsigned h = (unsigned)x * 2654435761u ^ (unsigned)y * 2246822519u;
    h = (h ^ h >> 15) * 2654435761u;
    return (double)(h >> 8) / (1 << 24);
}

static size_t place(int row, int column)
{
    return (size_t)row * (size_t)stride + (size_t)column;
}

static void apply_part(const double *from, double *to, int row, int first, int last)
{
    const double *here = from + place(row, 0), *below = from + place(row - 1, 0), *above = from + place(row + 1, 0);
    double *out = to + place(row, 0);
    for (int i = first; i <= last; i++)
        out[i] = (1 + 4 * FLOW) * here[i] - FLOW * (here[i - 1] + here[i + 1] + below[i] + above[i]);
}

static void post(double *from, MPI_Request *requests)
{
    int length[SIDES] = {width, width, height, height};
    for (int i = 0; i < SIDES; i++)
        MPI_Irecv(received[i], length[i], MPI_DOUBLE, neighbour[i], i, grid, &requests[i]);
    for (int i = 1; i <= width; i++) {
        sent[0][i - 1] = from[place(1, i)];
        sent[1][i - 1] = from[place(height, i)];
    }
    for (int j = 1; j <= height; j++) {
        sent[2][j - 1] = from[place(j, 1)];
        sent[3][j - 1] = from[place(j, width)];
    }
    /* What goes south is what its receiver has from the north, and so on. */
    for (int i = 0; i < SIDES; i++)
        MPI_Isend(sent[i], length[i], MPI_DOUBLE, neighbour[i], i ^ 1, grid, &requests[SIDES + i]);
}

static void take(double *into)
{
    for (int i = 1; i <= width; i++) {
        into[place(0, i)] = received[0][i - 1];
        into[place(height + 1, i)] = received[1][i - 1];
    }
    for (int j = 1; j <= height; j++) {
        into[place(j, 0)] = received[2][j - 1];
        into[place(j, width + 1)] = received[3][j - 1];
    }
}

static void apply(double *from, double *to)
{
    MPI_Request requests[2 * SIDES];
    post(from, requests);
    for (int row = 2; row < height; row++)
        apply_part(from, to, row, 2, width - 1);
    MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
    take(from);
    apply_part(from, to, 1, 1, width);
    apply_part(from, to, height, 1, width);
    for (int row = 2; row < height; row++) {
        apply_part(from, to, row, 1, 1);
        apply_part(from, to, row, width, width);
    }
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int row = 1; row <= height; row++)
        for (int i = 1; i <= width; i++)
            sum += a[place(row, i)] * b[place(row, i)];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
    return sum;
}

/* to += factor * from, or to = from + factor * to. */
static void add(double *to, double factor, const double *from)
{
    for (int row = 1; row <= height; row++)
        for (int i = 1; i <= width; i++)
            to[place(row, i)] += factor * from[place(row, i)];
}

static void extend(double *to, double factor, const double *from)
{
    for (int row = 1; row <= height; row++)
        for (int i = 1; i <= width; i++)
            to[place(row, i)] = from[place(row, i)] + factor * to[place(row, i)];
}

static void begin(void)
{
    for (int row = 1; row <= height; row++)
        for (int i = 1; i <= width; i++) {
            size_t here = place(row, i);
            heat[here] = random_heat(left + i, bottom + row);
            residual[here] = direction[here] = heat[here];
            solution[here] = 0;
        }
}

static double solve(void)
{
    begin();
    double square = product(residual, residual);
    double start = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        apply(direction, applied);
        double length = square / product(direction, applied);
        add(solution, length, direction);
        add(residual, -length, applied);
        double next = product(residual, residual);
        extend(direction, next / square, residual);
        square = next;
    }
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    side = argument(argc, argv, 1, 2048);
    iterations = argument(argc, argv, 2, 30);
    place_task();
    stride = width + 2;
    double **vectors[] = {&heat, &solution, &residual, &direction, &applied};
    for (int i = 0; i < 5; i++)
        *vectors[i] = memory(place(height + 2, 0) * sizeof **vectors[i]);
    for (int i = 0; i < SIDES; i++) {
        sent[i] = memory((size_t)side * sizeof *sent[i]);
        received[i] = memory((size_t)side * sizeof *received[i]);
    }
    double best = best_of(REPETITIONS, solve);
    apply(solution, applied);
    add(applied, -1, heat);
    double error = sqrt(product(applied, applied) / product(heat, heat));
    require(error < 1e-6, "the residual is %g", error);
    if (rank == 0)
        printf("iteration %d %.2f\n", ranks, best / iterations * 1e6);
    for (int i = 0; i < 5; i++)
        free(*vectors[i]);
    for (int i = 0; i < SIDES; i++) {
        free(sent[i]);
        free(received[i]);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
