/* A second thread of each rank exchanges messages with that of another rank, while the main thread, which keeps the
 * only virtual processor of its rank, waits for it without a call of MPI: it looks at memory, meets it at a barrier, or
 * reads what it writes. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 2000 };

static int rank, partner, channel[2];
static atomic_int over;
static pthread_barrier_t meeting;
static const char *way;

static void *talk(void *unused)
{
    int token = 0;
    for (int round = 0; round < ROUNDS; round++)
        if (rank < partner) {
            MPI_Send(&round, 1, MPI_INT, partner, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Request request;
            MPI_Irecv(&token, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, &request);
            for (int done = 0; round % 100 == 0 && !done;)
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Send(&token, 1, MPI_INT, partner, 0, MPI_COMM_WORLD);
        }
    if (token != ROUNDS - 1)
        printf("BAD token %d\n", token);
    atomic_store(&over, 1);
    if (strcmp(way, "barrier") == 0)
        pthread_barrier_wait(&meeting);
    if (strcmp(way, "read") == 0 && write(channel[1], "x", 1) != 1)
        printf("BAD pipe\n");
    return unused;
}

static void wait_for_it(void)
{
    char byte;
    if (strcmp(way, "barrier") == 0)
        pthread_barrier_wait(&meeting);
    else if (strcmp(way, "read") == 0 && read(channel[0], &byte, 1) != 1)
        printf("BAD pipe\n");
    while (!atomic_load(&over)) {
    }
}

int main(int argc, char **argv)
{
    int provided, ranks;
    pthread_t thread;
    way = argc > 1 ? argv[1] : "spin";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    /* A rank of the other half: on another host. */
    partner = (rank + ranks / 2) % ranks;
    pthread_barrier_init(&meeting, NULL, 2);
    if (pipe(channel) != 0 || pthread_create(&thread, NULL, talk, NULL) != 0)
        printf("BAD thread\n");
    wait_for_it();
    pthread_join(thread, NULL);
    printf("talks OK\n");
    MPI_Finalize();
    return 0;
}
