/* As launch_crash.c, between MPI_Init and MPI_Finalize; with "own", the program has a handler of its own. With a second
 * argument, between MPI_Session_init and MPI_Session_finalize. */
#define main crash
#include "launch_crash.c"
#undef main

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

static void on_fault(int signal)
{
    (void)signal;
    write(STDERR_FILENO, "its own handler\n", 16);
    _exit(3);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "own")) {
        signal(SIGSEGV, on_fault);
        argv[1] = "segv";
    }
    if (argc > 2) {
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        int status = crash(argc, argv);
        MPI_Session_finalize(&session);
        return status;
    }
    MPI_Init(&argc, &argv);
    int status = crash(argc, argv);
    MPI_Finalize();
    return status;
}
