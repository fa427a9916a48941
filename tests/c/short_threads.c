/* Two threads of each rank exchange short messages with those of another rank, each with its mate there. One of them
 * may sleep while the other one looks for its message, and takes what comes for both. */
#include "mpi_check.h"
#include "random/draw.h"
#include <pthread.h>

enum { THREADS = 2, ROUNDS = 3000 };

/* Computes for a moment, long enough now and then for the mate to fall asleep. */
static void compute(struct draw *draw)
{
    double end = MPI_Wtime() + (drawn_rarely(draw, 100) ? 2e-4 : 1e-6) * drawn_below(draw, 3);
    while (MPI_Wtime() < end)
        ;
}

static void *exchange(void *argument)
{
    int me = *(int *)argument, mate = check_rank ^ 1, out, in;
    struct draw draw = {mixed(check_rank, me), 0};
    for (int round = 0; round < ROUNDS && mate < check_size; round++) {
        out = round * THREADS + me;
        compute(&draw);
        if (check_rank % 2) {
            OK(MPI_Recv(&in, 1, MPI_INT, mate, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Send(&out, 1, MPI_INT, mate, me, MPI_COMM_WORLD));
        } else {
            OK(MPI_Send(&out, 1, MPI_INT, mate, me, MPI_COMM_WORLD));
            OK(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        CHECK(in == out);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    /* At first the rank has one thread. */
    exchange(&(int){THREADS});
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(!pthread_create(&threads[i], NULL, exchange, &numbers[i]));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    return check_end();
}
