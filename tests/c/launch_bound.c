/* Says on which processors the thread of each rank may run, and whether that changes while others wait. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 2000 };

static void processors(char list[512])
{
    char line[512];
    FILE *status = fopen("/proc/thread-self/status", "r");
    list[0] = 0;
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "Cpus_allowed_list:", 18))
            sscanf(line + 18, "%511s", list);
    if (status)
        fclose(status);
}

int main(int argc, char **argv)
{
    int rank;
    char before[512], after[512];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    processors(before);
    /* Where the other half lives there is nothing to do meanwhile. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int round = 0; rank % 2 == 0 && round < ROUNDS; round++)
        MPI_Barrier(half);
    processors(after);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d %s%s\n", rank, before, strcmp(before, after) ? " (moved)" : "");
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
