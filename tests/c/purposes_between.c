/* A rank that waits for the data of a long message from another host is about the network: one that slept already when
 * the message was announced, and one that receives later, in blocking calls and in waits. Needs four ranks on two hosts
 * with one virtual processor each, a way of rendezvous in which the sender moves the data, and the path of a file that
 * does not exist.
 *
 * Rank 0 sends to rank 2, whose purpose rank 3 looks at. Ranks 0 and 1 stay out of MPI meanwhile, so that the data does
 * not come. Files tell them when to go on. */
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "mpi_check.h"

enum { INTS = 1 << 20 };

static const char *base;

static const char *path(const char *event, int way)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s-%s-%d", base, event, way);
    return text;
}

static void tell(const char *event, int way)
{
    int file = open(path(event, way), O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0 && close(file) == 0);
}

static void await(const char *event, int way)
{
    while (access(path(event, way), F_OK) != 0)
        sched_yield();
}

static unsigned long about_network(void)
{
    int index, count;
    unsigned long counts[16];
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    OK(MPI_T_pvar_get_index("ranks_by_purpose", MPI_T_PVAR_CLASS_LEVEL, &index));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK(count == 3);
    OK(MPI_T_pvar_read(session, handle, counts));
    OK(MPI_T_pvar_session_free(&session));
    return counts[1];
}

int main(int argc, char **argv)
{
    int provided, *data = malloc(INTS * sizeof(int));
    check_begin(&argc, &argv);
    CHECK(argc == 2 && check_size == 4);
    base = argv[1];
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));

    /* A posted receive, one after a probe, a wait for a posted one, and one for a posted one whose message has come. */
    for (int way = 0; way < 4; way++) {
        MPI_Request request = MPI_REQUEST_NULL;
        int posted = way == 0 || way == 2;
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (check_rank == 0) {
            for (int i = 0; i < INTS; i++)
                data[i] = i + way;
            if (posted)
                await("posted", way);
            OK(MPI_Isend(data, INTS, MPI_INT, 2, 1, MPI_COMM_WORLD, &request));
            await("seen", way);
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else if (check_rank == 1) {
            await("seen", way);
        } else if (check_rank == 2) {
            if (way >= 2)
                OK(MPI_Irecv(data, INTS, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
            if (way == 1)
                OK(MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            /* Rank 3 has this when rank 2 sleeps: they share a virtual processor. */
            OK(MPI_Send(NULL, 0, MPI_INT, 3, 2, MPI_COMM_WORLD));
            if (way == 3)
                OK(MPI_Recv(NULL, 0, MPI_INT, 3, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            if (way < 2)
                OK(MPI_Recv(data, INTS, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
            for (int i = 0; i < INTS; i++)
                CHECK(data[i] == i + way);
        } else {
            OK(MPI_Recv(NULL, 0, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            if (posted) {
                CHECK(about_network() == 0);
                tell("posted", way);
            }
            if (way == 3)
                OK(MPI_Send(NULL, 0, MPI_INT, 2, 3, MPI_COMM_WORLD));
            for (int flag; about_network() != 1;)
                OK(MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            tell("seen", way);
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (check_rank > 1)
            CHECK(about_network() <= 1);
    }
    OK(MPI_T_finalize());
    free(data);
    return check_end();
}
