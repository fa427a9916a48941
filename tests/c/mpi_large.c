/* The large-count functions do what the others do. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    enum { N = 100 };
    int out[N], in[N];
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Count count;
    for (int i = 0; i < N; i++)
        out[i] = check_rank * N + i;

#define RECEIVED()                                                   \
    do {                                                             \
        for (int i = 0; i < N; i++)                                  \
            CHECK(in[i] == left * N + i);                            \
        memset(in, 0, sizeof in);                                    \
    } while (0)

    OK(MPI_Irecv_c(in, N, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend_c(out, N, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Wait(&requests[0], &status));
    OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK(count == N);
    RECEIVED();
    OK(MPI_Issend_c(out, N, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv_c(in, N, MPI_INT, left, 0, MPI_COMM_WORLD, &status));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    RECEIVED();
    OK(MPI_Sendrecv_c(out, N, MPI_INT, right, 0, in, N, MPI_INT, left, 0, MPI_COMM_WORLD, &status));
    RECEIVED();
    OK(MPI_Send_init_c(out, N, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv_init_c(in, N, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Startall(2, requests));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    RECEIVED();
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));

    static char space[10000];
    void *detached;
    OK(MPI_Buffer_attach_c(space, sizeof space));
    OK(MPI_Bsend_c(out, N, MPI_INT, right, 0, MPI_COMM_WORLD));
    MPI_Message message;
    OK(MPI_Mprobe(left, 0, MPI_COMM_WORLD, &message, &status));
    OK(MPI_Mrecv_c(in, N, MPI_INT, &message, MPI_STATUS_IGNORE));
    RECEIVED();
    OK(MPI_Buffer_detach_c(&detached, &count));
    CHECK(detached == space && count == sizeof space);

    /* Counts beyond 31 bits: a datatype of 3 GB, of which nothing is sent. */
    MPI_Datatype big;
    MPI_Count size, lb, extent;
    int narrow;
    MPI_Aint address;
    OK(MPI_Type_contiguous_c((MPI_Count)3 << 30, MPI_BYTE, &big));
    OK(MPI_Type_commit(&big));
    OK(MPI_Type_size_c(big, &size));
    CHECK(size == (MPI_Count)3 << 30);
    OK(MPI_Type_size(big, &narrow));
    CHECK(narrow == MPI_UNDEFINED);
    OK(MPI_Type_get_extent_c(big, &lb, &extent));
    CHECK(lb == 0 && extent == size);
    OK(MPI_Type_get_extent(big, &address, &address));
    CHECK(address == size);
    OK(MPI_Status_set_elements_c(&status, big, 5 * size));
    OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
    CHECK(count == 5 * size);
    OK(MPI_Get_count(&status, MPI_BYTE, &narrow));
    CHECK(narrow == MPI_UNDEFINED);
    OK(MPI_Get_count(&status, big, &narrow));
    CHECK(narrow == 5);
    OK(MPI_Type_free(&big));

    int sum, expected = check_size * (check_size - 1) / 2;
    OK(MPI_Allreduce_c(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == expected);
    MPI_Count *counts = malloc(check_size * sizeof *counts);
    MPI_Aint *displs = malloc(check_size * sizeof *displs);
    int *all = malloc(2 * check_size * sizeof *all);
    for (int r = 0; r < check_size; r++)
        counts[r] = 1, displs[r] = 2 * r;
    OK(MPI_Allgatherv_c(&check_rank, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < check_size; r++)
        CHECK(all[2 * r] == r);
    free(all);
    free(displs);
    free(counts);
    return check_end();
}
