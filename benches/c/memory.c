/* The memory of all ranks once they have met: the proportional set size of their processes, each counted once.
 *
 * Prints "memory RANKS KIBIBYTES_PER_RANK".
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Proportional set size of a process in KiB; pages that several processes share count in parts. */
static long proportional_set_size(int process)
{
    char path[64], line[256];
    long kib = -1;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
    FILE *file = fopen(path, "r");
    while (file != NULL && kib < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Pss: %ld", &kib) != 1)
            kib = -1;
    if (file != NULL)
        fclose(file);
    return kib;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int rank, ranks, process = (int)getpid(), *processes = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        processes = malloc((size_t)ranks * sizeof *processes);
    MPI_Gather(&process, 1, MPI_INT, processes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        long total = 0;
        qsort(processes, (size_t)ranks, sizeof *processes, ascending);
        for (int i = 0; i < ranks; i++) {
            if (i > 0 && processes[i] == processes[i - 1])
                continue;
            long kib = proportional_set_size(processes[i]);
            if (kib < 0)
                MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
            total += kib;
        }
        printf("memory %d %.1f\n", ranks, (double)total / ranks);
    }
    free(processes);
    MPI_Barrier(MPI_COMM_WORLD); /* all stay until they have been measured */
    MPI_Finalize();
    return 0;
}
