/* Prints one number for all bits of reductions of floating-point numbers whose result depends on the order in which
 * they are combined: of all kinds, short and long. Two runs with as many ranks have to print the same. */
#include "mpi_check.h"

#include <stdint.h>

enum { LONGEST = 100000 };

static uint64_t digest = 14695981039346656037u;

static void enter(const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        digest = (digest ^ byte[i]) * 1099511628211u;
}

/* Numbers of all magnitudes. */
static double number(int i)
{
    uint64_t z = (uint64_t)(check_rank + 1) * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 31)) * 0x94d049bb133111ebu;
    z ^= z >> 29;
    double value = 1 + (double)(z >> 40) / (1 << 24);
    for (int power = (int)(z % 41); power > 0; power--)
        value *= power % 2 ? 4 : 0.5;
    return z & 64 ? value : -value;
}

/* Neither commutative nor associative. */
static void decay(void *left, void *right, int *count, MPI_Datatype *type)
{
    (void)type;
    double *a = left, *b = right;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] * 0.75 + b[i];
}

static void sums(int n, MPI_Datatype type, size_t bytes, void *given, void *taken, MPI_Op op)
{
    int own = n / check_size, *counts = malloc(check_size * sizeof *counts);
    CHECK(counts);
    OK(MPI_Allreduce(given, taken, n, type, op, MPI_COMM_WORLD));
    enter(taken, n * bytes);
    OK(MPI_Reduce(given, taken, n, type, op, check_size - 1, MPI_COMM_WORLD));
    enter(taken, n * bytes);
    OK(MPI_Scan(given, taken, n, type, op, MPI_COMM_WORLD));
    enter(taken, n * bytes);
    memset(taken, 0, n * bytes);
    OK(MPI_Exscan(given, taken, n, type, op, MPI_COMM_WORLD));
    enter(taken, n * bytes);
    OK(MPI_Reduce_scatter_block(given, taken, own, type, op, MPI_COMM_WORLD));
    enter(taken, own * bytes);
    for (int r = 0; r < check_size; r++)
        counts[r] = r == 0 ? n - own * (check_size - 1) : own;
    OK(MPI_Reduce_scatter(given, taken, counts, type, op, MPI_COMM_WORLD));
    enter(taken, counts[check_rank] * bytes);
    free(counts);
}

int main(int argc, char **argv)
{
    static double numbers[LONGEST], results[LONGEST];
    static float short_numbers[LONGEST], short_results[LONGEST];
    check_begin(&argc, &argv);
    MPI_Op op;
    OK(MPI_Op_create(decay, 0, &op));
    for (int i = 0; i < LONGEST; i++)
        short_numbers[i] = (float)(numbers[i] = number(i));
    for (int n = 1; n <= LONGEST; n = n * 7 + n % 3) {
        sums(n, MPI_DOUBLE, sizeof(double), numbers, results, MPI_SUM);
        sums(n, MPI_DOUBLE, sizeof(double), numbers, results, MPI_PROD);
        sums(n, MPI_FLOAT, sizeof(float), short_numbers, short_results, MPI_SUM);
        sums(n, MPI_DOUBLE, sizeof(double), numbers, results, op);
    }
    OK(MPI_Op_free(&op));
    uint64_t all;
    OK(MPI_Reduce(&digest, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD));
    if (check_rank == 0)
        printf("%016llx\n", (unsigned long long)all);
    OK(MPI_Finalize());
    return 0;
}
