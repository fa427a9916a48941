/* In each parallel region one thread exchanges messages with the neighbours of the rank, testing again and again, while
 * the main thread waits at the region's end. Libraries for OpenMP wait there without a call of the C library. */
#include "mpi_check.h"
#include <omp.h>

enum { ROUNDS = 50 };

static void exchange(int round)
{
    int next = (check_rank + 1) % check_size, previous = (check_rank + check_size - 1) % check_size;
    int sent = 1000 * round + check_rank, received = -1, done = 0, count, indices[2];
    MPI_Request requests[2];
    OK(MPI_Irecv(&received, 1, MPI_INT, previous, round, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(&sent, 1, MPI_INT, next, round, MPI_COMM_WORLD, &requests[1]));
    while (done < 2) {
        OK(MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE));
        done += count;
    }
    CHECK(received == 1000 * round + previous);
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
        {
            if (omp_get_num_threads() != 2 || omp_get_thread_num() == 1)
                exchange(round);
        }
    }
    return check_end();
}
