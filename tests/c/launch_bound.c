/* Says on which processors the thread of each rank may run. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;
    char line[512], list[512] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *status = fopen("/proc/thread-self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "Cpus_allowed_list:", 18))
            sscanf(line + 18, "%511s", list);
    if (status)
        fclose(status);
    printf("%d %s\n", rank, list);
    MPI_Finalize();
    return 0;
}
