/* Generalised requests: completed by another thread, through every call that completes requests; their callbacks. */
#include "mpi_check.h"
#include <pthread.h>

enum { QUERY_CODE = 1000001, FREE_CODE = 1000002, CANCEL_CODE = 1000003 };

/* The calls of the callbacks of one operation, and their answers. */
struct operation {
    MPI_Request request;
    int queried, freed, cancelled, complete_when_cancelled;
    int query_code, free_code, cancel_code;
};

static int query(void *extra_state, MPI_Status *status)
{
    struct operation *operation = extra_state;
    operation->queried++;
    OK(MPI_Status_set_elements(status, MPI_INT, 7));
    OK(MPI_Status_set_cancelled(status, operation->cancelled));
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 11;
    return operation->query_code;
}

static int release(void *extra_state)
{
    struct operation *operation = extra_state;
    operation->freed++;
    return operation->free_code;
}

static int cancel(void *extra_state, int complete)
{
    struct operation *operation = extra_state;
    operation->cancelled = 1;
    operation->complete_when_cancelled = complete;
    return operation->cancel_code;
}

static struct operation begun(void)
{
    return (struct operation){MPI_REQUEST_NULL, 0, 0, 0, -1, 0, 0, 0};
}

static void begin(struct operation *operation)
{
    *operation = begun();
    OK(MPI_Grequest_start(query, release, cancel, operation, &operation->request));
    CHECK(operation->request != MPI_REQUEST_NULL);
}

static void *completer(void *operation)
{
    OK(MPI_Grequest_complete(((struct operation *)operation)->request));
    return NULL;
}

static void outcome(const struct operation *operation, const MPI_Status *status)
{
    int count;
    OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK(count == 7 && status->MPI_SOURCE == 3 && status->MPI_TAG == 11);
    CHECK(operation->queried == 1 && operation->freed == 1);
}

static void completed_by_a_thread(void)
{
    struct operation operation, second;
    pthread_t thread;
    MPI_Status status, statuses[2];
    int flag, index, count, indices[2];

    begin(&operation);
    MPI_Request request = operation.request;
    OK(MPI_Test(&request, &flag, &status));
    CHECK(!flag && operation.queried == 0);
    CHECK(pthread_create(&thread, NULL, completer, &operation) == 0);
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    outcome(&operation, &status);
    pthread_join(thread, NULL);

    begin(&operation);
    MPI_Request pair[2] = {MPI_REQUEST_NULL, operation.request};
    OK(MPI_Testany(2, pair, &index, &flag, &status));
    CHECK(!flag);
    CHECK(pthread_create(&thread, NULL, completer, &operation) == 0);
    OK(MPI_Waitany(2, pair, &index, &status));
    CHECK(index == 1 && pair[1] == MPI_REQUEST_NULL);
    outcome(&operation, &status);
    pthread_join(thread, NULL);

    begin(&operation);
    begin(&second);
    MPI_Request both[2] = {operation.request, second.request};
    CHECK(pthread_create(&thread, NULL, completer, &second) == 0);
    OK(MPI_Waitsome(2, both, &count, indices, statuses));
    CHECK(count == 1 && indices[0] == 1 && both[0] != MPI_REQUEST_NULL && both[1] == MPI_REQUEST_NULL);
    outcome(&second, &statuses[0]);
    pthread_join(thread, NULL);
    CHECK(pthread_create(&thread, NULL, completer, &operation) == 0);
    OK(MPI_Waitall(2, both, statuses));
    outcome(&operation, &statuses[0]);
    pthread_join(thread, NULL);
}

static void asked_again_and_again(void)
{
    struct operation operation;
    MPI_Status status;
    int flag;
    begin(&operation);
    OK(MPI_Request_get_status(operation.request, &flag, &status));
    CHECK(!flag && operation.queried == 0);
    OK(MPI_Grequest_complete(operation.request));
    CHECK(MPI_Grequest_complete(operation.request) == MPI_ERR_REQUEST);
    for (int times = 1; times < 4; times++) {
        OK(MPI_Request_get_status(operation.request, &flag, MPI_STATUS_IGNORE));
        CHECK(flag && operation.queried == times && operation.freed == 0);
    }
    OK(MPI_Test(&operation.request, &flag, MPI_STATUS_IGNORE));
    CHECK(flag && operation.request == MPI_REQUEST_NULL && operation.freed == 1);
}

static void given_up(void)
{
    struct operation operation;
    begin(&operation);
    MPI_Request copy = operation.request;
    OK(MPI_Request_free(&operation.request));
    CHECK(operation.request == MPI_REQUEST_NULL && operation.freed == 0);
    OK(MPI_Grequest_complete(copy));
    CHECK(operation.freed == 1 && operation.queried == 0);
    CHECK(MPI_Grequest_complete(copy) == MPI_ERR_REQUEST);

    begin(&operation);
    OK(MPI_Grequest_complete(operation.request));
    OK(MPI_Request_free(&operation.request));
    CHECK(operation.request == MPI_REQUEST_NULL && operation.freed == 1 && operation.queried == 0);
}

static void cancelled(void)
{
    struct operation operation;
    MPI_Status status;
    int flag;
    begin(&operation);
    OK(MPI_Cancel(&operation.request));
    CHECK(operation.complete_when_cancelled == 0);
    OK(MPI_Grequest_complete(operation.request));
    OK(MPI_Cancel(&operation.request));
    CHECK(operation.complete_when_cancelled == 1);
    operation.cancel_code = CANCEL_CODE;
    CHECK(MPI_Cancel(&operation.request) == CANCEL_CODE);
    OK(MPI_Wait(&operation.request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
}

static void codes_of_callbacks(void)
{
    struct operation operation, fine;
    MPI_Status statuses[2];
    begin(&operation);
    operation.query_code = QUERY_CODE;
    operation.free_code = FREE_CODE;
    OK(MPI_Grequest_complete(operation.request));
    CHECK(MPI_Wait(&operation.request, &statuses[0]) == QUERY_CODE);
    CHECK(operation.request == MPI_REQUEST_NULL);
    outcome(&operation, &statuses[0]);

    begin(&operation);
    begin(&fine);
    operation.free_code = FREE_CODE;
    MPI_Request both[2] = {fine.request, operation.request};
    OK(MPI_Grequest_complete(both[0]));
    OK(MPI_Grequest_complete(both[1]));
    CHECK(MPI_Waitall(2, both, statuses) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == FREE_CODE);
    CHECK(both[0] == MPI_REQUEST_NULL && both[1] == MPI_REQUEST_NULL);

    begin(&operation);
    operation.free_code = FREE_CODE;
    OK(MPI_Grequest_complete(operation.request));
    CHECK(MPI_Request_free(&operation.request) == FREE_CODE);
}

static void wrong_calls(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int value;
    CHECK(MPI_Grequest_start(NULL, release, cancel, NULL, &request) == MPI_ERR_ARG);
    CHECK(MPI_Grequest_start(query, NULL, cancel, NULL, &request) == MPI_ERR_ARG);
    CHECK(MPI_Grequest_start(query, release, NULL, NULL, &request) == MPI_ERR_ARG);
    CHECK(MPI_Grequest_start(query, release, cancel, NULL, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Grequest_complete(MPI_REQUEST_NULL) == MPI_ERR_REQUEST);
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request));
    CHECK(MPI_Grequest_complete(request) == MPI_ERR_REQUEST);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int round = 0; round < 20; round++)
        completed_by_a_thread();
    asked_again_and_again();
    given_up();
    cancelled();
    codes_of_callbacks();
    wrong_calls();
    return check_end();
}
