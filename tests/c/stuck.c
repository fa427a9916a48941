/* Ranks that wait for what never comes, each in a way of its own. The argument says which. */
#include "mpi_check.h"
#include <unistd.h>

/* A receive that nobody sends to: the rank of this number waits in it. */
static void wait_for_ever(int from)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* After many looks in vain in a row, a pause after each leaves the core to others. */
static void pause_after_many(int *looks)
{
    if (++*looks > 100000)
        usleep(1000);
}

static void partitioned(const char *how)
{
    int data[4] = {0}, flag = 0, looks = 0;
    MPI_Request request;
    int sends = check_rank == 1 && strcmp(how, "unpaired") && strcmp(how, "arrived");
    if (check_rank == 0)
        OK(MPI_Precv_init(data, 4, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    if (sends)
        OK(MPI_Psend_init(data, 4, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0 && strcmp(how, "unreceived")) {
        OK(MPI_Start(&request));
        while (!strcmp(how, "arrived") && !flag) {
            OK(MPI_Parrived(request, 1, &flag));
            pause_after_many(&looks);
        }
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (sends && strcmp(how, "unmet")) {
        OK(MPI_Start(&request));
        OK(MPI_Pready(2, request));
        if (!strcmp(how, "unreceived"))
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    wait_for_ever(2);
}

static void collective(int again)
{
    int one = 1, sum;
    MPI_Request request;
    if (again)
        OK(MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    if (check_rank == 0)
        wait_for_ever(1);
    if (again)
        OK(MPI_Start(&request));
    else
        OK(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void probe(int matched)
{
    int flag = 0, looks = 0;
    MPI_Message message;
    while (check_rank == 0 && !flag) {
        if (matched)
            OK(MPI_Improbe(1, 4, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
        else
            OK(MPI_Iprobe(1, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        pause_after_many(&looks);
    }
    wait_for_ever(0);
}

/* Rank 1 keeps the lock of rank 0, for which rank 2 waits; or rank 0 waits for a post, rank 1 for a completion. */
static void window(int of_lock)
{
    MPI_Win win;
    MPI_Group group;
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_group(win, &group));
    if (of_lock) {
        if (check_rank == 1)
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (check_rank == 2)
            OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    } else if (check_rank == 0) {
        OK(MPI_Win_start(group, 0, win));
    } else if (check_rank == 1) {
        OK(MPI_Win_post(group, 0, win));
        OK(MPI_Win_wait(win));
    }
    wait_for_ever(0);
}

/* Rank 0 does not come to the fence: it waits for a message, or frees the window. */
static void fence(int frees)
{
    char memory[8];
    MPI_Win win;
    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (check_rank != 0)
        OK(MPI_Win_fence(0, win));
    else if (frees)
        OK(MPI_Win_free(&win));
    wait_for_ever(1);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "started") || !strcmp(how, "again"))
        collective(!strcmp(how, "again"));
    else if (!strcmp(how, "iprobe") || !strcmp(how, "improbe"))
        probe(!strcmp(how, "improbe"));
    else if (!strcmp(how, "lock") || !strcmp(how, "signal"))
        window(!strcmp(how, "lock"));
    else if (!strcmp(how, "fence") || !strcmp(how, "free"))
        fence(!strcmp(how, "free"));
    else
        partitioned(how);
    return check_end();
}
