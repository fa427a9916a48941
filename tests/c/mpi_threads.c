/* Threads of one rank call MPI at the same time: blocking and nonblocking, each on its own tag, and by wildcards. */
#include "mpi_check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 300 };
static int right, left;

/* The main thread waits for the others in MPI, as other ranks may need the core that it would block. */
enum { DONE = 60 };

static void say_done(void)
{
    OK(MPI_Send(NULL, 0, MPI_BYTE, 0, DONE, MPI_COMM_SELF));
}

static void join(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, DONE, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
}

static void *exchange(void *argument)
{
    int me = *(int *)argument, flag;
    OK(MPI_Is_thread_main(&flag));
    CHECK(!flag);
    for (int round = 0; round < ROUNDS; round++) {
        int n = round % 7 ? 1 : 3000;
        int out[3000], in[3000];
        MPI_Request requests[2];
        for (int i = 0; i < n; i++)
            out[i] = check_rank + me * 100 + round * 1000 + i;
        if (round % 2) {
            OK(MPI_Sendrecv(out, n, MPI_INT, right, me, in, n, MPI_INT, left, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_Irecv(in, n, MPI_INT, left, me, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Isend(out, n, MPI_INT, right, me, MPI_COMM_WORLD, &requests[1]));
            OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        }
        for (int i = 0; i < n; i++)
            CHECK(in[i] == left + me * 100 + round * 1000 + i);
    }
    say_done();
    return NULL;
}

/* All threads send to and receive from the same pool of messages; their sum tells whether each came once. */
static void *pool(void *argument)
{
    long *sum = argument;
    for (int round = 0; round < ROUNDS; round++) {
        int value = round, got;
        MPI_Request request;
        OK(MPI_Isend(&value, 1, MPI_INT, right, 50, MPI_COMM_WORLD, &request));
        OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        *sum += got;
    }
    say_done();
    return NULL;
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    pthread_t threads[THREADS];
    int numbers[THREADS];
    long sums[THREADS] = {0}, total = 0;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(!pthread_create(&threads[i], NULL, exchange, &numbers[i]));
    }
    join(threads);
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, pool, &sums[i]));
    join(threads);
    for (int i = 0; i < THREADS; i++)
        total += sums[i];
    CHECK(total == (long)THREADS * ROUNDS * (ROUNDS - 1) / 2);
    return check_end();
}
