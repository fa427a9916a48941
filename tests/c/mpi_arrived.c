/* Nonblocking receives of messages that have arrived before: they are complete when their call returns. Their status
 * is right whichever call completes them, whether it is short enough for a handle or not. */
#include "mpi_check.h"

enum { MESSAGES = 9, LONGEST = 70000 };

static const struct {
    int tag, bytes;
} KINDS[MESSAGES] = {
    {0, 0}, {1, 8}, {1, 8}, {(1 << 16) - 1, 3}, {1 << 16, 8}, {5, 600}, {6, 4095}, {7, 4096}, {8, LONGEST},
};

static int right, left;
static char out[MESSAGES][LONGEST], in[MESSAGES][LONGEST];
static MPI_Request sends[MESSAGES];

static char mark(int rank, int message)
{
    return (char)(rank * MESSAGES + message + 1);
}

/* Starts a receive of each message when all have arrived; those of odd numbers from anywhere. */
static void start(MPI_Request *receives)
{
    for (int i = 0; i < MESSAGES; i++) {
        memset(out[i], mark(check_rank, i), LONGEST);
        memset(in[i], 0, LONGEST);
        OK(MPI_Isend(out[i], KINDS[i].bytes, MPI_BYTE, right, KINDS[i].tag, MPI_COMM_WORLD, &sends[i]));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < MESSAGES; i++) {
        int source = i % 2 ? MPI_ANY_SOURCE : left;
        OK(MPI_Irecv(in[i], LONGEST, MPI_BYTE, source, KINDS[i].tag, MPI_COMM_WORLD, &receives[i]));
        CHECK(receives[i] != MPI_REQUEST_NULL);
    }
    /* Tools tell requests by their handles. */
    CHECK(receives[1] != receives[2]);
}

static void check_status(int i, const MPI_Status *status)
{
    int bytes, cancelled;
    OK(MPI_Get_count(status, MPI_BYTE, &bytes));
    OK(MPI_Test_cancelled(status, &cancelled));
    CHECK(status->MPI_SOURCE == left && status->MPI_TAG == KINDS[i].tag && bytes == KINDS[i].bytes && !cancelled);
}

static void check_received(int i, const MPI_Status *status)
{
    check_status(i, status);
    for (int byte = 0; byte < KINDS[i].bytes; byte++)
        CHECK(in[i][byte] == mark(left, i));
}

static void finish(const MPI_Request *receives)
{
    for (int i = 0; i < MESSAGES; i++)
        CHECK(receives[i] == MPI_REQUEST_NULL);
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
}

static void one_by_one(void)
{
    MPI_Request receives[MESSAGES];
    MPI_Status status;
    int flag;
    start(receives);
    for (int i = MESSAGES - 1; i >= 0; i--) {
        OK(MPI_Wait(&receives[i], &status));
        check_received(i, &status);
    }
    finish(receives);
    start(receives);
    for (int i = 0; i < MESSAGES; i++) {
        do {
            OK(MPI_Request_get_status(receives[i], &flag, &status));
        } while (!flag);
        check_status(i, &status);
        OK(MPI_Test(&receives[i], &flag, &status));
        CHECK(flag);
        check_received(i, &status);
    }
    finish(receives);
}

static void all_at_once(void)
{
    MPI_Request receives[MESSAGES];
    MPI_Status statuses[MESSAGES];
    int flag;
    start(receives);
    OK(MPI_Waitall(MESSAGES, receives, statuses));
    for (int i = 0; i < MESSAGES; i++)
        check_received(i, &statuses[i]);
    finish(receives);
    start(receives);
    do {
        OK(MPI_Request_get_status_all(MESSAGES, receives, &flag, statuses));
    } while (!flag);
    for (int i = 0; i < MESSAGES; i++)
        check_status(i, &statuses[i]);
    OK(MPI_Testall(MESSAGES, receives, &flag, statuses));
    CHECK(flag);
    for (int i = 0; i < MESSAGES; i++)
        check_received(i, &statuses[i]);
    finish(receives);
    start(receives);
    OK(MPI_Waitall(MESSAGES, receives, MPI_STATUSES_IGNORE));
    finish(receives);
}

static void any_of_them(void)
{
    MPI_Request receives[MESSAGES];
    MPI_Status status, seen;
    int index, flag, looked;
    start(receives);
    for (int done = 0; done < MESSAGES; done++) {
        OK(MPI_Waitany(MESSAGES, receives, &index, &status));
        check_received(index, &status);
    }
    finish(receives);
    start(receives);
    for (int done = 0; done < MESSAGES; done += flag) {
        OK(MPI_Request_get_status_any(MESSAGES, receives, &looked, &flag, &seen));
        if (flag)
            check_status(looked, &seen);
        OK(MPI_Testany(MESSAGES, receives, &index, &flag, &status));
        if (flag)
            check_received(index, &status);
    }
    finish(receives);
}

static void some_of_them(void)
{
    MPI_Request receives[MESSAGES];
    MPI_Status statuses[MESSAGES];
    int count, indices[MESSAGES];
    start(receives);
    for (int done = 0; done < MESSAGES; done += count) {
        OK(MPI_Waitsome(MESSAGES, receives, &count, indices, statuses));
        for (int i = 0; i < count; i++)
            check_received(indices[i], &statuses[i]);
    }
    finish(receives);
    start(receives);
    for (int done = 0; done < MESSAGES; done += count) {
        OK(MPI_Request_get_status_some(MESSAGES, receives, &count, indices, statuses));
        for (int i = 0; i < count; i++)
            check_status(indices[i], &statuses[i]);
        OK(MPI_Testsome(MESSAGES, receives, &count, indices, statuses));
        for (int i = 0; i < count; i++)
            check_received(indices[i], &statuses[i]);
    }
    finish(receives);
}

/* As a Fortran program does: it knows the integers only. */
static void by_integers(void)
{
    MPI_Request receives[MESSAGES];
    MPI_Fint integers[MESSAGES];
    MPI_Status status;
    start(receives);
    for (int i = 0; i < MESSAGES; i++)
        integers[i] = MPI_Request_c2f(receives[i]);
    for (int i = MESSAGES - 1; i >= 0; i--) {
        receives[i] = MPI_Request_f2c(integers[i]);
        CHECK(receives[i] != MPI_REQUEST_NULL && MPI_Request_c2f(receives[i]) == integers[i]);
        OK(MPI_Wait(&receives[i], &status));
        check_received(i, &status);
    }
    finish(receives);
}

static void other_calls(void)
{
    MPI_Request receives[MESSAGES];
    MPI_Status status;
    int flag;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    start(receives);
    for (int i = 0; i < MESSAGES; i++) {
        FAILS(MPI_Start(&receives[i]), MPI_ERR_REQUEST);
        FAILS(MPI_Pready(0, receives[i]), MPI_ERR_REQUEST);
        FAILS(MPI_Parrived(receives[i], 0, &flag), MPI_ERR_REQUEST);
        FAILS(MPI_Grequest_complete(receives[i]), MPI_ERR_REQUEST);
        /* It is too late to cancel it, unless its data is still with the sender. */
        if (KINDS[i].bytes <= 600)
            OK(MPI_Cancel(&receives[i]));
        OK(MPI_Wait(&receives[i], &status));
        check_received(i, &status);
    }
    finish(receives);
    start(receives);
    for (int i = 0; i < MESSAGES; i++)
        OK(MPI_Request_free(&receives[i]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    finish(receives);
}

static void too_short(void)
{
    MPI_Request receive;
    MPI_Status status;
    char byte;
    OK(MPI_Isend(out[1], 8, MPI_BYTE, right, 3, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Irecv(&byte, 1, MPI_BYTE, left, 3, MPI_COMM_WORLD, &receive));
    FAILS(MPI_Wait(&receive, &status), MPI_ERR_TRUNCATE);
    CHECK(receive == MPI_REQUEST_NULL);
    OK(MPI_Wait(&sends[0], MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    for (int round = 0; round < 20; round++) {
        one_by_one();
        all_at_once();
        any_of_them();
        some_of_them();
        by_integers();
    }
    other_calls();
    too_short();
    return check_end();
}
