/* Says for each rank whether denormals are zero, as they are in a program that is linked with -ffast-math. */
#include <mpi.h>
#include <stdio.h>

static int are_zero(void)
{
    volatile double denormal = 1e-300, result = denormal * 1e-10;
    return result == 0;
}

int main(int argc, char **argv)
{
    int at_first = are_zero(), later = 0;
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 100; round++) {
        int found;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        later += are_zero();
    }
    printf("%s %d %d\n", argv[1], at_first, later);
    MPI_Finalize();
    return 0;
}
