/* Partitioned communication: pairs in the order in which they were set up, any split on both sides, any order of
 * partitions and starts, several threads, derived datatypes, nothing to send, wrong calls. */
#include "mpi_check.h"
#include <pthread.h>
#include <unistd.h>

enum { TOTAL = 240, ROUNDS = 4, THREADS = 4 };
static int right, left, out[TOTAL], in[TOTAL];

static int value(int rank, int index, int round)
{
    return rank * 100000 + round * 1000 + index;
}

static void fill(int *out, int from, int count, int round)
{
    for (int i = from; i < from + count; i++)
        out[i] = value(check_rank, i, round);
}

static void verify(const int *in, int from, int count, int round)
{
    for (int i = from; i < from + count; i++)
        CHECK(in[i] == value(left, i, round));
}

static void received(const MPI_Status *status, int tag, int count)
{
    int n;
    OK(MPI_Get_count(status, MPI_INT, &n));
    CHECK(status->MPI_SOURCE == left && status->MPI_TAG == tag && n == count);
}

/* Round after round; in odd rounds the partitions are ready before the receive is started, if that can be. */
static void split(int sent, int accepted)
{
    int flag, size = TOTAL / sent, room = TOTAL / accepted;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Psend_init(out, sent, size, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, accepted, room, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < ROUNDS; round++) {
        memset(in, -1, sizeof in);
        OK(MPI_Start(&requests[round % 2 ? 0 : 1]));
        if (round % 2 == 0)
            OK(MPI_Start(&requests[0]));
        for (int i = 0; i < sent; i++) {
            int partition = round < 2 ? i : sent - 1 - i;
            fill(out, partition * size, size, round);
            OK(MPI_Pready(partition, requests[0]));
        }
        if (round % 2)
            OK(MPI_Start(&requests[1]));
        for (int partition = 0; partition < accepted; partition++) {
            do {
                OK(MPI_Parrived(requests[1], partition, &flag));
            } while (!flag);
            verify(in, partition * room, room, round);
        }
        OK(MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE));
        CHECK(flag); /* all has arrived */
        OK(MPI_Waitall(2, requests, statuses));
        received(&statuses[1], 3, TOTAL);
        OK(MPI_Parrived(requests[1], 0, &flag)); /* at rest */
        CHECK(flag);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* Whether the left neighbour lives in this process. */
static int left_is_here(void)
{
    int own = getpid(), its;
    OK(MPI_Sendrecv(&own, 1, MPI_INT, right, 2, &its, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return its == own;
}

static void ranges_and_lists(void)
{
    int flag, here = left_is_here(), list[] = {11, 2, 5}, rest[] = {3, 4, 6, 7, 8, 9, 10};
    MPI_Request requests[2];
    OK(MPI_Psend_init(out, 12, TOTAL / 12, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, 12, TOTAL / 12, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Startall(2, requests));
    fill(out, 0, TOTAL, 7);
    OK(MPI_Pready_range(0, 1, requests[0]));
    OK(MPI_Pready_list(3, list, requests[0]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int partition = 0; partition < 12; partition++) {
        int expected = partition < 3 || partition == 5 || partition == 11;
        OK(MPI_Parrived(requests[1], partition, &flag));
        /* From elsewhere partitions may arrive together. */
        CHECK(flag == expected || (!flag && !here));
        if (flag)
            verify(in, partition * TOTAL / 12, TOTAL / 12, 7);
    }
    OK(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Pready_list(7, rest, requests[0]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    verify(in, 0, TOTAL, 7);
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* The first send set up goes with the first receive set up, whatever is started first; other messages stay away. */
static void pairs(void)
{
    int out[3] = {1, 2, 3}, in[3] = {0}, plain = 0, nine = 9;
    MPI_Request sends[3], receives[3], ordinary;
    OK(MPI_Irecv(&plain, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &ordinary));
    for (int i = 0; i < 3; i++)
        OK(MPI_Psend_init(&out[i], 1, 1, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]));
    /* One pair is given up on both sides and must not disturb the order. */
    OK(MPI_Request_free(&sends[1]));
    for (int i = 0; i < 3; i++)
        OK(MPI_Precv_init(&in[i], 1, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]));
    OK(MPI_Request_free(&receives[1]));
    OK(MPI_Start(&sends[2]));
    OK(MPI_Pready(0, sends[2]));
    OK(MPI_Start(&sends[0]));
    OK(MPI_Pready(0, sends[0]));
    OK(MPI_Start(&receives[2]));
    OK(MPI_Wait(&receives[2], MPI_STATUS_IGNORE));
    CHECK(in[2] == 3 && in[0] == 0);
    OK(MPI_Start(&receives[0]));
    OK(MPI_Wait(&receives[0], MPI_STATUS_IGNORE));
    CHECK(in[0] == 1 && plain == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&nine, 1, MPI_INT, right, 5, MPI_COMM_WORLD));
    OK(MPI_Wait(&ordinary, MPI_STATUS_IGNORE));
    CHECK(plain == 9);
    for (int i = 0; i < 3; i += 2) {
        OK(MPI_Wait(&sends[i], MPI_STATUS_IGNORE));
        OK(MPI_Request_free(&sends[i]));
        OK(MPI_Request_free(&receives[i]));
    }
}

struct part {
    int *out, first, round;
    MPI_Request request;
};

static void *get_ready(void *argument)
{
    struct part *part = argument;
    for (int i = part->first; i < TOTAL; i += THREADS) {
        fill(part->out, i, 1, part->round);
        OK(MPI_Pready(i, part->request));
    }
    return NULL;
}

static void by_threads(void)
{
    MPI_Request requests[2];
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    OK(MPI_Psend_init(out, TOTAL, 1, MPI_INT, right, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, 60, 4, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    for (int round = 0; round < 20; round++) {
        OK(MPI_Start(&requests[0]));
        for (int i = 0; i < THREADS; i++) {
            parts[i] = (struct part){out, i, round, requests[0]};
            CHECK(pthread_create(&threads[i], NULL, get_ready, &parts[i]) == 0);
        }
        OK(MPI_Start(&requests[1])); /* while the partitions become ready */
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        verify(in, 0, TOTAL, round);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

/* Every other number goes to every third place, in partitions that fit each other nowhere: 5 of 6 to 3 of 10. */
static void layouts(void)
{
    enum { SENT = 11, ROOM = 28 };
    int out[5 * SENT], in[3 * ROOM];
    MPI_Datatype six, ten;
    MPI_Request requests[2];
    OK(MPI_Type_vector(6, 1, 2, MPI_INT, &six));
    OK(MPI_Type_vector(10, 1, 3, MPI_INT, &ten));
    OK(MPI_Type_commit(&six));
    OK(MPI_Type_commit(&ten));
    memset(in, 0, sizeof in);
    memset(out, -1, sizeof out);
    for (int i = 0; i < 30; i++)
        out[i / 6 * SENT + i % 6 * 2] = value(check_rank, i, 0);
    OK(MPI_Psend_init(out, 5, 1, six, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(in, 3, 1, ten, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Type_free(&six));
    OK(MPI_Type_free(&ten));
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready_range(0, 4, requests[0]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 30; i++) {
        CHECK(in[i / 10 * ROOM + i % 10 * 3] == value(left, i, 0));
        if (i % 10 < 9)
            CHECK(in[i / 10 * ROOM + i % 10 * 3 + 1] == 0 && in[i / 10 * ROOM + i % 10 * 3 + 2] == 0);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static void nothing(void)
{
    static const int shapes[][4] = {{0, 0, 0, 0}, {0, 5, 3, 0}, {4, 0, 2, 0}, {2, 0, 0, 7}};
    for (int i = 0; i < 4; i++) {
        const int *shape = shapes[i];
        int flag;
        MPI_Request requests[2];
        MPI_Status status;
        OK(MPI_Psend_init(NULL, shape[0], shape[1], MPI_INT, right, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
        OK(MPI_Precv_init(NULL, shape[2], shape[3], MPI_INT, left, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
        for (int round = 0; round < 3; round++) {
            OK(MPI_Startall(2, requests));
            if (shape[0])
                OK(MPI_Pready_range(0, shape[0] - 1, requests[0]));
            OK(MPI_Wait(&requests[1], &status));
            received(&status, 8, 0);
            OK(MPI_Wait(&requests[0], &status));
        }
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Request_free(&requests[1]));
        OK(MPI_Parrived(MPI_REQUEST_NULL, 3, &flag));
        CHECK(flag);
    }
    int data[4] = {0}, flag;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    OK(MPI_Psend_init(data, 4, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    OK(MPI_Precv_init(data, 4, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
    OK(MPI_Startall(2, requests));
    OK(MPI_Pready(3, requests[0]));
    OK(MPI_Parrived(requests[1], 3, &flag));
    CHECK(flag);
    OK(MPI_Waitall(2, requests, statuses));
    CHECK(statuses[1].MPI_SOURCE == MPI_PROC_NULL && statuses[1].MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

static void wrong_calls(void)
{
    int out[4] = {0}, in[4], flag, list[] = {0, 9};
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    MPI_Request send, receive, other;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_Psend_init(out, 4, 1, MPI_INT, right, 0, comm, none, NULL), MPI_ERR_ARG);
    FAILS(MPI_Psend_init(out, -1, 1, MPI_INT, right, 0, comm, none, &send), MPI_ERR_COUNT);
    FAILS(MPI_Psend_init(out, 1, -1, MPI_INT, right, 0, comm, none, &send), MPI_ERR_COUNT);
    FAILS(MPI_Psend_init(out, 3, ((MPI_Count)1 << 62), MPI_INT, right, 0, comm, none, &send), MPI_ERR_COUNT);
    FAILS(MPI_Psend_init(out, 4, 1, MPI_INT, check_size, 0, comm, none, &send), MPI_ERR_RANK);
    FAILS(MPI_Psend_init(out, 4, 1, MPI_INT, right, -5, comm, none, &send), MPI_ERR_TAG);
    FAILS(MPI_Psend_init(out, 4, 1, MPI_DATATYPE_NULL, right, 0, comm, none, &send), MPI_ERR_TYPE);
    FAILS(MPI_Psend_init(out, 4, 1, MPI_INT, right, 0, MPI_COMM_NULL, none, &send), MPI_ERR_COMM);
    FAILS(MPI_Psend_init(out, 4, 1, MPI_INT, right, 0, comm, (MPI_Info)&send, &send), MPI_ERR_INFO);
    FAILS(MPI_Precv_init(in, 4, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, none, &receive), MPI_ERR_RANK);
    FAILS(MPI_Precv_init(in, 4, 1, MPI_INT, left, MPI_ANY_TAG, comm, none, &receive), MPI_ERR_TAG);

    OK(MPI_Psend_init(out, 4, 1, MPI_INT, right, 9, comm, none, &send));
    OK(MPI_Precv_init(in, 2, 2, MPI_INT, left, 9, comm, none, &receive));
    OK(MPI_Recv_init(in, 2, MPI_INT, left, 9, comm, &other));
    FAILS(MPI_Pready(0, send), MPI_ERR_REQUEST);
    FAILS(MPI_Cancel(&send), MPI_ERR_REQUEST);
    OK(MPI_Start(&send));
    FAILS(MPI_Start(&send), MPI_ERR_REQUEST);
    OK(MPI_Pready(1, send));
    FAILS(MPI_Pready(1, send), MPI_ERR_ARG);
    OK(MPI_Barrier(comm));
    OK(MPI_Start(&receive));
    OK(MPI_Barrier(comm));
    FAILS(MPI_Pready(1, send), MPI_ERR_ARG);
    OK(MPI_Pready(0, send));
    FAILS(MPI_Pready(0, send), MPI_ERR_ARG);
    FAILS(MPI_Pready(4, send), MPI_ERR_ARG);
    FAILS(MPI_Pready(-1, send), MPI_ERR_ARG);
    FAILS(MPI_Pready_range(2, 4, send), MPI_ERR_ARG);
    FAILS(MPI_Pready_range(3, 2, send), MPI_ERR_ARG);
    FAILS(MPI_Pready_list(2, list, send), MPI_ERR_ARG);
    FAILS(MPI_Pready_list(-1, list, send), MPI_ERR_COUNT);
    FAILS(MPI_Pready(0, receive), MPI_ERR_REQUEST);
    FAILS(MPI_Pready(0, other), MPI_ERR_REQUEST);
    FAILS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    FAILS(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
    FAILS(MPI_Parrived(receive, 2, &flag), MPI_ERR_ARG);
    FAILS(MPI_Parrived(receive, -1, &flag), MPI_ERR_ARG);
    FAILS(MPI_Parrived(receive, 0, NULL), MPI_ERR_ARG);
    FAILS(MPI_Cancel(&send), MPI_ERR_REQUEST);
    OK(MPI_Pready_range(2, 3, send));
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&receive));
    OK(MPI_Request_free(&other));

    /* More is sent than there is room for. */
    OK(MPI_Psend_init(out, 4, 1, MPI_INT, right, 9, comm, none, &send));
    OK(MPI_Precv_init(in, 1, 3, MPI_INT, left, 9, comm, none, &receive));
    OK(MPI_Start(&send));
    OK(MPI_Start(&receive));
    OK(MPI_Pready_range(0, 3, send));
    FAILS(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&send));
    OK(MPI_Request_free(&receive));
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    static const int counts[] = {1, 2, 3, 8, 80, 240};
    for (int i = 0; i < 36; i++)
        split(counts[i / 6], counts[i % 6]);
    ranges_and_lists();
    pairs();
    by_threads();
    layouts();
    nothing();
    wrong_calls();
    return check_end();
}
