/* One job with `tests/rust/job.rs`: a ring of messages and a sum over ranks in C and in Rust. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int mine = 100 + rank, theirs = 0, sum = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 5, &theirs, 1, MPI_INT, (rank + size - 1) % size, 5,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("c: rank %d of %d: sum %d, from %d: %d\n", rank, size, sum, (rank + size - 1) % size, theirs);
    MPI_Finalize();
    return 0;
}
