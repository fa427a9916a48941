/* Long messages to memory that nobody has written before, whose bytes decide what the receiver does. */
#include "mpi_check.h"

enum { BYTES = 1 << 20, MESSAGES = 30 };

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int number = 0; number < MESSAGES; number++) {
        unsigned char *data = malloc(BYTES);
        CHECK(data != NULL);
        if (check_rank == 0) {
            memset(data, number + 1, BYTES);
            OK(MPI_Send(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
        } else if (check_rank == 1) {
            long sum = 0;
            OK(MPI_Recv(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < BYTES; i++)
                if (data[i] == number + 1)
                    sum++;
            CHECK(sum == BYTES);
        }
        free(data);
    }
    return check_end();
}
