/* Sends of some hundred bytes to a rank that computes, nonblocking ones and those of MPI_Sendrecv: they end without it,
 * as long as there is room for what it has not received, and what it receives is what was sent.
 *
 * Run with two ranks, and a limit on the backlog of 64 KiB.
 */
#include "mpi_check.h"

enum { BYTES = 512, SENDS = 2000, ROOM = (64 << 10) / BYTES, RING = 256, WARM = 200 };

static const double BUSY = 0.3;

static unsigned char data[SENDS][BYTES];

/* Both look for messages of each other now, and not only when they are told. */
static void warm_up(void)
{
    char byte = 0;
    for (int i = 0; i < WARM; i++) {
        if (check_rank == 0)
            OK(MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        OK(MPI_Recv(&byte, 1, MPI_CHAR, 1 - check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (check_rank == 1)
            OK(MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD));
    }
}

static void compute(double seconds)
{
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        ;
}

static void check_received(int number)
{
    unsigned char got[BYTES];
    OK(MPI_Recv(got, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(memcmp(got, data[number], BYTES) == 0);
}

/* A send that is tested, or waited for with another one that never ends by itself, or freed. */
static void ends_alone(void)
{
    if (check_rank == 1) {
        compute(BUSY);
        for (int i = 0; i < 3; i++)
            check_received(i);
        OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
        return;
    }
    double begin = MPI_Wtime();
    MPI_Request requests[2];
    int flag = 0, index;
    OK(MPI_Isend(data[0], BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[0]));
    while (!flag)
        OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    OK(MPI_Irecv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(data[1], BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index == 1 && MPI_Wtime() - begin < BUSY / 2);
    OK(MPI_Isend(data[2], BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Request_free(&requests[1]));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

static void send_nonblocking(const unsigned char *copy)
{
    MPI_Request request;
    OK(MPI_Isend(copy, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void send_in_exchange(const unsigned char *copy)
{
    OK(MPI_Sendrecv(copy, BYTES, MPI_BYTE, 1, 1, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
}

/* Many sends, one after the other: they wait for the receiver once the room is full. */
static void wait_for_room(void (*send)(const unsigned char *))
{
    if (check_rank == 1) {
        compute(BUSY);
        for (int i = 0; i < SENDS; i++)
            check_received(i);
        return;
    }
    double begin = MPI_Wtime();
    int early = 0;
    for (int i = 0; i < SENDS; i++) {
        unsigned char copy[BYTES];
        memcpy(copy, data[i], BYTES);
        send(copy);
        memset(copy, 0, BYTES);
        early += MPI_Wtime() - begin < BUSY / 2;
    }
    CHECK(early > 0 && early <= ROOM + RING + 1);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int i = 0; i < SENDS; i++)
        for (int k = 0; k < BYTES; k++)
            data[i][k] = (unsigned char)(i * 7 + k + (i >> 8));
    for (int round = 0; round < 3; round++) {
        warm_up();
        ends_alone();
        OK(MPI_Barrier(MPI_COMM_WORLD));
        warm_up();
        wait_for_room(send_nonblocking);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        warm_up();
        wait_for_room(send_in_exchange);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return check_end();
}
