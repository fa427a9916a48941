/* An allocator under ranks that share a process: each rank keeps some hundred blocks of different sizes, and replaces
 * one after the other.
 *
 * Each block carries a mark of its rank and place, which is looked at before it is freed. Prints "replaced RANKS
 * NANOSECONDS": of a core for one block.
 */
#include "papers.h"

enum { KEPT = 512, LONGEST = 1024, STEPS = 200000, REPETITIONS = 5 };

static int *blocks[KEPT];
static unsigned next = 1;

static unsigned random_number(void)
{
    next = next * 1664525u + 1013904223u;
    return next >> 8;
}

static int mark(int place)
{
    return rank * KEPT + place;
}

static void replace(int place)
{
    if (blocks[place] != NULL)
        require(*blocks[place] == mark(place), "the block at %d has another's mark", place);
    free(blocks[place]);
    blocks[place] = memory(sizeof **blocks + random_number() % LONGEST);
    *blocks[place] = mark(place);
}

static double replaced(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < STEPS / ranks; i++)
        replace((int)(random_number() % KEPT));
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int cores = argument(argc, argv, 1, 2);
    next += (unsigned)rank;
    double best = best_of(REPETITIONS, replaced);
    int busy = ranks < cores ? ranks : cores;
    if (rank == 0)
        printf("replaced %d %.2f\n", ranks, best / (STEPS / ranks * ranks) * busy * 1e9);
    for (int i = 0; i < KEPT; i++)
        free(blocks[i]);
    MPI_Finalize();
    return 0;
}
