/* Sends in all modes, blocking and nonblocking, around a ring, at sizes on both sides of each protocol's limit. */
#include "mpi_check.h"

static const int sizes[] = {0, 1, 8, 55, 56, 57, 64, 1000, 4096, 8191, 8192, 8193, 65536, 1 << 20, 3000001};
enum { SIZES = sizeof sizes / sizeof *sizes, BUFFERED = 2 };

/* The bytes of the ranks repeat themselves after so many: i * 3 + (i >> 8) does. */
enum { PERIOD = 1 << 16 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* What this rank sends in this round, up to where it repeats itself. */
static const unsigned char *pattern(int n, int rank, int round)
{
    static unsigned char bytes[PERIOD];
    for (int i = 0; i < least(n, PERIOD); i++)
        bytes[i] = (unsigned char)(rank * 31 + round * 7 + i * 3 + (i >> 8));
    return bytes;
}

static void fill(unsigned char *data, int n, int rank, int round)
{
    const unsigned char *bytes = pattern(n, rank, round);
    for (int i = 0; i < n; i += PERIOD)
        memcpy(data + i, bytes, least(n - i, PERIOD));
}

static void verify(const unsigned char *data, int n, int rank, int round, const MPI_Status *status)
{
    int count = -1;
    CHECK(status->MPI_SOURCE == rank && status->MPI_TAG == round);
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    CHECK(count == n);
    const unsigned char *bytes = pattern(n, rank, round);
    for (int i = 0; i < n; i += PERIOD)
        CHECK(!memcmp(data + i, bytes, least(n - i, PERIOD)));
}

typedef int start_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int send_function(const void *, int, MPI_Datatype, int, int, MPI_Comm);

/* Waits until what was sent in this mode occupies no buffer any more: its receive may be over before we know. */
static void settle(int mode)
{
    if (mode == BUFFERED)
        OK(MPI_Buffer_flush());
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    int largest = sizes[SIZES - 1];
    unsigned char *out = malloc(largest), *in = malloc(largest);
    void *space = malloc(largest + 4 * MPI_BSEND_OVERHEAD);
    OK(MPI_Buffer_attach(space, largest + 4 * MPI_BSEND_OVERHEAD));

    start_function *starts[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
    send_function *sends[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
    for (int s = 0; s < SIZES; s++) {
        for (int mode = 0; mode < 4; mode++) {
            int n = sizes[s], tag = 10 * s + mode;
            MPI_Request requests[2];
            MPI_Status statuses[2];

            /* Nonblocking, the receive posted first. */
            memset(in, 0, n);
            fill(out, n, check_rank, tag);
            OK(MPI_Irecv(in, n, MPI_BYTE, left, tag, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Barrier(MPI_COMM_WORLD));
            OK(starts[mode](out, n, MPI_BYTE, right, tag, MPI_COMM_WORLD, &requests[1]));
            OK(MPI_Waitall(2, requests, statuses));
            CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
            verify(in, n, left, tag, &statuses[0]);
            settle(mode);

            /* Nonblocking, the send first; a ready send needs its receive. */
            if (mode != 3) {
                memset(in, 0, n);
                OK(starts[mode](out, n, MPI_BYTE, right, tag, MPI_COMM_WORLD, &requests[1]));
                OK(MPI_Barrier(MPI_COMM_WORLD));
                OK(MPI_Recv(in, n, MPI_BYTE, left, tag, MPI_COMM_WORLD, &statuses[0]));
                OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
                verify(in, n, left, tag, &statuses[0]);
                settle(mode);
            }

            /* Blocking, against a posted receive. */
            memset(in, 0, n);
            OK(MPI_Irecv(in, n, MPI_BYTE, left, tag, MPI_COMM_WORLD, &requests[0]));
            OK(MPI_Barrier(MPI_COMM_WORLD));
            OK(sends[mode](out, n, MPI_BYTE, right, tag, MPI_COMM_WORLD));
            OK(MPI_Wait(&requests[0], &statuses[0]));
            verify(in, n, left, tag, &statuses[0]);
            settle(mode);

            /* Blocking, the receive comes later. */
            if (check_size > 1 && mode != 3) {
                memset(in, 0, n);
                if (check_rank % 2 == 0 && check_rank + 1 < check_size) {
                    OK(sends[mode](out, n, MPI_BYTE, check_rank + 1, tag, MPI_COMM_WORLD));
                } else if (check_rank % 2 == 1) {
                    OK(MPI_Recv(in, n, MPI_BYTE, check_rank - 1, tag, MPI_COMM_WORLD, &statuses[0]));
                    verify(in, n, check_rank - 1, tag, &statuses[0]);
                }
                settle(mode);
            }
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        MPI_Status status;
        memset(in, 0, sizes[s]);
        fill(out, sizes[s], check_rank, s);
        OK(MPI_Sendrecv(out, sizes[s], MPI_BYTE, right, s, in, sizes[s], MPI_BYTE, left, s, MPI_COMM_WORLD, &status));
        verify(in, sizes[s], left, s, &status);
        OK(MPI_Sendrecv_replace(out, sizes[s], MPI_BYTE, right, s, left, s, MPI_COMM_WORLD, &status));
        verify(out, sizes[s], left, s, &status);
    }

    void *detached;
    int bytes;
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == space && bytes == largest + 4 * MPI_BSEND_OVERHEAD);
    OK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    MPI_Request request;
    int sent = check_rank, received = -1;
    OK(MPI_Ibsend(&sent, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Recv(&received, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(received == left);
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == MPI_BUFFER_AUTOMATIC);
    free(space);
    free(out);
    free(in);
    return check_end();
}
