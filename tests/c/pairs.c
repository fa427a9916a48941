/* Each rank exchanges much with the rank half the job away, and little with the next one. It says on which kernel
 * thread it has run. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { LONG = 10000, ROUNDS = 5 };

int main(int argc, char **argv) {
    static char out[LONG], in[LONG];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int partner = (rank + size / 2) % size, next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Sendrecv(out, LONG, MPI_CHAR, partner, 0, in, LONG, MPI_CHAR, partner, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, 8, MPI_CHAR, next, 1, in, 8, MPI_CHAR, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    printf("%d %d\n", rank, gettid());
    MPI_Finalize();
    return 0;
}
