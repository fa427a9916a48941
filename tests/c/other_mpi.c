/* Calls that any MPI has had for long, for programs that are linked with another one. The argument is how many ranks
 * share a node, if these are not all. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, node, got, sum, wrong;
    MPI_Comm all, half, shared;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Comm_split(all, rank % 2, rank, &half);
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_size(shared, &node);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT, (rank + size - 1) % size, 5, all,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, half);
    int expected = 0;
    for (int other = rank % 2; other < size; other += 2)
        expected += (other + size - 1) % size;
    wrong = node != (argc > 1 ? atoi(argv[1]) : size) || got != (rank + size - 1) % size || sum != expected;
    MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, 0, all);
    if (rank == 0)
        printf("%s with %d ranks\n", wrong ? "failed" : "passed", size);
    MPI_Comm_free(&half);
    MPI_Comm_free(&shared);
    MPI_Comm_free(&all);
    MPI_Finalize();
    return 0;
}
