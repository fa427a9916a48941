/* Buffers for buffered sends: of the process, of communicators, of sessions; what fits, which is used, who waits. */
#include "mpi_check.h"
#include <pthread.h>

/* Messages with the tag NOBODYS are never received: a buffer is looked for. Others are too long to leave their buffer
   before they are received. */
enum { BYTES = 200000, ROOM = BYTES + MPI_BSEND_OVERHEAD, NOBODYS = 99 };
static char space[2 * ROOM], small[256], out[BYTES], in[BYTES];
static int right, left;

static void receive(int tag, MPI_Comm comm)
{
    memset(in, 0, sizeof in);
    OK(MPI_Recv(in, BYTES, MPI_BYTE, left, tag, comm, MPI_STATUS_IGNORE));
    CHECK(in[0] == (char)(left + tag) && in[BYTES - 1] == in[0]);
}

static int buffered(int bytes, int tag, MPI_Comm comm)
{
    memset(out, check_rank + tag, sizeof out);
    return MPI_Bsend(out, bytes, MPI_BYTE, right, tag, comm);
}

/* Two messages fit, a third once one has been received. */
static void accounts(void)
{
    void *address;
    int size, flag;
    MPI_Count large;
    FAILS(buffered(1, NOBODYS, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Buffer_detach(&address, &size), MPI_ERR_BUFFER);
    FAILS(MPI_Buffer_attach(space, -1), MPI_ERR_COUNT);
    FAILS(MPI_Buffer_attach(NULL, 10), MPI_ERR_BUFFER);
    OK(MPI_Buffer_attach(space, sizeof space));
    OK(buffered(BYTES, 1, MPI_COMM_WORLD));
    OK(buffered(BYTES, 2, MPI_COMM_WORLD));
    FAILS(buffered(BYTES, NOBODYS, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(1, MPI_COMM_WORLD);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    /* The receiver may know first that the message has been received. */
    while (buffered(BYTES, 3, MPI_COMM_WORLD) != MPI_SUCCESS)
        OK(MPI_Iprobe(left, NOBODYS, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(2, MPI_COMM_WORLD);
    receive(3, MPI_COMM_WORLD);
    OK(MPI_Buffer_detach_c(&address, &large));
    CHECK(address == space && large == sizeof space);
}

/* A flush waits for what is in the buffer, and for nothing that comes later. */
static void flushing(void)
{
    MPI_Request request, later;
    MPI_Status status;
    int flag, size;
    void *address;
    OK(MPI_Buffer_flush()); /* nothing attached, nothing to wait for */
    OK(MPI_Buffer_iflush(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Buffer_attach_c(space, sizeof space));
    OK(MPI_Buffer_flush());
    OK(buffered(BYTES, 4, MPI_COMM_WORLD));
    OK(MPI_Buffer_iflush(&request));
    OK(buffered(BYTES, 5, MPI_COMM_WORLD));
    OK(MPI_Buffer_iflush(&later));
    OK(MPI_Test(&request, &flag, &status));
    CHECK(!flag);
    FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(4, MPI_COMM_WORLD);
    OK(MPI_Wait(&request, &status));
    CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    OK(MPI_Test(&later, &flag, &status));
    CHECK(!flag);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(5, MPI_COMM_WORLD);
    OK(MPI_Wait(&later, &status));
    OK(MPI_Buffer_flush());
    OK(MPI_Buffer_detach(&address, &size));
    FAILS(MPI_Buffer_iflush(NULL), MPI_ERR_ARG);
}

static int through;

static void *flush(void *unused)
{
    OK(MPI_Buffer_flush());
    __atomic_store_n(&through, 1, __ATOMIC_SEQ_CST);
    return unused;
}

static void *detach(void *unused)
{
    void *address;
    int size;
    OK(MPI_Buffer_detach(&address, &size));
    CHECK(address == space && size == sizeof space);
    __atomic_store_n(&through, 1, __ATOMIC_SEQ_CST);
    return unused;
}

/* A blocking flush and a detach return when the message has been received, not before. */
static void waiting(void *(*wait)(void *))
{
    pthread_t thread;
    through = 0;
    OK(buffered(BYTES, 6, MPI_COMM_WORLD));
    CHECK(pthread_create(&thread, NULL, wait, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK(!__atomic_load_n(&through, __ATOMIC_SEQ_CST));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    receive(6, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    CHECK(through);
}

static void blocking(void)
{
    OK(MPI_Buffer_attach(space, sizeof space));
    waiting(flush);
    waiting(detach);
}

/* The buffer of the communicator comes first, whatever that of the process has room for. */
static void of_communicators(void)
{
    MPI_Comm comm;
    MPI_Request request;
    void *address;
    int size;
    MPI_Count large;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_attach_buffer(comm, space, sizeof space));
    FAILS(MPI_Comm_attach_buffer_c(comm, space, sizeof space), MPI_ERR_BUFFER);
    OK(buffered(BYTES, 7, comm));
    FAILS(buffered(1, NOBODYS, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    OK(MPI_Comm_iflush_buffer(comm, &request));
    receive(7, comm);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_flush_buffer(comm));
    OK(MPI_Comm_detach_buffer(comm, &address, &size));
    CHECK(address == space && size == sizeof space);

    OK(MPI_Buffer_attach(space, sizeof space));
    OK(MPI_Comm_attach_buffer_c(comm, small, sizeof small));
    OK(buffered(0, 8, comm));
    FAILS(buffered(1000, NOBODYS, comm), MPI_ERR_BUFFER);
    OK(buffered(1, 8, MPI_COMM_WORLD));
    OK(MPI_Recv(in, 0, MPI_BYTE, left, 8, comm, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in, 1, MPI_BYTE, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Comm_detach_buffer_c(comm, &address, &large));
    CHECK(address == small && large == sizeof small);
    OK(buffered(BYTES, 9, comm)); /* now from that of the process */
    receive(9, comm);
    OK(MPI_Buffer_detach(&address, &size));
    FAILS(MPI_Comm_attach_buffer(MPI_COMM_NULL, space, sizeof space), MPI_ERR_COMM);
    FAILS(MPI_Comm_detach_buffer(MPI_COMM_NULL, &address, &size), MPI_ERR_COMM);
    FAILS(MPI_Comm_flush_buffer(MPI_COMM_NULL), MPI_ERR_COMM);
    FAILS(MPI_Comm_iflush_buffer(MPI_COMM_NULL, &request), MPI_ERR_COMM);
    OK(MPI_Comm_free(&comm));
}

static void automatic(void)
{
    void *address;
    int size;
    OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    for (int i = 0; i < 20; i++)
        OK(buffered(BYTES, 10, MPI_COMM_WORLD));
    for (int i = 0; i < 20; i++)
        receive(10, MPI_COMM_WORLD);
    OK(MPI_Buffer_detach(&address, &size));
    CHECK(address == MPI_BUFFER_AUTOMATIC);
}

static void of_sessions(void)
{
    MPI_Session session;
    MPI_Request request;
    void *address;
    int size;
    MPI_Count large;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    FAILS(MPI_Session_detach_buffer(session, &address, &size), MPI_ERR_BUFFER);
    OK(MPI_Session_attach_buffer(session, space, sizeof space));
    FAILS(MPI_Session_attach_buffer_c(session, space, sizeof space), MPI_ERR_BUFFER);
    FAILS(buffered(1, NOBODYS, MPI_COMM_WORLD), MPI_ERR_BUFFER); /* the world is of no session */
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Session_iflush_buffer(session, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Session_detach_buffer(session, &address, &size));
    CHECK(address == space && size == sizeof space);

    /* Communicators of the session use its buffer, unless they have their own. */
    MPI_Group group;
    MPI_Comm comm;
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    OK(MPI_Comm_create_from_group(group, "buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Group_free(&group));
    FAILS(buffered(BYTES, NOBODYS, comm), MPI_ERR_BUFFER);
    OK(MPI_Session_attach_buffer(session, space, sizeof space));
    OK(buffered(BYTES, 12, comm));
    OK(MPI_Session_iflush_buffer(session, &request));
    receive(12, comm);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_attach_buffer(comm, small, sizeof small));
    FAILS(buffered(BYTES, NOBODYS, comm), MPI_ERR_BUFFER);
    OK(MPI_Comm_detach_buffer(comm, &address, &size));
    OK(MPI_Buffer_attach(small, sizeof small)); /* comes last */
    OK(buffered(BYTES, 13, comm));
    FAILS(buffered(BYTES, NOBODYS, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    receive(13, comm);
    OK(MPI_Session_flush_buffer(session));
    OK(MPI_Session_detach_buffer(session, &address, &size));
    FAILS(buffered(BYTES, NOBODYS, comm), MPI_ERR_BUFFER);
    OK(MPI_Buffer_detach(&address, &size));
    OK(MPI_Comm_free(&comm));

    OK(MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, 0));
    OK(MPI_Session_detach_buffer_c(session, &address, &large));
    CHECK(address == MPI_BUFFER_AUTOMATIC);
    OK(MPI_Session_finalize(&session));
    FAILS(MPI_Session_attach_buffer(MPI_SESSION_NULL, space, sizeof space), MPI_ERR_SESSION);
    FAILS(MPI_Session_detach_buffer(MPI_SESSION_NULL, &address, &size), MPI_ERR_SESSION);
    FAILS(MPI_Session_flush_buffer(MPI_SESSION_NULL), MPI_ERR_SESSION);
    FAILS(MPI_Session_iflush_buffer(MPI_SESSION_NULL, &request), MPI_ERR_SESSION);
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    accounts();
    flushing();
    blocking();
    of_communicators();
    automatic();
    of_sessions();
    return check_end();
}
