/* Long messages between neighbours in both directions at once: of several lengths, from and to any addresses, some of
 * them to receives that are too short, while one of the two computes. */
#include "mpi_check.h"

enum { LONGEST = 3 << 20, MESSAGES = 6, ROUNDS = 30, SLACK = 64 };

static unsigned char *sent[MESSAGES], *got[MESSAGES];

static int length(int round, int message)
{
    static const int lengths[MESSAGES] = {60000, 65536, 100001, 400000, 1 << 20, LONGEST};
    return lengths[message] - (round * 7 + message) % 100;
}

static unsigned char byte(int round, int message, int from, int index)
{
    return (unsigned char)(index * 31 + (index >> 8) + round * 3 + message * 5 + from * 11);
}

/* Keeps the caller from calling MPI for a moment. */
static void compute(void)
{
    double end = MPI_Wtime() + 0.0005;
    while (MPI_Wtime() < end)
        ;
}

static void exchange(int round)
{
    int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
    MPI_Request requests[2 * MESSAGES];
    MPI_Status statuses[2 * MESSAGES];
    for (int m = 0; m < MESSAGES; m++) {
        unsigned char *data = sent[m] + (round + m) % SLACK;
        for (int i = 0; i < length(round, m); i++)
            data[i] = byte(round, m, check_rank, i);
        memset(got[m], 0, LONGEST + SLACK);
    }
    for (int m = 0; m < MESSAGES; m++)
        OK(MPI_Isend(sent[m] + (round + m) % SLACK, length(round, m), MPI_BYTE, to, m, MPI_COMM_WORLD,
                     &requests[MESSAGES + m]));
    if (round % 3 == check_rank % 3)
        compute();
    for (int m = 0; m < MESSAGES; m++)
        OK(MPI_Irecv(got[m] + round % SLACK, length(round, m), MPI_BYTE, from, m, MPI_COMM_WORLD, &requests[m]));
    OK(MPI_Waitall(2 * MESSAGES, requests, statuses));
    for (int m = 0; m < MESSAGES; m++) {
        int count;
        OK(MPI_Get_count(&statuses[m], MPI_BYTE, &count));
        CHECK(count == length(round, m));
        for (int i = 0; i < count; i++)
            CHECK(got[m][round % SLACK + i] == byte(round, m, from, i));
        CHECK(got[m][round % SLACK + count] == 0);
    }
}

/* The second rank has room for a part of what the first one sends. */
static void truncate_one(int round)
{
    enum { ROOM = 200000 };
    if (check_rank == 0) {
        for (int i = 0; i < LONGEST; i++)
            sent[0][i] = byte(round, 0, 0, i);
        OK(MPI_Send(sent[0], LONGEST, MPI_BYTE, 1, 99, MPI_COMM_WORLD));
    } else if (check_rank == 1) {
        memset(got[0], 0, LONGEST);
        FAILS(MPI_Recv(got[0], ROOM, MPI_BYTE, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        for (int i = 0; i < ROOM; i++)
            CHECK(got[0][i] == byte(round, 0, 0, i));
        CHECK(got[0][ROOM] == 0);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int m = 0; m < MESSAGES; m++) {
        sent[m] = malloc(LONGEST + SLACK);
        got[m] = malloc(LONGEST + SLACK);
        CHECK(sent[m] != NULL && got[m] != NULL);
    }
    for (int round = 0; round < ROUNDS; round++) {
        exchange(round);
        truncate_one(round);
    }
    for (int m = 0; m < MESSAGES; m++) {
        free(sent[m]);
        free(got[m]);
    }
    return check_end();
}
