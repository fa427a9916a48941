/* How many mappings the process of rank 0 has when all ranks are there. As C or as C++. */
#include <mpi.h>
#ifdef __cplusplus
#include <iostream>
#endif
#include <stdio.h>

static int mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    int lines = 0, c;

    if (!file)
        return -1;
    while ((c = getc(file)) != EOF)
        lines += c == '\n';
    fclose(file);
    return lines;
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", mappings());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
