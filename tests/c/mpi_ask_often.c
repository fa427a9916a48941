/* One rank asks the launcher again and again while all others wait for it: between question and answer nothing happens
 * in the job, which is no deadlock. */
#include "mpi_check.h"

#include <stddef.h>

enum { ROUNDS = 40, QUESTIONS = 100 };

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name("often", MPI_INFO_NULL, port));
    }
    for (int round = 0; round < ROUNDS; round++) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int question = 0; check_rank == round % check_size && question < QUESTIONS; question++)
            OK(MPI_Lookup_name("often", MPI_INFO_NULL, found));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0) {
        OK(MPI_Unpublish_name("often", MPI_INFO_NULL, port));
        OK(MPI_Close_port(port));
    }
    return check_end();
}
