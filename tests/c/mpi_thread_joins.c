/* Each round, every rank has a thread that receives from all ranks, and the main thread joins it: threads begin, wait
 * and end while all others sleep, which is no deadlock at any moment. */
#include "mpi_check.h"

#include <pthread.h>

enum { ROUNDS = 4000, TAG = 111 };

static void *listen_to_all(void *unused)
{
    for (int i = 0; i < check_size; i++)
        OK(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return unused;
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t listener;
        CHECK(pthread_create(&listener, NULL, listen_to_all, NULL) == 0);
        for (int to = 0; to < check_size; to++)
            OK(MPI_Send(NULL, 0, MPI_INT, to, TAG, MPI_COMM_WORLD));
        CHECK(pthread_join(listener, NULL) == 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return check_end();
}
