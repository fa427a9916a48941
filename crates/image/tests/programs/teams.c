/* OpenMP: the team, its runtime and threadprivate variables belong to the rank. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int mine;
#pragma omp threadprivate(mine)

int main(void)
{
    int rank = atoi(getenv("TEST_RANK")), bad = 0;
    long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum, bad)
    {
        mine = rank * 10 + omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < 1000; i++)
            sum += i + rank;
        bad += mine != rank * 10 + omp_get_thread_num();
    }
    printf("teams %s\n", !bad && sum == 499500 + 1000L * rank ? "OK" : "BAD");
    return 0;
}
