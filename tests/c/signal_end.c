/* Ranks end while signals that they handle keep coming from outside. */
#include "mpi_check.h"
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t come;

static void count(int number)
{
    (void)number;
    come++;
}

int main(int argc, char **argv)
{
    char command[96], *arguments[] = {"sh", "-c", command, NULL};
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    pid_t child;
    check_begin(&argc, &argv);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0) {
        snprintf(command, sizeof command, "while kill -USR1 %d 2>/dev/null; do :; done", (int)getpid());
        CHECK(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
        while (come < 3)
            pause();
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
