/* Turns a program that knows nothing of MPI into one whose ranks run interleaved and wander between virtual processors:
 * linked to it, this initialises MPI before main, tells the program its rank by TEST_RANK, yields where the program
 * offers to, and finalises after main. Prints how often the rank was found on another processor than before. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int last_processor = -1, moves;

static void finish(void)
{
    printf("moved %d times\n", moves);
    MPI_Finalize();
}

__attribute__((constructor)) static void begin(void)
{
    char text[16];
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(text, sizeof text, "%d", rank);
    setenv("TEST_RANK", text, 1);
    atexit(finish);
}

void simurgh_test_yield(void);

void simurgh_test_yield(void)
{
    int found;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    int processor = sched_getcpu();
    moves += last_processor != -1 && processor != last_processor;
    last_processor = processor;
}
