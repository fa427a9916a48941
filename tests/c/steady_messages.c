/* Messages between two hosts, with a rank each, that are sent again and again allocate nothing, and make no system call
 * while both ranks are at it.
 *
 *   steady_messages calls     counts system calls, too
 *   steady_messages short     leaves out messages that wait for their receives
 *   steady_messages memory    looks whether the memory in use grows, and no more: to sleep takes some for a while */
#include "count_system_calls.h"

#include "count_allocations.h"
#include "mpi_check.h"
#include <limits.h>
#include <malloc.h>

enum { LONGEST = 300000, WARM_UP = 100, TRIES = 200, BURST = 3 };

static char given[BURST][LONGEST], taken[BURST][LONGEST];
static int n, other, counts_system_calls;
static MPI_Request again[2];

/* One is received where it is waited for. */
static void ping_pong(void)
{
    if (check_rank == 0)
        OK(MPI_Send(given[0], n, MPI_CHAR, other, 1, MPI_COMM_WORLD));
    OK(MPI_Recv(taken[0], n, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (check_rank == 1)
        OK(MPI_Send(given[0], n, MPI_CHAR, other, 1, MPI_COMM_WORLD));
}

/* Most come before they are wanted, and are received backwards. */
static void burst(void)
{
    MPI_Request sends[BURST];
    for (int i = 0; i < BURST; i++)
        OK(MPI_Isend(given[i], n, MPI_CHAR, other, 10 + i, MPI_COMM_WORLD, &sends[i]));
    for (int i = BURST - 1; i >= 0; i--)
        OK(MPI_Recv(taken[i], n, MPI_CHAR, other, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(BURST, sends, MPI_STATUSES_IGNORE));
}

static void synchronous(void)
{
    MPI_Request requests[2];
    OK(MPI_Irecv(taken[0], n, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Issend(given[0], n, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

/* Receives whose requests are given up complete on their own, before what is sent after their messages. */
static void freed(void)
{
    for (int i = 0; i < BURST; i++) {
        MPI_Request request;
        OK(MPI_Irecv(taken[i], n, MPI_CHAR, other, 20 + i, MPI_COMM_WORLD, &request));
        OK(MPI_Request_free(&request));
    }
    ping_pong();
    for (int i = 0; i < BURST; i++)
        OK(MPI_Send(given[i], n, MPI_CHAR, other, 20 + i, MPI_COMM_WORLD));
    ping_pong();
}

static void persistent(void)
{
    OK(MPI_Startall(2, again));
    OK(MPI_Waitall(2, again, MPI_STATUSES_IGNORE));
}

static const struct {
    const char *name;
    void (*round)(void);
} ways[] = {{"ping-pong", ping_pong},
            {"burst", burst},
            {"synchronous", synchronous},
            {"freed", freed},
            {"persistent", persistent}};

/* So many that they take less than a rank's time slice where others want its core, too. */
static int rounds(void)
{
    return n <= 4000 ? 40 : 4;
}

/* The allocations and system calls of rounds, in all. */
static void count(void (*round)(void), long made[2])
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    long before = allocations;
    if (counts_system_calls)
        CHECK(system_calls_count());
    for (int i = 0; i < rounds(); i++)
        round();
    if (counts_system_calls)
        system_calls_count_no_more();
    made[0] = allocations - before;
    made[1] = system_calls;
    system_calls = 0;
    OK(MPI_Allreduce(MPI_IN_PLACE, made, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
}

/* Pools grow until they hold as much as is ever under way, and who has waited for long sleeps: it need not be steady
 * each time. */
static int becomes_steady(const char *name, void (*round)(void))
{
    long made[2] = {0, 0}, fewest[2] = {LONG_MAX, LONG_MAX};
    for (int i = 0; i < WARM_UP; i++)
        round();
    for (int i = 0; i < TRIES && (fewest[0] || fewest[1]); i++) {
        count(round, made);
        for (int which = 0; which < 2; which++)
            fewest[which] = made[which] < fewest[which] ? made[which] : fewest[which];
    }
    if ((fewest[0] || fewest[1]) && check_rank == 0)
        fprintf(stderr, "%d rounds of %s of %d bytes: at least %ld allocations, %ld system calls\n", rounds(), name, n,
                fewest[0], fewest[1]);
    return !fewest[0] && !fewest[1];
}

/* Whether so many rounds of short messages leave less than a byte each behind, in some try: on a busy machine more may
 * be under way than ever before, and pools grow. */
static int memory_stays(void (*round)(void))
{
    enum { ROUNDS = 10000, LEFT = ROUNDS, FEW_TRIES = 5 };
    int grows = 1;
    for (int try = 0; try < FEW_TRIES && grows; try++) {
        for (int i = 0; i < WARM_UP; i++)
            round();
        size_t before = mallinfo2().uordblks;
        for (int i = 0; i < ROUNDS; i++)
            round();
        grows = mallinfo2().uordblks >= before + LEFT;
        OK(MPI_Allreduce(MPI_IN_PLACE, &grows, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    }
    return !grows;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(check_size == 2);
    if (argc > 1 && !strcmp(argv[1], "memory")) {
        n = 8, other = 1 - check_rank;
        CHECK(memory_stays(synchronous));
        CHECK(memory_stays(freed));
        return check_end();
    }
    CHECK(allocations_count() > 0);
    const char *way = argc > 1 ? argv[1] : "";
    int only_short = !strcmp(way, "short");
    counts_system_calls = !strcmp(way, "calls");
    other = 1 - check_rank;
    for (n = 8; n <= (only_short ? 4000 : LONGEST); n = n == 8 ? 4000 : n * 8) {
        int steady = 1;
        OK(MPI_Recv_init(taken[0], n, MPI_CHAR, other, 3, MPI_COMM_WORLD, &again[0]));
        OK(MPI_Send_init(given[0], n, MPI_CHAR, other, 3, MPI_COMM_WORLD, &again[1]));
        for (int which = 0; which < (int)(sizeof ways / sizeof *ways); which++)
            if (!only_short || (ways[which].round != synchronous && ways[which].round != freed))
                steady &= becomes_steady(ways[which].name, ways[which].round);
        OK(MPI_Request_free(&again[0]));
        OK(MPI_Request_free(&again[1]));
        CHECK(steady);
    }
    return check_end();
}
