/* Many small parallel regions in each rank; says for each rank how many processors OpenMP sees and how many threads it
 * starts, whether the kernel agrees, and how threads wait. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, regions = argc > 1 ? atoi(argv[1]) : 0;
    long sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int region = 0; region < regions; region++) {
#pragma omp parallel reduction(+ : sum)
        sum += omp_get_thread_num() + 1;
    }
    int threads = 0;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    const char *policy = getenv("OMP_WAIT_POLICY");
    printf("rank %d processors %d %d threads %d waits %s %s\n", rank, omp_get_num_procs(), CPU_COUNT(&set), threads,
           policy ? policy : "as ever", sum == (long)regions * threads * (threads + 1) / 2 ? "OK" : "BAD");
    MPI_Finalize();
    return 0;
}
