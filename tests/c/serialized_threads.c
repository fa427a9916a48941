/* A second thread of each rank exchanges messages with the next rank and the one before, while the main threads of
 * other ranks do the same: of the threads of a rank one at a time calls MPI. Before and after that the main threads
 * exchange messages by themselves. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 5000, LONG = 300 };

static int rank, ranks, wrong;

static void rounds(int count)
{
    int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, sent[LONG], got[LONG];
    for (int round = 0; round < count; round++) {
        int length = round % 3 == 0 ? LONG : 2;
        MPI_Request requests[2];
        sent[0] = round;
        sent[length - 1] = rank;
        if (round % 2 == 0) {
            MPI_Sendrecv(sent, length, MPI_INT, to, 0, got, length, MPI_INT, from, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(got, length, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(sent, length, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        wrong += got[0] != round || got[length - 1] != from;
    }
}

static void *elsewhere(void *unused)
{
    rounds(ROUNDS);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rounds(100);
    if (rank % 2 == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, elsewhere, NULL) != 0 || pthread_join(thread, NULL) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        rounds(ROUNDS);
    }
    rounds(100);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Finalize();
    return 0;
}
