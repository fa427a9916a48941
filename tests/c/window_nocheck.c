/* MPI_MODE_NOCHECK: no lock is taken, and nobody waits for a post. "checked" says that accesses are checked: then the
 * assertion is. */
#include "mpi_check.h"
#include <stdbool.h>
#include <stdint.h>

enum { ROUNDS = 20 };

static bool checked;
static int next, last;
static int64_t own[2], *memory;
static MPI_Win win;

/* A value of a rank in a round. */
static int64_t value(int rank, int round)
{
    return rank * 1000 + round;
}

static void put_to_next(int round)
{
    int64_t data = value(check_rank, round);
    OK(MPI_Put(&data, 1, MPI_INT64_T, next, 0, 1, MPI_INT64_T, win));
    /* So that a put that has not been completed would be seen. */
    OK(MPI_Put(&data, 1, MPI_INT64_T, next, 1, 1, MPI_INT64_T, win));
}

/* Between barriers each rank is the only one that locks the next one. */
static void lock_by_turns(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int kind = round % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
        if (round % 5 == 4) {
            OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
            put_to_next(round);
            OK(MPI_Win_unlock_all(win));
        } else {
            OK(MPI_Win_lock(kind, next, round % 3 ? MPI_MODE_NOCHECK : 0, win));
            put_to_next(round);
            OK(MPI_Win_unlock(next, win));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, MPI_MODE_NOCHECK, win));
        CHECK(memory[0] == value(last, round) && memory[1] == value(last, round));
        OK(MPI_Win_unlock(check_rank, win));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* An assertion that is wrong: rank 0 holds the lock that rank 1 needs. */
static void lock_what_is_locked(void)
{
    if (check_rank == 0)
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_size - 1, 0, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 1) {
        int code = MPI_Win_lock(MPI_LOCK_SHARED, check_size - 1, MPI_MODE_NOCHECK, win);
        if (checked)
            FAILS(code, MPI_ERR_RMA_SYNC);
        else
            OK(code);
        if (code == MPI_SUCCESS)
            OK(MPI_Win_unlock(check_size - 1, win));
        FAILS(MPI_Win_unlock(check_size - 1, win), MPI_ERR_RMA_SYNC);
        if (!checked) {
            OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
            OK(MPI_Win_unlock_all(win));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        OK(MPI_Win_unlock(check_size - 1, win));
    /* Nothing has been released that was not taken. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, MPI_MODE_NOCHECK, win));
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Win_unlock(next, win));
}

/* Epochs of a rank and the next one, some of which have been posted before, as their ranks say. */
static void start_what_is_posted(void)
{
    MPI_Group all, to, from;
    OK(MPI_Win_get_group(win, &all));
    OK(MPI_Group_incl(all, 1, &next, &to));
    OK(MPI_Group_incl(all, 1, &last, &from));
    for (int round = 0; round < ROUNDS; round++) {
        int assertion = round % 3 ? MPI_MODE_NOCHECK : 0;
        OK(MPI_Win_post(from, assertion, win));
        if (assertion)
            OK(MPI_Barrier(MPI_COMM_WORLD));
        OK(MPI_Win_start(to, assertion, win));
        put_to_next(round);
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        CHECK(memory[0] == value(last, round) && memory[1] == value(last, round));
    }
    OK(MPI_Group_free(&from));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&all));
}

static void work(void)
{
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    lock_by_turns();
    lock_what_is_locked();
    start_what_is_posted();
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    checked = strcmp(argv[1], "checked") == 0;
    next = (check_rank + 1) % check_size;
    last = (check_rank + check_size - 1) % check_size;
    OK(MPI_Win_allocate(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    work();
    memory = own;
    OK(MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    work();
    return check_end();
}
