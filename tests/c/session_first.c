/* One process opens a session before the others call MPI: it waits for nobody until it makes a communicator.
 * usage: session_first FILE; the file says that the session is open */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int is_first = !strcmp(getenv("SIMURGH_RANK"), "0"), rank, sum;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    if (argc != 2)
        return 2;
    while (!is_first && access(argv[1], F_OK))
        usleep(1000);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    if (is_first)
        close(creat(argv[1], 0600));
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("sum %d\n", sum);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
