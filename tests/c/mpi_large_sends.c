/* The large-count sends of every mode, round a ring whose receives are posted before. */
#include "mpi_check.h"

enum { N = 100, TAG = 3 };

static int left, right, out[N], in[N];

typedef int Blocking(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int Started(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Each round sends other numbers. */
static void fill(int round)
{
    for (int i = 0; i < N; i++)
        out[i] = (round * check_size + check_rank) * N + i, in[i] = -1;
}

static void check(int round)
{
    for (int i = 0; i < N; i++)
        CHECK(in[i] == (round * check_size + left) * N + i);
}

/* Posts the receive of a round and waits until everybody has: now a ready send may start. */
static MPI_Request posted(int round)
{
    MPI_Request request;
    fill(round);
    OK(MPI_Irecv_c(in, N, MPI_INT, left, TAG, MPI_COMM_WORLD, &request));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return request;
}

static void received(MPI_Request *request, int round)
{
    MPI_Status status;
    MPI_Count count;
    OK(MPI_Wait(request, &status));
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK(count == N && status.MPI_SOURCE == left && status.MPI_TAG == TAG);
    check(round);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    left = (check_rank + check_size - 1) % check_size, right = (check_rank + 1) % check_size;
    static char space[4 * (N * sizeof(int) + MPI_BSEND_OVERHEAD)];
    OK(MPI_Buffer_attach_c(space, sizeof space));
    int round = 0;

    Blocking *blocking[] = {MPI_Send_c, MPI_Ssend_c, MPI_Rsend_c, MPI_Bsend_c};
    for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++, round++) {
        MPI_Request request = posted(round);
        OK(blocking[i](out, N, MPI_INT, right, TAG, MPI_COMM_WORLD));
        received(&request, round);
    }

    Started *started[] = {MPI_Isend_c, MPI_Issend_c, MPI_Irsend_c, MPI_Ibsend_c};
    for (size_t i = 0; i < sizeof started / sizeof *started; i++, round++) {
        MPI_Request request = posted(round), send;
        OK(started[i](out, N, MPI_INT, right, TAG, MPI_COMM_WORLD, &send));
        received(&request, round);
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
        CHECK(send == MPI_REQUEST_NULL);
    }

    Started *persistent[] = {MPI_Send_init_c, MPI_Ssend_init_c, MPI_Rsend_init_c, MPI_Bsend_init_c};
    for (size_t i = 0; i < sizeof persistent / sizeof *persistent; i++) {
        MPI_Request send;
        OK(persistent[i](out, N, MPI_INT, right, TAG, MPI_COMM_WORLD, &send));
        for (int twice = 0; twice < 2; twice++, round++) {
            MPI_Request request = posted(round);
            OK(MPI_Start(&send));
            received(&request, round);
            OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
            CHECK(send != MPI_REQUEST_NULL);
        }
        OK(MPI_Request_free(&send));
    }

    MPI_Message message;
    MPI_Request request;
    fill(round);
    OK(MPI_Bsend_c(out, N, MPI_INT, right, TAG, MPI_COMM_WORLD));
    OK(MPI_Mprobe(left, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    OK(MPI_Imrecv_c(in, N, MPI_INT, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    received(&request, round++);

    void *detached;
    MPI_Count size;
    OK(MPI_Buffer_detach_c(&detached, &size));
    CHECK(detached == space && size == sizeof space);

    /* A negative count is an error, in each width. */
    MPI_Comm copy;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    OK(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
    for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++)
        FAILS(blocking[i](out, -1, MPI_INT, right, TAG, copy), MPI_ERR_COUNT);
    for (size_t i = 0; i < sizeof persistent / sizeof *persistent; i++)
        FAILS(persistent[i](out, -1, MPI_INT, right, TAG, copy, &request), MPI_ERR_COUNT);
    OK(MPI_Comm_free(&copy));
    return check_end();
}
