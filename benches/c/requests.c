/* What an exchange of messages between ranks 0 and 1 costs each of them, by the kind of request it is done with:
 * nonblocking, persistent, partitioned (one partition); and what each of 64 partitions of that size costs.
 *
 * Prints "KIND SIZE NANOSECONDS": the best of several batches.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 65536, BATCHES = 20, ROUNDS = 19200, PARTS = 64, KINDS = 4 };

static char out[PARTS * LARGEST], in[PARTS * LARGEST];
static int rank;

static void nonblocking(int size, int rounds)
{
    MPI_Request requests[2];
    for (int i = 0; i < rounds; i++) {
        MPI_Irecv(in, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void persistent(int size, int rounds)
{
    MPI_Request requests[2];
    MPI_Recv_init(in, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < rounds; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void in_parts(int parts, int size, int rounds)
{
    MPI_Request requests[2];
    MPI_Precv_init(in, parts, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(out, parts, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < rounds; i++) {
        MPI_Startall(2, requests);
        for (int part = 0; part < parts; part++)
            MPI_Pready(part, requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void partitioned(int size, int rounds)
{
    in_parts(1, size, rounds);
}

static void partition(int size, int rounds)
{
    in_parts(PARTS, size, rounds / PARTS);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int size, int rounds);
    } kinds[KINDS] = {
        {"nonblocking", nonblocking},
        {"persistent", persistent},
        {"partitioned", partitioned},
        {"partition", partition},
    };
    static const int sizes[] = {8, 512, 4096, LARGEST};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t s = 0; rank < 2 && s < sizeof sizes / sizeof *sizes; s++) {
        double best[KINDS] = {1e9, 1e9, 1e9, 1e9};
        /* Batches of all kinds in turn: they meet the same load of the machine. */
        for (int batch = 0; batch < BATCHES; batch++) {
            for (int kind = 0; kind < KINDS; kind++) {
                int rounds = sizes[s] < LARGEST ? ROUNDS : ROUNDS / 15;
                double start = MPI_Wtime();
                kinds[kind].run(sizes[s], rounds);
                double time = (MPI_Wtime() - start) / rounds * 1e9;
                if (time < best[kind])
                    best[kind] = time;
            }
        }
        for (int kind = 0; rank == 0 && kind < KINDS; kind++)
            printf("%s %d %.1f\n", kinds[kind].name, sizes[s], best[kind]);
    }
    MPI_Finalize();
    return 0;
}
