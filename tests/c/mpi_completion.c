/* The wait and test families, persistent requests, cancelling, freeing. */
#include "mpi_check.h"

enum { N = 40 };
static int right, left;

static void start(MPI_Request *requests, int *in, int *out)
{
    for (int i = 0; i < N; i++) {
        out[i] = check_rank * 1000 + i;
        in[i] = -1;
        OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 0; i < N; i++)
        OK(MPI_Send(&out[N - 1 - i], 1, MPI_INT, right, N - 1 - i, MPI_COMM_WORLD));
}

static void families(void)
{
    MPI_Request requests[N];
    MPI_Status statuses[N], status;
    int in[N], out[N], indices[N], flag, index, count, done;

    start(requests, in, out);
    do {
        OK(MPI_Testall(N, requests, &flag, statuses));
    } while (!flag);
    for (int i = 0; i < N; i++)
        CHECK(in[i] == left * 1000 + i && statuses[i].MPI_TAG == i && requests[i] == MPI_REQUEST_NULL);
    OK(MPI_Waitany(N, requests, &index, &status));
    CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Waitsome(N, requests, &count, indices, statuses));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Testsome(N, requests, &count, indices, statuses));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Testany(N, requests, &index, &flag, &status));
    CHECK(flag && index == MPI_UNDEFINED);
    OK(MPI_Waitall(N, requests, statuses));
    OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));

    start(requests, in, out);
    for (done = 0; done < N; done++) {
        OK(MPI_Waitany(N, requests, &index, &status));
        CHECK(index >= 0 && index < N && in[index] == left * 1000 + index && status.MPI_TAG == index);
        CHECK(requests[index] == MPI_REQUEST_NULL);
    }
    start(requests, in, out);
    for (done = 0; done < N; done += flag) {
        OK(MPI_Testany(N, requests, &index, &flag, &status));
        CHECK(flag ? in[index] == left * 1000 + index : index == MPI_UNDEFINED);
    }
    start(requests, in, out);
    for (done = 0; done < N; done += count) {
        OK(MPI_Waitsome(N, requests, &count, indices, statuses));
        CHECK(count > 0);
        for (int i = 0; i < count; i++)
            CHECK(in[indices[i]] == left * 1000 + indices[i] && statuses[i].MPI_TAG == indices[i]);
    }
    start(requests, in, out);
    for (done = 0; done < N; done += count) {
        OK(MPI_Testsome(N, requests, &count, indices, MPI_STATUSES_IGNORE));
        CHECK(count >= 0);
    }
    start(requests, in, out);
    for (int i = N - 1; i >= 0; i--) {
        do {
            OK(MPI_Request_get_status(requests[i], &flag, &status));
        } while (!flag);
        CHECK(status.MPI_TAG == i && requests[i] != MPI_REQUEST_NULL);
        do {
            OK(MPI_Test(&requests[i], &flag, &status));
        } while (!flag);
        CHECK(status.MPI_TAG == i && requests[i] == MPI_REQUEST_NULL);
    }
    OK(MPI_Test(&requests[0], &flag, &status));
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE);
    start(requests, in, out);
    do {
        OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
    } while (!flag);
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
}

/* A rank that tests for some again and again lets the rank run that the others depend on. */
static void asking_for_the_rest(void)
{
    MPI_Request requests[2];
    int in[2], indices[2], count, token = 4;

    if (check_rank == check_size - 1 && check_rank > 0) {
        OK(MPI_Recv(&token, 1, MPI_INT, 0, 778, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Send(&token, 1, MPI_INT, 0, 779, MPI_COMM_WORLD));
    }
    if (check_rank > 0 || check_size == 1)
        return;
    OK(MPI_Irecv(&in[0], 1, MPI_INT, 0, 777, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&in[1], 1, MPI_INT, left, 779, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Send(&token, 1, MPI_INT, 0, 777, MPI_COMM_WORLD));
    OK(MPI_Send(&token, 1, MPI_INT, left, 778, MPI_COMM_WORLD));
    do {
        OK(MPI_Request_get_status_some(2, requests, &count, indices, MPI_STATUSES_IGNORE));
        CHECK(count >= 1 && indices[0] == 0);
    } while (count < 2);
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in[0] == token && in[1] == token);
}

/* Asking leaves the requests as they are. */
static void asking(void)
{
    MPI_Request requests[N];
    MPI_Status statuses[N], status;
    int in[N], out[N], indices[N], flag, index, count;

    for (int i = 0; i < N; i++)
        requests[i] = MPI_REQUEST_NULL;
    OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
    status.MPI_ERROR = -3;
    OK(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status));
    CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_ERROR == MPI_SUCCESS);
    OK(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
    CHECK(flag && statuses[0].MPI_SOURCE == MPI_ANY_SOURCE);

    OK(MPI_Irecv(&in[0], 1, MPI_INT, left, 777, MPI_COMM_WORLD, &requests[3]));
    OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK(!flag && index == MPI_UNDEFINED);
    OK(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
    CHECK(count == 0);
    OK(MPI_Request_get_status_all(N, requests, &flag, statuses));
    CHECK(!flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Send(&check_rank, 1, MPI_INT, right, 777, MPI_COMM_WORLD));
    do {
        OK(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    } while (!flag);
    CHECK(index == 3 && status.MPI_TAG == 777 && requests[3] != MPI_REQUEST_NULL && in[0] == left);
    OK(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
    CHECK(count == 1 && indices[0] == 3 && statuses[0].MPI_TAG == 777);
    OK(MPI_Wait(&requests[3], MPI_STATUS_IGNORE));

    start(requests, in, out);
    do {
        OK(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
    } while (count < N);
    for (int i = 0; i < N; i++)
        CHECK(indices[i] == i && statuses[i].MPI_TAG == i && requests[i] != MPI_REQUEST_NULL);
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
}

static void errors_in_statuses(void)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int in[3] = {0}, out[3] = {1, 2, 3};
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int i = 0; i < 3; i++)
        OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]));
    for (int i = 0; i < 3; i++)
        OK(MPI_Send(out, i == 1 ? 2 : 1, MPI_INT, right, i, MPI_COMM_WORLD));
    CHECK(MPI_Waitall(3, requests, statuses) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[2].MPI_ERROR == MPI_SUCCESS);
    CHECK(statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

typedef int init_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Wrong uses of requests, and requests at rest. */
static void wrong_uses(void)
{
    MPI_Request requests[2], none = MPI_REQUEST_NULL, stale;
    MPI_Status statuses[2];
    int value, flag, index, count, indices[2];
    MPI_Comm comm = MPI_COMM_WORLD;
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Recv_init(&value, 1, MPI_INT, left, 3, comm, &requests[0]));
    requests[1] = MPI_REQUEST_NULL;
    FAILS(MPI_Cancel(&requests[0]), MPI_ERR_REQUEST);
    OK(MPI_Test(&requests[0], &flag, &statuses[0]));
    CHECK(flag && statuses[0].MPI_SOURCE == MPI_ANY_SOURCE && statuses[0].MPI_ERROR == MPI_SUCCESS);
    OK(MPI_Request_get_status(requests[0], &flag, &statuses[0]));
    CHECK(flag);
    OK(MPI_Waitany(2, requests, &index, &statuses[0]));
    CHECK(index == MPI_UNDEFINED);
    OK(MPI_Waitsome(2, requests, &count, indices, statuses));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Start(&requests[0]));
    FAILS(MPI_Start(&requests[0]), MPI_ERR_REQUEST);
    FAILS(MPI_Startall(2, requests), MPI_ERR_REQUEST);
    OK(MPI_Cancel(&requests[0]));
    OK(MPI_Waitall(2, requests, statuses));
    stale = requests[0];
    OK(MPI_Request_free(&requests[0]));
    FAILS(MPI_Wait(&stale, &statuses[0]), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&stale), MPI_ERR_REQUEST);
    FAILS(MPI_Request_free(&stale), MPI_ERR_REQUEST);
    FAILS(MPI_Request_get_status(stale, &flag, &statuses[0]), MPI_ERR_REQUEST);
    FAILS(MPI_Request_get_status_all(1, &stale, &flag, statuses), MPI_ERR_REQUEST);
    FAILS(MPI_Request_get_status_any(1, &stale, &index, &flag, statuses), MPI_ERR_REQUEST);
    FAILS(MPI_Request_get_status_some(1, &stale, &count, indices, statuses), MPI_ERR_REQUEST);
    FAILS(MPI_Request_get_status_some(-1, &none, &count, indices, statuses), MPI_ERR_COUNT);
    FAILS(MPI_Request_get_status_any(1, &none, NULL, &flag, statuses), MPI_ERR_ARG);
    FAILS(MPI_Waitall(-1, &none, statuses), MPI_ERR_COUNT);
    FAILS(MPI_Waitall(1, NULL, statuses), MPI_ERR_ARG);
    FAILS(MPI_Recv_init(&value, 1, MPI_INT, check_size, 3, comm, &stale), MPI_ERR_RANK);
    FAILS(MPI_Send_init(&value, 1, MPI_INT, right, -2, comm, &stale), MPI_ERR_TAG);
    FAILS(MPI_Send_init(&value, -1, MPI_INT, right, 2, comm, &stale), MPI_ERR_COUNT);

    /* Messages that are too long, told by each of the calls that complete several. */
    int in[3], out[3] = {0};
    for (int call = 0; call < 4; call++) {
        OK(MPI_Irecv(&in[0], 1, MPI_INT, left, 30, comm, &requests[0]));
        OK(MPI_Irecv(&in[1], 1, MPI_INT, left, 31, comm, &requests[1]));
        OK(MPI_Send(out, 1, MPI_INT, right, 30, comm));
        OK(MPI_Send(out, 3, MPI_INT, right, 31, comm));
        for (int which = 0; which < 2; which++)
            do
                OK(MPI_Request_get_status(requests[which], &flag, MPI_STATUS_IGNORE));
            while (!flag);
        statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = -1;
        if (call == 0)
            FAILS(MPI_Testall(2, requests, &flag, statuses), MPI_ERR_IN_STATUS);
        else if (call == 1)
            FAILS(MPI_Waitsome(2, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
        else if (call == 2)
            FAILS(MPI_Testsome(2, requests, &count, indices, statuses), MPI_ERR_IN_STATUS);
        else
            FAILS(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
        if (call < 3)
            CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    }
    OK(MPI_Irecv(&in[0], 1, MPI_INT, left, 32, comm, &requests[0]));
    OK(MPI_Send(out, 3, MPI_INT, right, 32, comm));
    FAILS(MPI_Waitany(2, requests, &index, &statuses[0]), MPI_ERR_TRUNCATE);
    CHECK(index == 0 && requests[0] == MPI_REQUEST_NULL && statuses[0].MPI_TAG == 32);
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
}

static void persistent(void)
{
    init_function *inits[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    static char space[100000];
    OK(MPI_Buffer_attach(space, sizeof space));
    for (int mode = 0; mode < 4; mode++) {
        int out[3] = {0}, in[3];
        MPI_Request requests[2];
        MPI_Status statuses[2];
        OK(MPI_Recv_init(in, 3, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
        OK(inits[mode](out, 3, MPI_INT, right, mode, MPI_COMM_WORLD, &requests[1]));
        MPI_Request same[2] = {requests[0], requests[1]};
        OK(MPI_Waitall(2, requests, statuses)); /* at rest: complete at once */
        CHECK(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE);
        for (int round = 0; round < 5; round++) {
            out[0] = check_rank * 100 + round;
            if (round % 2 && mode != 3) {
                OK(MPI_Startall(2, requests));
            } else {
                OK(MPI_Start(&requests[0]));
                OK(MPI_Barrier(MPI_COMM_WORLD));
                OK(MPI_Start(&requests[1]));
            }
            OK(MPI_Waitall(2, requests, statuses));
            CHECK(in[0] == left * 100 + round && statuses[0].MPI_TAG == mode);
            CHECK(requests[0] == same[0] && requests[1] == same[1]);
        }
        OK(MPI_Request_free(&requests[0]));
        OK(MPI_Request_free(&requests[1]));
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    }
    void *detached;
    int size;
    OK(MPI_Buffer_detach(&detached, &size));
}

static void cancelling(void)
{
    MPI_Request request;
    MPI_Status status;
    int value = 0, flag;
    OK(MPI_Irecv(&value, 1, MPI_INT, left, 999, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag && request == MPI_REQUEST_NULL);
    OK(MPI_Issend(&value, 1, MPI_INT, right, 998, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* A message that has arrived cannot be cancelled any more. */
    OK(MPI_Irecv(&value, 1, MPI_INT, left, 997, MPI_COMM_WORLD, &request));
    int out = 17;
    OK(MPI_Send(&out, 1, MPI_INT, right, 997, MPI_COMM_WORLD));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(!flag && value == 17);
}

typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int was_cancelled(MPI_Request *request)
{
    MPI_Status status;
    int flag;
    OK(MPI_Wait(request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    return flag;
}

/* Sends of every mode and length that nobody has received, even those that are complete, can be taken back. */
static void taking_sends_back(void)
{
    enum { LONG = 50000 };
    static char space[2 * (4 * LONG + MPI_BSEND_OVERHEAD)];
    static int out[LONG], in[LONG];
    send_function *sends[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
    init_function *inits[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    int lengths[] = {0, 1, 1000, LONG}, flag, size;
    void *detached;
    MPI_Request request, copy, later;
    MPI_Status status;

    OK(MPI_Buffer_attach(space, sizeof space));
    for (int mode = 0; mode < 4; mode++) {
        for (int length = 0; length < 4; length++) {
            OK(sends[mode](out, lengths[length], MPI_INT, right, 990, MPI_COMM_WORLD, &request));
            OK(MPI_Cancel(&request));
            CHECK(was_cancelled(&request) && request == MPI_REQUEST_NULL);

            OK(inits[mode](out, lengths[length], MPI_INT, right, 990, MPI_COMM_WORLD, &request));
            for (int round = 0; round < 2; round++) {
                OK(MPI_Start(&request));
                OK(MPI_Cancel(&request));
                CHECK(was_cancelled(&request) && request != MPI_REQUEST_NULL);
            }
            CHECK(!was_cancelled(&request)); /* at rest */
            OK(MPI_Request_free(&request));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* Cancelling one of several takes that one back, and every copy of its handle knows. */
    out[0] = 1;
    OK(MPI_Isend(out, 1, MPI_INT, right, 991, MPI_COMM_WORLD, &later));
    out[0] = 2;
    OK(MPI_Isend(out, 1, MPI_INT, right, 991, MPI_COMM_WORLD, &request));
    out[0] = 3;
    OK(MPI_Isend(out, 1, MPI_INT, right, 991, MPI_COMM_WORLD, &copy));
    OK(MPI_Waitall(1, &copy, MPI_STATUSES_IGNORE));
    copy = request;
    OK(MPI_Cancel(&copy));
    OK(MPI_Request_get_status(request, &flag, &status));
    CHECK(flag);
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    CHECK(was_cancelled(&request));
    CHECK(!was_cancelled(&later));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Recv(in, 1, MPI_INT, left, 991, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in[0] == 1);
    OK(MPI_Recv(in, 1, MPI_INT, left, 991, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in[0] == 3);

    /* A message that has been received stays sent. */
    OK(MPI_Isend(out, 1, MPI_INT, right, 992, MPI_COMM_WORLD, &request));
    OK(MPI_Recv(in, 1, MPI_INT, left, 992, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Cancel(&request));
    CHECK(!was_cancelled(&request));
    OK(MPI_Irecv(in, 1, MPI_INT, left, 993, MPI_COMM_WORLD, &later));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Isend(out, 1, MPI_INT, right, 993, MPI_COMM_WORLD, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Wait(&later, MPI_STATUS_IGNORE));

    /* A cancelled buffered send has given its part of the buffer back. */
    for (int round = 0; round < 5; round++) {
        OK(MPI_Ibsend(out, LONG, MPI_INT, right, 994, MPI_COMM_WORLD, &request));
        OK(MPI_Cancel(&request));
        CHECK(was_cancelled(&request));
    }
    OK(MPI_Buffer_detach(&detached, &size));
}

static void freeing(void)
{
    static int in, out;
    MPI_Request request;
    out = check_rank;
    in = -1;
    OK(MPI_Isend(&out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
    OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    OK(MPI_Recv(&in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in == left);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    families();
    asking();
    asking_for_the_rest();
    errors_in_statuses();
    wrong_uses();
    persistent();
    cancelling();
    taking_sends_back();
    freeing();
    return check_end();
}
