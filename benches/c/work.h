/* What programs share that measure how computation and communication overlap. */
#ifndef WORK_H
#define WORK_H

#include <mpi.h>
#include <stdlib.h>

static volatile double sink = 2.0;

/* Work that uses the processor and no memory. */
static inline void work(long steps)
{
    double x = sink;
    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 0.000001;
    sink = x;
}

/* Steps of work that take so long. */
static inline long steps_for(double seconds)
{
    for (long steps = 1000;; steps *= 2) {
        double begin = MPI_Wtime();
        work(steps);
        double took = MPI_Wtime() - begin;
        if (took > 0.005)
            return (long)((double)steps * seconds / took) + 1;
    }
}

static inline int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of so many times, which are sorted. */
static inline double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, by_size);
    return times[count / 2];
}

#endif
