/* Nonblocking and persistent collectives that do not fit together: the error is that of their completion. */
#include "mistakes.h"

static int completed(MPI_Request *request)
{
    return MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int started(MPI_Request *request)
{
    OK(MPI_Start(request));
    int code = completed(request);
    OK(MPI_Request_free(request));
    return code;
}

static int operation(void)
{
    MPI_Request request;
    OK(odd() ? MPI_Ibarrier(comm, &request) : MPI_Ibcast(in, N, MPI_INT, 0, comm, &request));
    return completed(&request);
}

static int root(void)
{
    MPI_Request request;
    OK(MPI_Ireduce(out, in, N, MPI_INT, MPI_SUM, ODD(1, 0), comm, &request));
    return completed(&request);
}

static int bcast_count(void)
{
    MPI_Request request;
    OK(MPI_Ibcast(in, ODD(N, N - 1), MPI_INT, 0, comm, &request));
    return completed(&request);
}

static int bcast_room(void)
{
    MPI_Request request;
    OK(MPI_Ibcast(in, ODD(N - 1, N), MPI_INT, 0, comm, &request));
    return completed(&request);
}

static int gather_type(void)
{
    MPI_Request request;
    OK(MPI_Igather(out, N, ODD(MPI_FLOAT, MPI_INT), in, N, MPI_INT, 0, comm, &request));
    return completed(&request);
}

static int alltoall_count(void)
{
    MPI_Request request;
    OK(MPI_Ialltoall(out, ODD(N - 1, N), MPI_INT, in, ODD(N - 1, N), MPI_INT, comm, &request));
    return completed(&request);
}

static int allreduce_op(void)
{
    MPI_Request request;
    OK(MPI_Iallreduce(out, in, N, MPI_INT, ODD(MPI_MAX, MPI_SUM), comm, &request));
    return completed(&request);
}

/* One of two that are in flight is right. */
static int second_of_two(void)
{
    MPI_Request requests[2];
    int data = 1, sum = 0;
    OK(MPI_Iallreduce(out, in, ODD(N - 1, N), MPI_INT, MPI_SUM, comm, &requests[0]));
    OK(MPI_Iallreduce(&data, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
    OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    CHECK(sum == check_size);
    return completed(&requests[0]);
}

static int persistent_operation(void)
{
    MPI_Request request;
    OK(odd() ? MPI_Scatter_init(out, N, MPI_INT, in, N, MPI_INT, 0, comm, MPI_INFO_NULL, &request)
             : MPI_Gather_init(out, N, MPI_INT, in, N, MPI_INT, 0, comm, MPI_INFO_NULL, &request));
    return started(&request);
}

static int persistent_count(void)
{
    MPI_Request request;
    OK(MPI_Allgather_init(out, ODD(N - 1, N), MPI_INT, in, N, MPI_INT, comm, MPI_INFO_NULL, &request));
    return started(&request);
}

static int persistent_type(void)
{
    MPI_Request request;
    OK(MPI_Allreduce_init(out, in, N, ODD(MPI_UNSIGNED, MPI_INT), MPI_SUM, comm, MPI_INFO_NULL, &request));
    return started(&request);
}

static int persistent_op(void)
{
    MPI_Request request;
    OK(MPI_Scan_init(out, in, N, MPI_INT, ODD(MPI_MIN, MPI_SUM), comm, MPI_INFO_NULL, &request));
    return started(&request);
}

static const struct mistake mistakes[] = {
    MISTAKE(operation),      MISTAKE(root),
    MISTAKE(bcast_count),    MISTAKE(bcast_room),
    MISTAKE(gather_type),    MISTAKE(alltoall_count),
    MISTAKE(allreduce_op),   MISTAKE(second_of_two),
    MISTAKE(persistent_operation), MISTAKE(persistent_count),
    MISTAKE(persistent_type), MISTAKE(persistent_op),
};

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    return make_mistakes(argc, argv, mistakes, sizeof mistakes / sizeof *mistakes);
}
