/* Ranks of a job whose other ranks are programs in Python (xtask/src/wheel/languages.py, with rank 0) and in Fortran
 * (tests/fortran/languages.f90, with the last rank). */
#include "mpi_check.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int rank = check_rank, size = check_size;
    /* Round the ring: what comes from the left is from another language at the borders. */
    int mine[2] = {rank, rank * rank}, came[2] = {-1, -1}, left = (rank + size - 1) % size;
    MPI_Status status;
    OK(MPI_Sendrecv(mine, 2, MPI_INTEGER, (rank + 1) % size, 3, came, 2, MPI_INTEGER, left, 3, MPI_COMM_WORLD,
                    &status));
    CHECK(came[0] == left && came[1] == left * left && status.MPI_SOURCE == left);
    int sum = -1;
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size * (size - 1) / 2);
    char text[7] = "";
    OK(MPI_Bcast(text, 6, MPI_CHARACTER, 0, MPI_COMM_WORLD));
    CHECK(strcmp(text, "python") == 0);
    double numbers[3] = {0};
    OK(MPI_Bcast(numbers, 3, MPI_DOUBLE_PRECISION, size - 1, MPI_COMM_WORLD));
    CHECK(numbers[0] == 0.25 && numbers[1] == 0.5 && numbers[2] == 0.75);
    int process = getpid();
    OK(MPI_Gather(&process, 1, MPI_INTEGER, NULL, 0, MPI_INTEGER, 0, MPI_COMM_WORLD));
    OK(MPI_Finalize());
    return 0;
}
