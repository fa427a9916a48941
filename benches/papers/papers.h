/* What the programs of this folder share: ends with an account, and the repetition of what is measured. */
#ifndef PAPERS_H
#define PAPERS_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/* How often what is timed is repeated to find out how long it takes. Once is not enough: who runs for the first time
 * touches memory for the first time. */
enum { SEVERAL = 3 };

/* Ends the job unless the condition holds: a wrong result has no time. */
__attribute__((format(printf, 2, 3))) static inline void require(int condition, const char *format, ...)
{
    if (condition)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "rank %d: ", rank);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* Memory, or the end of the job. */
static inline void *memory(size_t bytes)
{
    void *block = malloc(bytes);
    require(block != NULL, "no memory for %zu bytes", bytes);
    return block;
}

/* The argument of a place, or a number if there is none. */
static inline int argument(int argc, char **argv, int place, int otherwise)
{
    return place < argc ? atoi(argv[place]) : otherwise;
}

/* The best time of several repetitions; each takes the time of the slowest rank. All ranks have the result. */
static inline double best_of(int repetitions, double (*timed)(void))
{
    double best = 1e300;
    for (int i = 0; i < repetitions; i++) {
        double seconds = timed();
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = seconds < best ? seconds : best;
    }
    return best;
}

#endif
