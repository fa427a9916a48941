/* Sessions without the world, beside it and after it; their process sets, infos and error handlers. */
#include "mpi_check.h"

static int calls, last_code;
static MPI_Session last_session;

static void handle(MPI_Session *session, int *code, ...)
{
    calls++;
    last_session = *session;
    last_code = *code;
}

static void handle_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

/* The value of a key, which has to be there. */
static const char *value_of(MPI_Info info, const char *key)
{
    static char value[100];
    int length = sizeof value, flag = 0;
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK(flag);
    return value;
}

static int size_of(MPI_Session session, const char *pset)
{
    MPI_Group group;
    int size;
    OK(MPI_Group_from_session_pset(session, pset, &group));
    OK(MPI_Group_size(group, &size));
    if (group != MPI_GROUP_EMPTY)
        OK(MPI_Group_free(&group));
    return size;
}

static void process_sets(MPI_Session session, int size)
{
    int count, covered = 0;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count));
    CHECK(count >= 3);
    for (int n = 0; n < count; n++) {
        int length = 0, again;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL));
        char name[MPI_MAX_PSET_NAME_LEN], start[5];
        again = length;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &again, name));
        CHECK(again == length && (int)strlen(name) + 1 == length);
        again = sizeof start;
        OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &again, start));
        CHECK(again == length && strncmp(start, name, 4) == 0 && start[4] == 0);
        MPI_Info info;
        OK(MPI_Session_get_pset_info(session, name, &info));
        CHECK(atoi(value_of(info, "mpi_size")) == size_of(session, name));
        OK(MPI_Info_free(&info));
        if (strncmp(name, "simurgh://core/", 15) == 0)
            covered += size_of(session, name);
    }
    CHECK(size_of(session, "mpi://WORLD") == size && size_of(session, "MPI://world") == size);
    CHECK(size_of(session, "mpi://SELF") == 1);
    int host = size_of(session, "simurgh://host");
    CHECK(0 < host && host <= size);
    /* Without mpiexec, or as a process, a rank is not bound to a core. */
    CHECK(covered == host || size == 1 || getenv("SIMURGH_RANK"));
}

static void error_handlers(MPI_Session session)
{
    MPI_Errhandler mine, found, wrong;
    MPI_Group group;
    int count, code;
    OK(MPI_Session_get_errhandler(session, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    OK(MPI_Session_create_errhandler(handle, &mine));
    OK(MPI_Session_set_errhandler(session, mine));
    OK(MPI_Session_get_errhandler(session, &found));
    CHECK(found == mine);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Errhandler_free(&mine)); /* the session keeps it */
    calls = 0;
    code = MPI_Group_from_session_pset(session, "mpi://nobody", &group);
    CHECK(code == MPI_ERR_ARG && calls == 1 && last_code == code && last_session == session);
    CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, NULL) == MPI_ERR_ARG && calls == 2);
    int length = 10;
    OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count));
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, NULL) == MPI_ERR_ARG && calls == 3);
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, NULL) == MPI_ERR_ARG && calls == 4);
    length = -1;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, NULL) != MPI_SUCCESS && calls == 5);
    OK(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    CHECK(calls == 6 && last_code == MPI_ERR_OTHER);
    /* A handler of communicators is not one of sessions. */
    OK(MPI_Comm_create_errhandler(handle_comm, &wrong));
    CHECK(MPI_Session_set_errhandler(session, wrong) == MPI_ERR_ERRHANDLER && calls == 7);
    OK(MPI_Errhandler_free(&wrong));
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
}

/* A library that uses MPI on its own. */
static void library(int expected)
{
    MPI_Session session, other;
    MPI_Info info, used;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED"));
    OK(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other));
    CHECK(session != other);
    OK(MPI_Info_free(&info));
    OK(MPI_Session_get_info(session, &used));
    CHECK(strcmp(value_of(used, "thread_level"), "MPI_THREAD_MULTIPLE") == 0);
    CHECK(strstr(value_of(used, "mpi_memory_alloc_kinds"), "system"));
    OK(MPI_Info_free(&used));
    int main_thread, world, provided;
    OK(MPI_Initialized(&world));
    OK(MPI_Is_thread_main(&main_thread));
    /* MPI_Init has been called by nobody, by this thread, or by one whose world is gone. */
    int gone;
    OK(MPI_Finalized(&gone));
    CHECK(main_thread == (world && !gone));
    OK(MPI_Query_thread(&provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    process_sets(session, expected);
    error_handlers(other);

    OK(MPI_Session_finalize(&other));
    CHECK(other == MPI_SESSION_NULL);
    OK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));

    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "simurgh.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    int rank, size, sum;
    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    CHECK(size == expected);
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK(sum == size * (size - 1) / 2);
    int token = rank, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request;
    OK(MPI_Isend(&token, 1, MPI_INT, right, 3, comm, &request));
    OK(MPI_Recv(&sum, 1, MPI_INT, left, 3, comm, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(sum == left);
    /* Operations under way have to be completed first. */
    OK(MPI_Irecv(&sum, 1, MPI_INT, rank, 4, comm, &request));
    CHECK(MPI_Session_finalize(&session) == MPI_ERR_PENDING && session != MPI_SESSION_NULL);
    OK(MPI_Send(&rank, 1, MPI_INT, rank, 4, comm));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Session_finalize(&session));
    CHECK(session == MPI_SESSION_NULL);
}

static void hardware(void)
{
    MPI_Info info;
    OK(MPI_Get_hw_resource_info(&info));
    CHECK(strcmp(value_of(info, "mpi_shared_memory"), "true") == 0);
    CHECK(strcmp(value_of(info, "hwloc://Machine"), "true") == 0);
    const char *core = value_of(info, "hwloc://Core");
    CHECK(strcmp(core, "true") == 0 || strcmp(core, "false") == 0);
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    /* The number of ranks: the size of the world's process set, before there is a world. */
    MPI_Session probe;
    int flag;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &probe) != MPI_SUCCESS)
        return 1;
    check_size = size_of(probe, "mpi://WORLD");
    OK(MPI_Session_finalize(&probe));
    library(check_size);
    library(check_size);
    OK(MPI_Initialized(&flag));
    CHECK(!flag);

    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    library(check_size);
    hardware();
    MPI_Session session, null = MPI_SESSION_NULL;
    CHECK(MPI_Session_finalize(&null) == MPI_ERR_SESSION);
    CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session) == MPI_ERR_ERRHANDLER);
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    check_end();

    /* The world is gone, the session is not. */
    if (size_of(session, "mpi://WORLD") != check_size)
        return 2;
    if (MPI_Session_finalize(&session) != MPI_SUCCESS)
        return 3;
    library(check_size);
    OK(MPI_Finalized(&flag));
    return !flag;
}
