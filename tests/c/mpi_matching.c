/* Wildcards, order, probes, matched probes, the null process, truncation. Messages go to the rank itself and around. */
#include "mpi_check.h"

static int right, left;

static void order_and_wildcards(void)
{
    enum { N = 200 };
    MPI_Request requests[N];
    int values[N], value;
    MPI_Status status;
    for (int i = 0; i < N; i++) {
        values[i] = i;
        OK(MPI_Isend(&values[i], 1, MPI_INT, right, i % 3, MPI_COMM_WORLD, &requests[i]));
    }
    /* Messages with one tag arrive in order, whatever is received between them. */
    for (int i = 1; i < N; i += 3) {
        OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
        CHECK(value == i && status.MPI_SOURCE == left && status.MPI_TAG == 1);
    }
    for (int i = 0; i < N; i++) {
        if (i % 3 == 1)
            continue;
        OK(MPI_Recv(&value, 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK(value == i && status.MPI_TAG == i % 3);
    }
    OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
}

static void probes(int n)
{
    char *out = calloc(n, 1), *in = calloc(n, 1);
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int flag, count;
    for (int round = 0; round < 4; round++) {
        OK(MPI_Isend(out, n, MPI_CHAR, right, 40 + round, MPI_COMM_WORLD, &request));
        switch (round) {
        case 0:
            OK(MPI_Probe(MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &status));
            OK(MPI_Get_count(&status, MPI_CHAR, &count));
            CHECK(count == n && status.MPI_SOURCE == left && status.MPI_TAG == 40);
            OK(MPI_Recv(in, n, MPI_CHAR, left, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            break;
        case 1:
            do {
                OK(MPI_Iprobe(left, 41, MPI_COMM_WORLD, &flag, &status));
            } while (!flag);
            CHECK(status.MPI_TAG == 41);
            OK(MPI_Recv(in, n, MPI_CHAR, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            CHECK(status.MPI_TAG == 41);
            break;
        case 2:
            OK(MPI_Mprobe(left, 42, MPI_COMM_WORLD, &message, &status));
            CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
            OK(MPI_Iprobe(left, 42, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            CHECK(!flag);
            OK(MPI_Mrecv(in, n, MPI_CHAR, &message, &status));
            CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == left);
            break;
        case 3:
            do {
                OK(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
            } while (!flag);
            CHECK(status.MPI_TAG == 43);
            MPI_Request receive;
            OK(MPI_Imrecv(in, n, MPI_CHAR, &message, &receive));
            CHECK(message == MPI_MESSAGE_NULL);
            OK(MPI_Wait(&receive, &status));
            OK(MPI_Get_count(&status, MPI_CHAR, &count));
            CHECK(count == n);
            break;
        }
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Barrier(MPI_COMM_WORLD)); /* nobody sends the next message yet */
    }
    free(out);
    free(in);
}

static void nobody(void)
{
    int value = 5, flag;
    MPI_Status status;
    MPI_Message message;
    OK(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    OK(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    int count = -1;
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(value == 5 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0);
    OK(MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    OK(MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status));
    CHECK(flag);
    OK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
}

static void truncation(int n)
{
    int *out = calloc(n, sizeof *out), *in = malloc(n * sizeof *in);
    MPI_Request request, receive;
    MPI_Status status;
    for (int i = 0; i < n; i++)
        out[i] = i;
    memset(in, 0xff, n * sizeof *in);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int posted = 0; posted < 2; posted++) {
        if (posted)
            OK(MPI_Irecv(in, n / 2, MPI_INT, left, 77, MPI_COMM_WORLD, &receive));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Isend(out, n, MPI_INT, right, 77, MPI_COMM_WORLD, &request));
        int code = posted ? MPI_Wait(&receive, &status)
                          : MPI_Recv(in, n / 2, MPI_INT, left, 77, MPI_COMM_WORLD, &status), class;
        OK(MPI_Error_class(code, &class));
        CHECK(class == MPI_ERR_TRUNCATE);
        CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 77);
        for (int i = 0; i < n; i++)
            CHECK(in[i] == (i < n / 2 ? i : -1));
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    order_and_wildcards();
    for (int n = 1; n < 200000; n = n * 7 + 1)
        probes(n);
    nobody();
    truncation(4);
    truncation(1000);
    truncation(100000);
    return check_end();
}
