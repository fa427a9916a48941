/* The last rank dies while it holds the lock of rank 0's part of a window. The others do what the word says: they wait
 * for that lock, send operations to the part of the rank that dies, or wait for it in a fence or for its post. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static MPI_Win window;

static void send_operations(int target)
{
    int one = 1;

    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    for (;;) {
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_flush(target, window);
    }
}

static void start(void)
{
    MPI_Group all;

    MPI_Win_get_group(window, &all);
    MPI_Win_start(all, 0, window);
}

int main(int argc, char **argv)
{
    int rank, size, *part;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
    if (rank == size - 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        usleep(100000); /* so that the others have begun */
        kill(getpid(), SIGKILL);
    }
    if (strcmp(argv[1], "lock") == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    else if (strcmp(argv[1], "operations") == 0)
        send_operations(size - 1);
    else if (strcmp(argv[1], "start") == 0)
        start();
    else
        MPI_Win_fence(0, window);
    return 1;
}
