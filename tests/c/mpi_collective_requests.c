/* Requests of collectives: what may be freed and forgotten while it is under way, in which order persistent ones are
 * started, how they fail, and what must not be done with them. */
#include "mpi_check.h"

static int size, me;

static void add_pairs(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int extent;
    OK(MPI_Type_size(*type, &extent));
    CHECK(extent == 2 * (int)sizeof(int));
    for (int i = 0; i < 2 * *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* The communicator, the datatype and the operation go before the collective is complete. */
static void objects_may_be_freed(int length)
{
    int *mine = malloc(2 * length * sizeof(int)), *sum = malloc(2 * length * sizeof(int));
    CHECK(mine && sum);
    for (int i = 0; i < 2 * length; i++)
        mine[i] = me + i;
    MPI_Comm comm;
    MPI_Datatype pair;
    MPI_Op add;
    MPI_Request request, barrier;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Op_create(add_pairs, 1, &add));
    OK(MPI_Iallreduce(mine, sum, length, pair, add, comm, &request));
    OK(MPI_Ibarrier(comm, &barrier));
    OK(MPI_Op_free(&add));
    OK(MPI_Type_free(&pair));
    OK(MPI_Comm_free(&comm));
    /* The others may start late, and the first not at all before somebody else has freed everything. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2 * length; i++)
        CHECK(sum[i] == size * i + size * (size - 1) / 2);
    free(mine);
    free(sum);
}

/* Persistent collectives outlive their communicator, and are started in an order that each rank chooses. */
static void starts_are_independent(void)
{
    enum { MANY = 8 };
    MPI_Request requests[MANY];
    int mine[MANY], all[MANY];
    MPI_Comm comm;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < MANY; i++)
        OK(MPI_Allreduce_init(&mine[i], &all[i], 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &requests[i]));
    OK(MPI_Comm_free(&comm));
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < MANY; i++)
            mine[i] = 100 * round + 10 * me + i;
        for (int i = 0; i < MANY; i++)
            OK(MPI_Start(&requests[(i * 3 + me + round) % MANY]));
        /* A rank may be a round ahead in one of them while others have not come to it in the other. */
        for (int i = MANY; i-- > 0;) {
            OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
            CHECK(all[i] == 100 * round + 10 * (size - 1) + i);
        }
    }
    for (int i = 0; i < MANY; i++)
        OK(MPI_Request_free(&requests[i]));
}

/* One that is never started and never freed harms nobody. */
static void rest_is_allowed(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    CHECK(flag && request != MPI_REQUEST_NULL);
    OK(MPI_Start(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Messages, blocking and nonblocking collectives on one communicator do not get in each other's way. */
static void all_kinds_mix(void)
{
    enum { MANY = 300 };
    static MPI_Request requests[MANY];
    static int sums[MANY], mine[MANY];
    int right = (me + 1) % size, left = (me + size - 1) % size;
    for (int i = 0; i < MANY; i++) {
        mine[i] = me * MANY + i;
        OK(MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]));
        if (i % 50 == me % 50) {
            int got = -1;
            OK(MPI_Allreduce(MPI_IN_PLACE, &right, 0, MPI_INT, MPI_SUM, MPI_COMM_SELF));
            OK(MPI_Sendrecv(&me, 1, MPI_INT, me, 7, &got, 1, MPI_INT, me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK(got == me);
        }
    }
    int got = -1, flag = 0;
    MPI_Request message;
    OK(MPI_Irecv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &message));
    OK(MPI_Bcast(&flag, 1, MPI_INT, 0, MPI_COMM_WORLD));
    OK(MPI_Send(&me, 1, MPI_INT, right, 1, MPI_COMM_WORLD));
    for (int i = 0; i < MANY; i += 2)
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    OK(MPI_Wait(&message, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    CHECK(got == left);
    for (int i = 0; i < MANY; i++)
        CHECK(sums[i] == MANY * size * (size - 1) / 2 + size * i);
}

/* A collective that the first rank has started, before others come, can be neither cancelled nor forgotten. When it
 * is complete, it can be freed without waiting. */
static void begins_alone(MPI_Comm comm)
{
    MPI_Request request;
    int flag = 0, go = 1;
    if (me > 0)
        OK(MPI_Recv(&go, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE));
    OK(MPI_Ibarrier(comm, &request));
    for (int r = 1; me == 0 && r < size; r++) {
        FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
        FAILS(MPI_Request_free(&request), MPI_ERR_REQUEST);
        FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
        OK(MPI_Send(&go, 1, MPI_INT, r, 5, comm));
    }
    while (!flag)
        OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
}

static void failures(int length)
{
    MPI_Comm comm;
    MPI_Request request;
    int *data = malloc(length * sizeof(int));
    CHECK(data);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));

    /* Wrong arguments start nothing. */
    FAILS(MPI_Ibcast(data, 1, MPI_INT, size, comm, &request), MPI_ERR_ROOT);
    FAILS(MPI_Ibcast(data, -1, MPI_INT, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Ibcast(data, 1, MPI_DATATYPE_NULL, 0, comm, &request), MPI_ERR_TYPE);
    FAILS(MPI_Ibarrier(MPI_COMM_NULL, &request), MPI_ERR_COMM);
    FAILS(MPI_Ibarrier(comm, NULL), MPI_ERR_ARG);
    FAILS(MPI_Barrier_init(comm, (MPI_Info)77, &request), MPI_ERR_INFO);
    FAILS(MPI_Iallreduce(data, data, 1, MPI_INT, MPI_SUM, comm, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Iallreduce(MPI_IN_PLACE, data, 1, MPI_INT, MPI_OP_NULL, comm, &request), MPI_ERR_OP);

    /* A mistake of all ranks is an error of the completion, raised on the communicator. */
    if (size > 1) {
        MPI_Status status;
        int flag, class;
        OK(MPI_Ibcast(data, me == 1 ? length / 2 : length, MPI_INT, 0, comm, &request));
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        CHECK(request == MPI_REQUEST_NULL);
        OK(MPI_Ibcast(data, 1, MPI_INT, me == 1, comm, &request));
        FAILS(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
        OK(MPI_Error_class(status.MPI_ERROR, &class));
        CHECK(class == MPI_ERR_ROOT);
        OK(MPI_Bcast_init(data, me == 1 ? length / 2 : length, MPI_INT, 0, comm, MPI_INFO_NULL, &request));
        for (int round = 0; round < 2; round++) {
            OK(MPI_Start(&request));
            do
                OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
            while (!flag);
            FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        }
        OK(MPI_Request_free(&request));
    }

    begins_alone(comm);
    OK(MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
    OK(MPI_Start(&request));
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&request));
    OK(MPI_Comm_free(&comm));
    free(data);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    size = check_size;
    me = check_rank;
    objects_may_be_freed(1);
    objects_may_be_freed(20000);
    starts_are_independent();
    rest_is_allowed();
    all_kinds_mix();
    failures(10);
    failures(200000);
    return check_end();
}
