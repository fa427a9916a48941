/* Writes where there is no room, and says what of that it has learnt. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("a line\n");
    if (fflush(stdout))
        fprintf(stderr, "rank %d: fflush: %s\n", rank, strerror(errno));
    if (fflush(stdout))
        fprintf(stderr, "rank %d: told twice\n", rank);
    if (write(STDOUT_FILENO, "another\n", 8) < 0)
        fprintf(stderr, "rank %d: write: %s\n", rank, strerror(errno));
    printf("and half of one");
    if (fclose(stdout))
        fprintf(stderr, "rank %d: fclose: %s\n", rank, strerror(errno));
    MPI_Finalize();
    return 0;
}
