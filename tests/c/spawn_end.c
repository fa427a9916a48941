/* How worlds end that others have started. The first argument says what the children do, a second one what those do. */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Waits until a process is gone. */
static void outlive(int pid)
{
    for (int i = 0; i < 2000; i++) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return;
        usleep(5000);
    }
    MPI_Abort(MPI_COMM_WORLD, 99);
}

static int child(MPI_Comm parent, const char *behaviour)
{
    int rank, pid, status = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, parent);
    if (strcmp(behaviour, "crash") == 0 && rank == 1)
        raise(SIGSEGV);
    if (strcmp(behaviour, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(behaviour, "status") == 0)
        status = rank == 1 ? 9 : 0;
    if (strcmp(behaviour, "outlive") == 0) {
        MPI_Comm_disconnect(&parent);
        outlive(pid);
        if (rank == 0)
            puts("alone");
    }
    if (strcmp(behaviour, "stay") == 0) {
        usleep(300000);
        if (kill(pid, 0) == 0 && rank == 0)
            puts("still there");
    }
    if (strcmp(behaviour, "sleep") == 0) {
        if (write(1, "up\n", 3) != 3)
            MPI_Abort(MPI_COMM_WORLD, 98);
        sleep(60);
    }
    if (strcmp(behaviour, "crash") == 0 || strcmp(behaviour, "abort") == 0)
        MPI_Barrier(parent);
    MPI_Finalize();
    return status;
}

int main(int argc, char **argv)
{
    int rank, pid = getpid();
    char *arguments[] = {argv[1], NULL};
    MPI_Comm parent, children;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return child(parent, argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "without") == 0) {
        /* The children do not use MPI. */
        int class = MPI_SUCCESS;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int code = MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                                  MPI_ERRCODES_IGNORE);
        MPI_Error_class(code, &class);
        MPI_Finalize();
        return class == MPI_ERR_SPAWN ? 0 : 1;
    }
    MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Bcast(&pid, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
    if (strcmp(argv[1], "outlive") == 0)
        MPI_Comm_disconnect(&children);
    if (strcmp(argv[1], "crash") == 0 || strcmp(argv[1], "abort") == 0)
        MPI_Barrier(children);
    if (argc > 2 && strcmp(argv[2], "quit") == 0)
        exit(3);
    if (argc > 2 && strcmp(argv[2], "give up") == 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Finalize();
    return 0;
}
