/* Wrong arguments give the standard's error classes, through each kind of error handler; nothing crashes. */
#include "mpi_check.h"
#include <stdint.h>

static int class_of(int code)
{
    int class = -1;
    OK(MPI_Error_class(code, &class));
    return class;
}

static void wrong_arguments(void)
{
    int value = 0, flag, n;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type;
    MPI_Group group;

    FAILS(MPI_Send(&value, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    FAILS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm), MPI_ERR_TYPE);
    OK(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm)); /* no element, no datatype */
    FAILS(MPI_Send(&value, 1, (MPI_Datatype)0x2ff, 0, 0, comm), MPI_ERR_TYPE);
    FAILS(MPI_Send(&value, 1, (MPI_Datatype)(uintptr_t)0x123456789, 0, 0, comm), MPI_ERR_TYPE);
    FAILS(MPI_Send(&value, 1, (MPI_Datatype)&value, 0, 0, comm), MPI_ERR_TYPE);
    FAILS(MPI_Send(&value, 1, MPI_INT, check_size, 0, comm), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_INT, -5, 0, comm), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm), MPI_ERR_RANK);
    FAILS(MPI_Send(&value, 1, MPI_INT, 0, -1, comm), MPI_ERR_TAG);
    FAILS(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, comm), MPI_ERR_TAG);
    FAILS(MPI_Send(NULL, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(&value, 1, MPI_INT, check_size, 0, comm, &status), MPI_ERR_RANK);
    FAILS(MPI_Recv(&value, 1, MPI_INT, 0, -7, comm, &status), MPI_ERR_TAG);
    FAILS(MPI_Irecv(&value, -3, MPI_INT, 0, 0, comm, &request), MPI_ERR_COUNT);
    FAILS(MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, NULL), MPI_ERR_ARG);
    FAILS(MPI_Bsend(&value, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER);
    FAILS(MPI_Comm_rank(comm, NULL), MPI_ERR_ARG);

    /* Handles that are none. */
    FAILS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    FAILS(MPI_Comm_size((MPI_Comm)0, &n), MPI_ERR_COMM);
    FAILS(MPI_Comm_size((MPI_Comm)(uintptr_t)-1, &n), MPI_ERR_COMM);
    FAILS(MPI_Comm_size((MPI_Comm)&value, &n), MPI_ERR_COMM);
    FAILS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    FAILS(MPI_Comm_free(&(MPI_Comm){MPI_COMM_WORLD}), MPI_ERR_COMM);
    request = (MPI_Request)&value;
    FAILS(MPI_Wait(&request, &status), MPI_ERR_REQUEST);
    FAILS(MPI_Test(&request, &flag, &status), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Waitall(1, &request, &status), MPI_ERR_REQUEST);
    request = MPI_REQUEST_NULL;
    FAILS(MPI_Request_free(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST);
    FAILS(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    FAILS(MPI_Type_size(MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
    FAILS(MPI_Type_free(&(MPI_Datatype){MPI_INT}), MPI_ERR_TYPE);
    FAILS(MPI_Op_free(&(MPI_Op){MPI_SUM}), MPI_ERR_OP);
    FAILS(MPI_Op_commutative(MPI_OP_NULL, &flag), MPI_ERR_OP);
    FAILS(MPI_Mrecv(&value, 1, MPI_INT, &(MPI_Message){MPI_MESSAGE_NULL}, &status), MPI_ERR_REQUEST);
    FAILS(MPI_Comm_set_errhandler(comm, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);

    /* A freed handle is void, and so is a request that is complete. */
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    MPI_Datatype stale = type;
    FAILS(MPI_Send(&value, 1, type, MPI_PROC_NULL, 0, comm), MPI_ERR_TYPE); /* not committed */
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    FAILS(MPI_Type_size(stale, &n), MPI_ERR_TYPE);
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request));
    MPI_Request done = request;
    OK(MPI_Wait(&request, &status));
    FAILS(MPI_Wait(&done, &status), MPI_ERR_REQUEST);
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request));
    FAILS(MPI_Start(&request), MPI_ERR_REQUEST); /* not persistent */
    OK(MPI_Wait(&request, &status));

    /* Groups, collectives, operations. */
    int ranks[2] = {0, check_size};
    OK(MPI_Comm_group(comm, &group));
    FAILS(MPI_Group_incl(group, 2, ranks, &(MPI_Group){0}), MPI_ERR_RANK);
    ranks[1] = 0;
    FAILS(MPI_Group_incl(group, 2, ranks, &(MPI_Group){0}), MPI_ERR_RANK);
    OK(MPI_Group_free(&group));
    CHECK(group == MPI_GROUP_NULL);
    FAILS(MPI_Bcast(&value, 1, MPI_INT, check_size, comm), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(&value, 1, MPI_INT, -1, comm), MPI_ERR_ROOT);
    FAILS(MPI_Allreduce(&value, &n, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
    double real = 0, sum;
    FAILS(MPI_Allreduce(&real, &sum, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP);
    FAILS(MPI_Bcast(&value, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    FAILS(MPI_Comm_split(comm, -3, 0, &(MPI_Comm){0}), MPI_ERR_ARG);
    FAILS(MPI_Error_class(-1, &n), MPI_ERR_ARG);
    FAILS(MPI_Init(NULL, NULL), MPI_ERR_OTHER);
}

static int calls;
static MPI_Comm raised_on;
static int raised_code;

static void handler(MPI_Comm *comm, int *code, ...)
{
    calls++;
    raised_on = *comm;
    raised_code = *code;
}

static void user_handlers(void)
{
    MPI_Errhandler mine, found;
    MPI_Comm dup;
    int n;
    calls = 0;
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &dup));
    OK(MPI_Comm_get_errhandler(dup, &found));
    CHECK(found == MPI_ERRORS_RETURN); /* inherited */
    OK(MPI_Comm_set_errhandler(dup, mine));
    OK(MPI_Comm_get_errhandler(dup, &found));
    CHECK(found == mine);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Errhandler_free(&mine)); /* the communicator keeps it */
    CHECK(mine == MPI_ERRHANDLER_NULL && found == MPI_ERRHANDLER_NULL);
    CHECK(class_of(MPI_Send(&n, 1, MPI_INT, 3, 0, dup)) == MPI_ERR_RANK);
    CHECK(calls == 1 && raised_on == dup && class_of(raised_code) == MPI_ERR_RANK);
    MPI_Comm grandchild;
    OK(MPI_Comm_dup(dup, &grandchild));
    CHECK(MPI_Comm_size(grandchild, NULL) != MPI_SUCCESS);
    CHECK(calls == 2 && raised_on == grandchild);
    OK(MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER));
    CHECK(calls == 3 && raised_on == dup && raised_code == MPI_ERR_OTHER);
    /* The errors of a request are raised on its communicator. */
    int out[2] = {1, 2}, in;
    MPI_Request request;
    OK(MPI_Irecv(&in, 1, MPI_INT, 0, 0, dup, &request));
    OK(MPI_Send(out, 2, MPI_INT, 0, 0, dup));
    CHECK(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    CHECK(calls == 4 && raised_on == dup);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&grandchild));
    CHECK(dup == MPI_COMM_NULL);
}

static void strings(void)
{
    char text[MPI_MAX_ERROR_STRING], other[MPI_MAX_ERROR_STRING];
    int length;
    for (int class = MPI_SUCCESS; class <= MPI_T_ERR_PVAR_NO_ATOMIC; class++) {
        if (class == MPI_ERR_ABI + 1)
            class = MPI_T_ERR_CANNOT_INIT;
        OK(MPI_Error_string(class, text, &length));
        CHECK(length > 0 && length == (int)strlen(text));
        CHECK(class_of(class) == class);
        if (class > 0)
            CHECK(strcmp(text, other) != 0);
        strcpy(other, text);
    }
}

/* Errors without an object go to MPI_COMM_SELF once that one has a handler, and until then to the world's. */
static void errors_without_object(void)
{
    MPI_Errhandler mine;
    int n;
    OK(MPI_Comm_create_errhandler(handler, &mine));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine));
    CHECK(class_of(MPI_Type_size(MPI_DATATYPE_NULL, &n)) == MPI_ERR_TYPE);
    CHECK(calls == 1 && raised_on == MPI_COMM_WORLD);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, mine));
    CHECK(class_of(MPI_Type_size(MPI_DATATYPE_NULL, &n)) == MPI_ERR_TYPE);
    CHECK(calls == 2 && raised_on == MPI_COMM_SELF);
    OK(MPI_Errhandler_free(&mine));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    errors_without_object();
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    wrong_arguments();
    user_handlers();
    strings();
    return check_end();
}
