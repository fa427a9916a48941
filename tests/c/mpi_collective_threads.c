/* Several threads of each rank have collectives under way at once, each thread on a communicator of its own. */
#include "mpi_check.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60, FLIGHT = 5, LONG = 3000, RANKS = 64 };

static MPI_Comm own[THREADS];
static MPI_Op joined;

/* The map that takes x to 3 x + digit, and those that several of them come to: factor and summand, in residues. */
enum { RESIDUES = 1 << 24 };

static long map_of(long factor, long summand)
{
    return factor % RESIDUES * RESIDUES + summand % RESIDUES;
}

static long one_digit(int digit)
{
    return map_of(3, digit);
}

/* One map after the other: associative, as it has to be, but not commutative. */
static void join(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        long first = ((long *)in)[i], then = ((long *)inout)[i], factor = then / RESIDUES;
        ((long *)inout)[i] = map_of(first / RESIDUES * factor, first % RESIDUES * factor + then % RESIDUES);
    }
}

struct flight {
    int sum_in, sum, told, sent[RANKS], got[RANKS];
    long in, out, data[LONG];
    MPI_Request requests[FLIGHT];
};

static long datum(int thread, int round, int i)
{
    return 1000L * thread + 10L * round + i % 7;
}

static void start(struct flight *f, int thread, int round)
{
    MPI_Comm comm = own[thread];
    int root = round % check_size;
    f->sum_in = check_rank + round;
    f->in = one_digit(check_rank);
    f->told = check_rank == root ? round : -1;
    for (int i = 0; i < check_size; i++)
        f->sent[i] = 100 * check_rank + i + thread;
    for (int i = 0; i < LONG; i++)
        f->data[i] = check_rank == root ? datum(thread, round, i) : -1;
    OK(MPI_Iallreduce(&f->sum_in, &f->sum, 1, MPI_INT, MPI_SUM, comm, &f->requests[0]));
    OK(MPI_Ibcast(&f->told, 1, MPI_INT, root, comm, &f->requests[1]));
    OK(MPI_Ialltoall(f->sent, 1, MPI_INT, f->got, 1, MPI_INT, comm, &f->requests[2]));
    OK(MPI_Iscan(&f->in, &f->out, 1, MPI_LONG, joined, comm, &f->requests[3]));
    OK(MPI_Ibcast(f->data, LONG, MPI_LONG, root, comm, &f->requests[4]));
}

static void finish(struct flight *f, int thread, int round)
{
    if (round % 3 == 0) {
        OK(MPI_Waitall(FLIGHT, f->requests, MPI_STATUSES_IGNORE));
    } else if (round % 3 == 1) {
        for (int i = FLIGHT; i-- > 0;)
            OK(MPI_Wait(&f->requests[i], MPI_STATUS_IGNORE));
    } else {
        for (int done = 0; !done;)
            OK(MPI_Testall(FLIGHT, f->requests, &done, MPI_STATUSES_IGNORE));
    }
    CHECK(f->sum == check_size * (check_size - 1) / 2 + check_size * round);
    CHECK(f->told == round);
    long factor = 1, digits = 0;
    for (int i = 0; i <= check_rank; i++) {
        factor = factor * 3 % RESIDUES;
        digits = (digits * 3 + i) % RESIDUES;
    }
    CHECK(f->out == map_of(factor, digits));
    for (int i = 0; i < check_size; i++)
        CHECK(f->got[i] == 100 * i + check_rank + thread);
    for (int i = 0; i < LONG; i++)
        CHECK(f->data[i] == datum(thread, round, i));
}

static void *thread(void *number)
{
    int me = (int)(size_t)number, in = 0, out = -1;
    struct flight *flights = malloc(2 * sizeof *flights);
    MPI_Request again;
    OK(MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_MAX, own[me], MPI_INFO_NULL, &again));
    start(&flights[0], me, 0);
    for (int round = 0; round < ROUNDS; round++) {
        in = check_rank + 7 * round + me;
        OK(MPI_Start(&again));
        start(&flights[(round + 1) % 2], me, round + 1);
        OK(MPI_Barrier(own[me]));
        finish(&flights[round % 2], me, round);
        OK(MPI_Wait(&again, MPI_STATUS_IGNORE));
        CHECK(out == check_size - 1 + 7 * round + me);
    }
    finish(&flights[ROUNDS % 2], me, ROUNDS);
    OK(MPI_Request_free(&again));
    free(flights);
    return NULL;
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    CHECK(check_size <= RANKS);
    OK(MPI_Op_create(join, 0, &joined));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, thread, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&own[i]));
    OK(MPI_Op_free(&joined));
    return check_end();
}
