/* Two processes make a communicator of a session before a third one calls MPI: they wait for nobody who is not in it.
 * usage: session_members FILE; the file says that they have used the communicator */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The part of the first two processes: a sum over a communicator of theirs. */
static void add_up(MPI_Session session)
{
    const int members[2] = {0, 1};
    int rank, sum;
    MPI_Group all, two;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_incl(all, 2, members, &two);
    MPI_Comm_create_from_group(two, "two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("sum %d\n", sum);
    MPI_Comm_free(&comm);
    MPI_Group_free(&two);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    int number = atoi(getenv("SIMURGH_RANK"));
    MPI_Session session;
    if (argc != 2)
        return 2;
    while (number == 2 && access(argv[1], F_OK))
        usleep(1000);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    if (number < 2)
        add_up(session);
    if (number == 0)
        close(creat(argv[1], 0600));
    MPI_Session_finalize(&session);
    return 0;
}
