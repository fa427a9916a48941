/* Duplicates of communicators: blocking or not, with hints or without, very many, and freed while they are in use. */
#include "mpi_check.h"

#include <stdbool.h>

#include "memory_use.h"

static int class_of(int code)
{
    int class;
    OK(MPI_Error_class(code, &class));
    return class;
}

static bool is_set(MPI_Comm comm, const char *key)
{
    MPI_Info info;
    char value[8];
    int length = sizeof value, flag;
    OK(MPI_Comm_get_info(comm, &info));
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK(flag && (!strcmp(value, "true") || !strcmp(value, "false")));
    OK(MPI_Info_free(&info));
    return !strcmp(value, "true");
}

static MPI_Info promise(const char *key, const char *value)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    return info;
}

static void ring(MPI_Comm comm, int tag)
{
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size, got = -1;
    OK(MPI_Sendrecv(&check_rank, 1, MPI_INT, right, tag, &got, 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE));
    CHECK(got == left);
}

static void with_hints(void)
{
    const char *any_source = "mpi_assert_no_any_source", *any_tag = "mpi_assert_no_any_tag";
    MPI_Comm comm, dup;
    MPI_Request request;
    int flag, got, result;
    MPI_Info told;
    char kinds[64];
    int length = sizeof kinds;
    OK(MPI_Comm_get_info(MPI_COMM_WORLD, &told));
    OK(MPI_Info_get_string(told, "mpi_memory_alloc_kinds", &length, kinds, &flag));
    CHECK(flag && strstr(kinds, "system") && strstr(kinds, "mpi"));
    OK(MPI_Info_free(&told));
    MPI_Info info = promise(any_source, "true"), unknown = promise("no_such_hint", "true");
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK(is_set(comm, any_source) && !is_set(comm, any_tag) && !is_set(comm, "mpi_assert_exact_length"));
    CHECK(!is_set(MPI_COMM_WORLD, any_source));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    ring(comm, 1);
    CHECK(class_of(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, MPI_STATUS_IGNORE)) == MPI_ERR_RANK);
    OK(MPI_Iprobe(0, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
    /* Hints do not pass to duplicates, and one can be taken back. */
    OK(MPI_Comm_dup(comm, &dup));
    CHECK(!is_set(dup, any_source));
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_set_info(comm, unknown));
    CHECK(is_set(comm, any_source));
    OK(MPI_Info_set(info, any_source, "false"));
    OK(MPI_Info_set(info, any_tag, "true"));
    OK(MPI_Info_set(info, "mpi_assert_allow_overtaking", "true"));
    OK(MPI_Comm_set_info(comm, info));
    CHECK(!is_set(comm, any_source) && is_set(comm, any_tag) && is_set(comm, "mpi_assert_allow_overtaking"));
    CHECK(class_of(MPI_Irecv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &request)) == MPI_ERR_TAG);
    OK(MPI_Comm_idup_with_info(comm, info, &dup, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(is_set(dup, any_tag));
    OK(MPI_Comm_compare(comm, dup, &result));
    CHECK(result == MPI_CONGRUENT);
    ring(dup, 2);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_free(&comm));
    int none = 0;
    OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, &none, &none, &none, MPI_UNWEIGHTED, info, 0, &comm));
    CHECK(is_set(comm, any_tag) && !is_set(comm, any_source));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_free(&info));
    OK(MPI_Info_free(&unknown));
}

/* Many messages under promises are found by the receives that ask for them, in any order. */
static void many_messages(void)
{
    enum { COUNT = 200 };
    MPI_Info info = promise("mpi_assert_no_any_source", "true");
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    MPI_Comm comm;
    OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size, got;
    for (int tag = 0; tag < COUNT; tag++)
        OK(MPI_Send(&tag, 1, MPI_INT, right, tag, comm));
    for (int tag = COUNT - 1; tag >= COUNT / 2; tag--) {
        OK(MPI_Recv(&got, 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE));
        CHECK(got == tag);
    }
    /* A promise taken back: what lies there is found by wildcards too, in order. */
    OK(MPI_Info_set(info, "mpi_assert_no_any_source", "false"));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "false"));
    OK(MPI_Comm_set_info(comm, info));
    for (int tag = 0; tag < COUNT / 2; tag++) {
        MPI_Status status;
        OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag % 2 ? tag : MPI_ANY_TAG, comm, &status));
        CHECK(got == tag && status.MPI_TAG == tag && status.MPI_SOURCE == left);
    }
    OK(MPI_Comm_free(&comm));
    OK(MPI_Info_free(&info));
}

static void nonblocking(void)
{
    enum { COUNT = 20 };
    MPI_Comm dups[COUNT];
    MPI_Request requests[COUNT];
    /* Rank 0 has all its duplicates before the others make one. */
    if (check_rank > 0)
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < COUNT; i++)
        OK(MPI_Comm_idup(MPI_COMM_WORLD, &dups[i], &requests[i]));
    OK(MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE));
    for (int to = 1; check_rank == 0 && to < check_size; to++)
        OK(MPI_Send(NULL, 0, MPI_INT, to, 3, MPI_COMM_WORLD));
    for (int i = COUNT - 1; i >= 0; i--) {
        ring(dups[i], i);
        OK(MPI_Comm_free(&dups[i]));
        CHECK(dups[i] == MPI_COMM_NULL);
    }
}

static void freed_in_use(void)
{
    MPI_Comm comm, other;
    MPI_Request pending[3];
    int got = -1, own = -1, never = -1, flag, right = (check_rank + 1) % check_size;
    MPI_Status status;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &pending[0]));
    OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, comm, &pending[1]));
    OK(MPI_Send_init(&check_rank, 1, MPI_INT, right, 4, comm, &pending[2]));
    OK(MPI_Comm_free(&comm));
    /* So many that a context would come back that is not in use. */
    for (int i = 0; i < 3000; i++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
        if (i % 100 == 0)
            OK(MPI_Send(&i, 1, MPI_INT, check_rank, 5, other));
        if (i % 100 == 0)
            OK(MPI_Recv(&own, 1, MPI_INT, check_rank, 5, other, MPI_STATUS_IGNORE));
        OK(MPI_Comm_free(&other));
    }
    OK(MPI_Start(&pending[2]));
    OK(MPI_Waitall(2, &pending[1], MPI_STATUSES_IGNORE));
    CHECK(got == (check_rank + check_size - 1) % check_size);
    OK(MPI_Request_free(&pending[2]));
    OK(MPI_Cancel(&pending[0]));
    OK(MPI_Wait(&pending[0], &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag && never == -1);
}

/* No more than so many bytes of the heap may be left of each, which is less than what a communicator consists of, and
   the process may not grow beyond so much, however many there were. Its size alone would not do: it is that of the
   largest heap there ever was, and so tells how far one rank has been ahead of another. Ranks that share a process see
   the memory of all. */
enum { LEFT_OF_EACH = 100, GROWTH = 16 << 20 };

static void duplicate(int count)
{
    MPI_Comm dup;
    for (int i = 0; i < count; i++) {
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
        OK(MPI_Comm_free(&dup));
    }
    /* Then all have made and freed theirs. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Whether little is left of so many. */
static int is_little_left(int count)
{
    long live = live_bytes(), pages = resident_pages();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    duplicate(count);
    long left = live_bytes() - live, growth = (resident_pages() - pages) * PAGE;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (left < (long)LEFT_OF_EACH * count && growth < GROWTH)
        return 1;
    fprintf(stderr, "rank %d: %ld bytes left, %ld bytes more of memory\n", check_rank, left, growth);
    return 0;
}

/* Pools of the transports, which stay, grow when hosts wait for each other for the first time, at any time on a loaded
   machine. What is left of each communicator is left each time. */
static void very_many(int count)
{
    int little = 0;

    duplicate(count / 10);
    for (int i = 0; i < 4 && !little; i++) {
        int own = is_little_left(count);
        OK(MPI_Allreduce(&own, &little, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    }
    CHECK(little);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    with_hints();
    many_messages();
    nonblocking();
    freed_in_use();
    very_many(argc > 1 ? atoi(argv[1]) : 4000);
    return check_end();
}
