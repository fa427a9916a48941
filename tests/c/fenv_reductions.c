/* Reductions round as the ranks do that take part in them, whoever does the work: pairs of ranks, one upwards, the next
 * downwards. Prints "reductions OK" for each rank. */
#include "fenv_check.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1 << 18, ROUNDS = 8 };

static int rank, pair_rank, up, bad;
static MPI_Comm pair;
static double *mine, *sum;

/* 1 + 1e-20 is 1, or the next number. */
static int is_rounded(int count)
{
    double right = up ? 1 + 0x1p-52 : 1;
    for (int i = 0; i < count; i++)
        if (sum[i] != right)
            return 0;
    return rounds_as(up ? FE_UPWARD : FE_DOWNWARD);
}

static void expect(int right, const char *what, int count)
{
    if (!right && bad++ < 5)
        printf("BAD %s of %d by rank %d\n", what, count, rank);
}

static void compute(void)
{
    volatile double value = 0;
    for (int i = 0; i < 100000; i++)
        value += 1;
}

static void reduce(int count)
{
    MPI_Request request;
    MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, pair);
    expect(is_rounded(count), "MPI_Allreduce", count);
    sum[0] = -1;
    MPI_Reduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, 0, pair);
    expect(pair_rank != 0 || is_rounded(count), "MPI_Reduce", count);
    MPI_Reduce_scatter_block(mine, sum, count / 2, MPI_DOUBLE, MPI_SUM, pair);
    expect(is_rounded(count / 2), "MPI_Reduce_scatter_block", count);
    MPI_Iallreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, pair, &request);
    compute();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(is_rounded(count), "MPI_Iallreduce", count);
    MPI_Scan(mine, sum, count, MPI_DOUBLE, MPI_SUM, pair);
    expect(pair_rank == 0 || is_rounded(count), "MPI_Scan", count);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_rank(pair, &pair_rank);
    up = rank / 2 % 2;
    fesetround(up ? FE_UPWARD : FE_DOWNWARD);
    mine = malloc(LARGE * sizeof *mine);
    sum = malloc(LARGE * sizeof *sum);
    for (int i = 0; i < LARGE; i++)
        mine[i] = pair_rank ? 1e-20 : 1;
    for (int round = 0; round < ROUNDS; round++) {
        reduce(2);
        reduce(LARGE);
    }
    puts(bad ? "reductions BAD" : "reductions OK");
    MPI_Comm_free(&pair);
    MPI_Finalize();
    free(mine);
    free(sum);
    return 0;
}
