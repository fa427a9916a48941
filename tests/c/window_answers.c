/* Threads of all ranks fetch from the memory of all others, which the programs bring, and wait for each value.
 * Argument: the number of threads of a rank. */
#include "mpi_check.h"
#include <pthread.h>
#include <stdint.h>

enum { ROUNDS = 400, TICKETS = 0, SWAPS = 1, PATTERN = 2, WORDS = 5, MOST_THREADS = 8 };

static int64_t memory[WORDS];
static MPI_Win win;
/* The sum of the tickets that each thread has drawn, and how often it has swapped. */
static int64_t drawn[MOST_THREADS], swapped[MOST_THREADS];

/* Tickets are drawn once each, whoever draws them. */
static int64_t draw_ticket(int target)
{
    int64_t one = 1, ticket = -1;
    OK(MPI_Fetch_and_op(&one, &ticket, MPI_INT64_T, target, TICKETS, MPI_SUM, win));
    OK(MPI_Win_flush(target, win));
    CHECK(ticket >= 0);
    return ticket;
}

/* Raises a number by one if it is what it was; whether it was. */
static int raise(int target)
{
    int64_t was = -1, found = -1;
    OK(MPI_Fetch_and_op(NULL, &was, MPI_INT64_T, target, SWAPS, MPI_NO_OP, win));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Compare_and_swap(&(int64_t){was + 1}, &was, &found, MPI_INT64_T, target, SWAPS, win));
    OK(MPI_Win_flush(target, win));
    CHECK(was >= 0 && found >= was);
    return found == was;
}

/* Nothing but what has been asked for is written. */
static void get_some(int target, int bytes)
{
    unsigned char room[24];
    memset(room, 0xee, sizeof room);
    OK(MPI_Get(room + 1, bytes, MPI_BYTE, target, PATTERN, bytes, MPI_BYTE, win));
    OK(MPI_Win_flush(target, win));
    for (int i = 0; i < (int)sizeof room; i++)
        CHECK(room[i] == (i >= 1 && i <= bytes ? (unsigned char)(7 * target + i - 1) : 0xee));
}

static void *fetch(void *argument)
{
    int thread = *(int *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        int target = (check_rank + thread + round) % check_size;
        drawn[thread] += draw_ticket(target);
        swapped[thread] += raise(target);
        get_some(target, round % 17);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = atoi(argv[1]), numbers[MOST_THREADS];
    pthread_t others[MOST_THREADS];
    int64_t own[3] = {0}, all[3];
    check_begin_threads(&argc, &argv);
    CHECK(threads <= MOST_THREADS);
    for (int i = 0; i < (WORDS - PATTERN) * (int)sizeof *memory; i++)
        ((unsigned char *)(memory + PATTERN))[i] = (unsigned char)(7 * check_rank + i);
    OK(MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&others[i], NULL, fetch, &numbers[i]) == 0);
    }
    for (int i = 0; i < threads; i++)
        CHECK(pthread_join(others[i], NULL) == 0);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));

    OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
    int64_t tickets = memory[TICKETS];
    own[0] = tickets * (tickets - 1) / 2;
    own[1] = memory[SWAPS];
    own[2] = tickets;
    OK(MPI_Win_unlock(check_rank, win));
    for (int i = 0; i < threads; i++) {
        own[0] -= drawn[i];
        own[1] -= swapped[i];
    }
    OK(MPI_Allreduce(own, all, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK(all[0] == 0 && all[1] == 0 && all[2] == (int64_t)check_size * threads * ROUNDS);
    OK(MPI_Win_free(&win));
    return check_end();
}
