/* The memory of a job whose ranks have all talked to a neighbour, one on each other host, and in a collective: the
 * proportional set size of all processes.
 *
 * Prints "memory RANKS KIBIBYTES_PER_RANK" and "whole RANKS MEBIBYTES".
 */
#include "papers.h"

#include <unistd.h>

/* Proportional set size of a process in KiB; pages that several processes share count in parts. */
static long proportional_set_size(int process)
{
    char path[64], line[256];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
    FILE *file = fopen(path, "r");
    require(file != NULL, "%s cannot be read", path);
    while (kib < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Pss: %ld", &kib) != 1)
            kib = -1;
    fclose(file);
    return kib;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Every rank hears from one that is so far away. */
static void talk(int distance)
{
    int heard = -1, from = (rank + distance) % ranks;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + ranks - distance) % ranks, 0, &heard, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    require(heard == from, "heard %d, not %d", heard, from);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int process = (int)getpid(), sum = 0;
    int *processes = memory((size_t)ranks * sizeof *processes);
    talk(1 % ranks);
    talk(ranks / 2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require(sum == ranks * (ranks - 1) / 2, "the sum of all ranks is %d", sum);
    MPI_Gather(&process, 1, MPI_INT, processes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        long total = 0;
        qsort(processes, (size_t)ranks, sizeof *processes, ascending);
        for (int i = 0; i < ranks; i++)
            if (i == 0 || processes[i] != processes[i - 1])
                total += proportional_set_size(processes[i]);
        printf("memory %d %.1f\nwhole %d %.2f\n", ranks, (double)total / ranks, ranks, (double)total / 1024);
    }
    free(processes);
    MPI_Barrier(MPI_COMM_WORLD); /* all stay until they have been measured */
    MPI_Finalize();
    return 0;
}
