/* Conjugate gradients for the staggered operator of lattice QCD: memory-bound, in phases, a halo exchange for each
 * application of the operator and two sums over all ranks for each iteration.
 *
 * Arguments: the four extents of the lattice, and iterations. The operator is checked with an eigenvector, the solution
 * by its residual. Prints "iteration RANKS MILLISECONDS", the rate of the operator in that time, "rate RANKS GFLOPS",
 * and how much of the work for the operator is about the faces of blocks, "faces RANKS PERCENT".
 */
#include "papers.h"

#include "lattice.h"

enum { REPETITIONS = 2 };

/* The square of the mass. */
static const double MASS = 0.5;

static struct block block;
static int peer_ahead[DIRECTIONS], peer_behind[DIRECTIONS];
static int iterations;
/* The seconds that this rank has worked for the operator within its block, and for the faces. */
static double inner, outer;
static vector *source, *solution, *residual, *direction, *half, *applied;

static void exchange_begin(MPI_Request *requests, int *posted, int products)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        if (!block.split[d])
            continue;
        int bytes = block.face[d] * (int)sizeof(vector);
        vector *in = products ? block.from_behind[d] : block.from_ahead[d];
        vector *out = products ? block.to_ahead[d] : block.to_behind[d];
        int from = products ? peer_behind[d] : peer_ahead[d], to = products ? peer_ahead[d] : peer_behind[d];
        MPI_Irecv(in, bytes, MPI_BYTE, from, 2 * d + products, MPI_COMM_WORLD, &requests[(*posted)++]);
        MPI_Isend(out, bytes, MPI_BYTE, to, 2 * d + products, MPI_COMM_WORLD, &requests[(*posted)++]);
    }
}

/* Adds the seconds since an earlier time to a sum. Returns the time. */
static double add_since(double *sum, double before)
{
    double now = MPI_Wtime();
    *sum += now - before;
    return now;
}

static void operate(vector *out, const vector *v)
{
    MPI_Request requests[4 * DIRECTIONS];
    int posted = 0;
    double time = MPI_Wtime();
    pack_vectors(&block, v);
    exchange_begin(requests, &posted, 0);
    time = add_since(&outer, time);
    multiply_adjoint(&block, v);
    time = add_since(&inner, time);
    exchange_begin(requests, &posted, 1);
    time = add_since(&outer, time);
    gather_inside(&block, out, v);
    add_since(&inner, time);
    MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
    time = MPI_Wtime();
    gather_faces(&block, out);
    add_since(&outer, time);
}

/* out = (MASS - D D) v */
static void apply(vector *out, const vector *v)
{
    operate(half, v);
    operate(out, half);
    for (int site = 0; site < block.sites; site++)
        for (int i = 0; i < COLOURS; i++)
            out[site].c[i] = MASS * v[site].c[i] - out[site].c[i];
}

static double product(const vector *a, const vector *b)
{
    const double *x = (const double *)a, *y = (const double *)b;
    double sum = 0, all = 0;
    for (int i = 0; i < 2 * COLOURS * block.sites; i++)
        sum += x[i] * y[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* to = scale * to + factor * from */
static void combine(vector *to, double scale, double factor, const vector *from)
{
    double *x = (double *)to;
    const double *y = (const double *)from;
    for (int i = 0; i < 2 * COLOURS * block.sites; i++)
        x[i] = scale * x[i] + factor * y[i];
}

static double solve(void)
{
    size_t bytes = (size_t)block.sites * sizeof *source;
    memset(solution, 0, bytes);
    memcpy(residual, source, bytes);
    memcpy(direction, source, bytes);
    double square = product(residual, residual);
    double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        apply(applied, direction);
        double length = square / product(direction, applied);
        combine(solution, 1, length, direction);
        combine(residual, 1, -length, applied);
        double next = product(residual, residual);
        combine(direction, next / square, 1, residual);
        square = next;
    }
    return MPI_Wtime() - begin;
}

static void check_operator(void)
{
    plane_wave(&block, source);
    apply(applied, source);
    combine(applied, 1, -(MASS + eigenvalue(&block)), source);
    double error = sqrt(product(applied, applied) / product(source, source));
    require(error < 1e-12, "the operator is wrong by %g", error);
}

static void check_solution(void)
{
    apply(applied, solution);
    combine(applied, 1, -1, source);
    double error = sqrt(product(applied, applied) / product(source, source));
    /* Each iteration makes the residual smaller by about a half: the condition number is 1 + 4 / MASS. */
    require(error < 4 * pow(0.55, iterations), "the residual is %g after %d iterations", error, iterations);
}

static void place_rank(const int *whole)
{
    int size[DIRECTIONS], numbers[DIRECTIONS], mine[DIRECTIONS], origin[DIRECTIONS], next = rank, stride = 1;
    require(split_lattice(whole, ranks, size, numbers), "the lattice cannot be shared by %d ranks", ranks);
    for (int d = 0; d < DIRECTIONS; d++) {
        mine[d] = next % numbers[d];
        next /= numbers[d];
        origin[d] = mine[d] * size[d];
        peer_ahead[d] = rank + ((mine[d] + 1) % numbers[d] - mine[d]) * stride;
        peer_behind[d] = rank + ((mine[d] + numbers[d] - 1) % numbers[d] - mine[d]) * stride;
        stride *= numbers[d];
    }
    block_make(&block, whole, size, origin);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int whole[DIRECTIONS];
    for (int d = 0; d < DIRECTIONS; d++)
        whole[d] = argument(argc, argv, 1 + d, d == 3 ? 32 : 16);
    iterations = argument(argc, argv, 5, 10);
    place_rank(whole);
    vector **vectors[] = {&source, &solution, &residual, &direction, &half, &applied};
    for (int i = 0; i < 6; i++)
        *vectors[i] = zeros((size_t)block.sites, sizeof **vectors[i]);
    check_operator();
    for (int site = 0; site < block.sites; site++)
        for (int i = 0; i < COLOURS; i++)
            source[site].c[i] = random_part((unsigned long)(rank * block.sites + site) * COLOURS + (unsigned long)i);
    inner = outer = 0;
    double best = best_of(REPETITIONS, solve), work[2] = {inner, outer}, all[2] = {0, 0};
    MPI_Reduce(work, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    check_solution();
    double sites = (double)block.sites * ranks;
    if (rank == 0)
        printf("iteration %d %.3f\nrate %d %.3f\nfaces %d %.1f\n", ranks, best / iterations * 1e3, ranks,
               2.0 * OPERATIONS * sites * iterations / best * 1e-9, ranks, 100 * all[1] / (all[0] + all[1]));
    for (int i = 0; i < 6; i++)
        free(*vectors[i]);
    block_free(&block);
    MPI_Finalize();
    return 0;
}
