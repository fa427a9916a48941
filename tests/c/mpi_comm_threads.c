/* Several threads of each rank make communicators at once; and very many communicators exist at a time. */
#include "mpi_check.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 40, MANY = 500 };

static MPI_Comm own[THREADS];
static MPI_Group world, turned, even, odd;

/* A number goes round all ranks of a communicator. */
static void round_trip(MPI_Comm comm, int tag)
{
    int rank, size, got = -1;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    int sent = 1000 * tag + rank, left = (rank + size - 1) % size;
    OK(MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, tag, &got, 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE));
    CHECK(got == 1000 * tag + left);
}

static void duplicates(MPI_Comm comm, int round)
{
    MPI_Comm dup, idup, part;
    MPI_Request request;
    OK(MPI_Comm_dup(comm, &dup));
    OK(MPI_Comm_idup(dup, &idup, &request));
    OK(MPI_Comm_split(dup, check_rank % 2, -check_rank, &part));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    round_trip(dup, round);
    round_trip(part, round);
    round_trip(idup, round);
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&idup));
}

static void from_groups(int thread, int round)
{
    char tag[64];
    MPI_Comm comm;
    snprintf(tag, sizeof tag, "thread %d", thread);
    OK(MPI_Comm_create_from_group(thread % 2 ? world : turned, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
    round_trip(comm, round);
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create_group(MPI_COMM_WORLD, turned, thread, &comm));
    round_trip(comm, round);
    OK(MPI_Comm_free(&comm));
}

static void two_groups(int thread, int round)
{
    char tag[64];
    MPI_Comm inter, merged;
    MPI_Group mine = check_rank % 2 ? odd : even, other = check_rank % 2 ? even : odd;
    snprintf(tag, sizeof tag, "pair %d", thread);
    OK(MPI_Intercomm_create_from_groups(mine, 0, other, 0, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter));
    OK(MPI_Intercomm_merge(inter, check_rank % 2, &merged));
    round_trip(merged, round);
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_free(&inter));
    /* The same through leaders, from every thread at once; each has a local communicator of its own. */
    MPI_Comm half;
    OK(MPI_Comm_create_group(own[thread], mine, 7, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_rank % 2 ? 0 : 1, thread, &inter));
    OK(MPI_Barrier(inter));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
}

static void *thread(void *number)
{
    int me = (int)(size_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        duplicates(own[me], round);
        from_groups(me, round);
        if (check_size > 1)
            two_groups(me, round);
    }
    return NULL;
}

static void many(void)
{
    static MPI_Comm comms[MANY];
    for (int i = 0; i < MANY; i++)
        OK(MPI_Comm_dup(i ? comms[i - 1] : MPI_COMM_WORLD, &comms[i]));
    /* In any order: every communicator has its own messages. */
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < MANY; i++)
        OK(MPI_Send(&i, 1, MPI_INT, right, 0, comms[i]));
    for (int i = MANY - 1; i >= 0; i--) {
        int got;
        OK(MPI_Recv(&got, 1, MPI_INT, left, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE));
        CHECK(got == i);
    }
    for (int i = 0; i < MANY; i += 50)
        OK(MPI_Barrier(comms[i]));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Comm_free(&comms[i]));
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    int downwards[1][3] = {{check_size - 1, 0, -1}}, evens[1][3] = {{0, check_size - 1, 2}};
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, downwards, &turned));
    OK(MPI_Group_range_incl(world, 1, evens, &even));
    OK(MPI_Group_range_excl(world, 1, evens, &odd));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &own[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, thread, (void *)(size_t)i));
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_join(threads[i], NULL));
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&own[i]));
    many();
    return check_end();
}
