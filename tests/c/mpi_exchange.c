/* Nonblocking exchanges, short and long, with ranks that meet and ranks that are null. */
#include "mpi_check.h"

enum { LONG = 100000 };
static int right, left, out[LONG], in[LONG];

static void fill(int round)
{
    for (int i = 0; i < LONG; i++) {
        out[i] = check_rank * 7 + round + i;
        in[i] = -1;
    }
}

static void received(int count, int round, const MPI_Status *status)
{
    int n;
    OK(MPI_Get_count(status, MPI_INT, &n));
    CHECK(n == count && status->MPI_SOURCE == left && status->MPI_TAG == 4);
    for (int i = 0; i < count; i++)
        CHECK(in[i] == left * 7 + round + i);
}

static void round_the_ring(int count, int round)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0, index;
    fill(round);
    if (round % 2)
        OK(MPI_Isendrecv(out, count, MPI_INT, right, 4, in, LONG, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
    else
        OK(MPI_Isendrecv_c(out, count, MPI_INT, right, 4, in, LONG, MPI_INT, left, 4, MPI_COMM_WORLD, &request));
    switch (round % 3) {
    case 0:
        OK(MPI_Wait(&request, &status));
        break;
    case 1:
        while (!flag)
            OK(MPI_Test(&request, &flag, &status));
        break;
    default:
        OK(MPI_Waitany(1, &request, &index, &status));
    }
    CHECK(request == MPI_REQUEST_NULL);
    received(count, round, &status);

    fill(round);
    memcpy(in, out, sizeof in);
    if (round % 2)
        OK(MPI_Isendrecv_replace(in, count, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &request));
    else
        OK(MPI_Isendrecv_replace_c(in, count, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, &status));
    received(count, round, &status);
}

static void blocking_replacement(int count)
{
    MPI_Status status;
    fill(1);
    memcpy(in, out, sizeof in);
    OK(MPI_Sendrecv_replace(in, count, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &status));
    received(count, 1, &status);
    memcpy(in, out, sizeof in);
    OK(MPI_Sendrecv_replace_c(in, count, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &status));
    received(count, 1, &status);
}

/* An exchange whose halves end in either order: the other rank does one half after the other. */
static void half_by_half(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag, other = check_rank ^ 1;
    if (other >= check_size)
        return;
    for (int order = 0; order < 2; order++) {
        fill(2);
        if (check_rank < other) {
            OK(MPI_Isendrecv(out, LONG, MPI_INT, other, 5, in, LONG, MPI_INT, other, 6, MPI_COMM_WORLD, &request));
            OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
            CHECK(!flag);
            OK(MPI_Sendrecv(NULL, 0, MPI_INT, other, 7, NULL, 0, MPI_INT, other, 7, MPI_COMM_WORLD, &status));
            OK(MPI_Wait(&request, &status));
            CHECK(status.MPI_TAG == 6 && in[LONG - 1] == other * 7 + 2 + LONG - 1);
        } else {
            OK(MPI_Sendrecv(NULL, 0, MPI_INT, other, 7, NULL, 0, MPI_INT, other, 7, MPI_COMM_WORLD, &status));
            if (order)
                OK(MPI_Send(out, LONG, MPI_INT, other, 6, MPI_COMM_WORLD));
            OK(MPI_Recv(in, LONG, MPI_INT, other, 5, MPI_COMM_WORLD, &status));
            if (!order)
                OK(MPI_Send(out, LONG, MPI_INT, other, 6, MPI_COMM_WORLD));
            CHECK(in[0] == other * 7 + 2);
        }
    }
}

static void nobody(void)
{
    MPI_Request request;
    MPI_Status status;
    int count;
    OK(MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 0, in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
}

static void wrong_arguments(void)
{
    MPI_Request request;
    MPI_Comm comm = MPI_COMM_WORLD;
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    FAILS(MPI_Isendrecv(out, 1, MPI_INT, check_size, 0, in, 1, MPI_INT, left, 0, comm, &request), MPI_ERR_RANK);
    FAILS(MPI_Isendrecv(out, 1, MPI_INT, right, -4, in, 1, MPI_INT, left, 0, comm, &request), MPI_ERR_TAG);
    FAILS(MPI_Isendrecv(out, 1, MPI_INT, right, 0, in, -1, MPI_INT, left, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Isendrecv_replace(in, 1, MPI_INT, right, 0, -9, 0, comm, &request), MPI_ERR_RANK);
    FAILS(MPI_Isendrecv_replace(in, 1, MPI_DATATYPE_NULL, right, 0, left, 0, comm, &request), MPI_ERR_TYPE);
    /* A message that is too long is told by the call that completes the exchange. */
    OK(MPI_Isendrecv(out, LONG, MPI_INT, right, 0, in, 5, MPI_INT, left, 0, MPI_COMM_WORLD, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    for (int round = 0; round < 6; round++) {
        round_the_ring(3, round);
        round_the_ring(LONG, round);
    }
    blocking_replacement(3);
    blocking_replacement(LONG);
    half_by_half();
    nobody();
    wrong_arguments();
    return check_end();
}
