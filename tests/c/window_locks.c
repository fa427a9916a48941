/* Locks of windows. The first argument says what is tested:
 * exclude SEED: ranks lock random targets in random ways and change what the locks protect.
 * busy: ranks pass the lock of rank 0 on while rank 0 computes, without a call of MPI.
 * ask: ranks take turns, and ask again and again whose it is. */
#include "mpi_check.h"
#include <stdint.h>

enum { TURNS = 60, PASSES = 200 };

static uint64_t state;
static MPI_Win win;
/* Whether ranks hold two locks at a time, in the order of their targets. MPI_Win_lock_all, whose order is up to the
 * library, might have them wait in a circle then. */
static int in_pairs;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Under a lock: both numbers of the target are equal, unless somebody changes them. */
static int64_t read_pair(int target)
{
    int64_t pair[2] = {-1, -2};
    OK(MPI_Get(&pair[1], 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(target, win));
    if (draw(8) == 0)
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE));
    OK(MPI_Get(&pair[0], 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(target, win));
    CHECK(pair[0] == pair[1]);
    return pair[0];
}

/* Under an exclusive lock. The unlock completes the last put. */
static void raise_pair(int target)
{
    int64_t more = read_pair(target) + 1;
    OK(MPI_Put(&more, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Put(&more, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win));
}

/* What this rank has added to all pairs. */
static int64_t take_turns(void)
{
    int64_t added = 0;
    for (int i = 0; i < TURNS; i++) {
        int target = (int)draw((unsigned)check_size), other = (int)draw((unsigned)check_size);
        switch (draw(6)) {
        case 0:
            if (in_pairs)
                break;
            OK(MPI_Win_lock_all(0, win));
            read_pair(target);
            read_pair(other);
            OK(MPI_Win_unlock_all(win));
            break;
        case 1:
            OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
            read_pair(target);
            OK(MPI_Win_unlock(target, win));
            break;
        case 2:
            if (in_pairs && target < other) {
                OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
                OK(MPI_Win_lock(draw(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, other, 0, win));
                read_pair(other);
                raise_pair(target);
                added++;
                OK(MPI_Win_unlock(target, win));
                OK(MPI_Win_unlock(other, win));
            }
            break;
        default:
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
            raise_pair(target);
            added++;
            OK(MPI_Win_unlock(target, win));
        }
    }
    return added;
}

static void exclude(int64_t *memory)
{
    int64_t added, all, sum, mine;
    memory[0] = memory[1] = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    added = take_turns();
    OK(MPI_Allreduce(&added, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
    mine = memory[0];
    OK(MPI_Win_unlock(check_rank, win));
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == all);
    OK(MPI_Win_free(&win));
}

static void exclude_in_all_windows(void)
{
    int64_t *base, own[2];
    MPI_Comm node;
    int near;
    OK(MPI_Win_allocate(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    exclude(base);
    OK(MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    exclude(own);
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_size(node, &near));
    if (near == check_size) {
        OK(MPI_Win_allocate_shared(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        exclude(base);
    }
    OK(MPI_Comm_free(&node));
}

static void busy(void)
{
    int64_t *base, value;
    OK(MPI_Win_allocate(sizeof *base, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        while (*(volatile int64_t *)base < PASSES * (check_size - 1))
            ;
    else
        for (int i = 0; i < PASSES; i++) {
            OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
            OK(MPI_Get(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win));
            OK(MPI_Win_flush(0, win));
            value++;
            /* So that the other one waits for the lock. */
            OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE));
            OK(MPI_Put(&value, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win));
            OK(MPI_Win_unlock(0, win));
        }
    OK(MPI_Win_free(&win));
}

/* Ranks take turns, each looking again and again whether its turn has come, as locks that programs make of atomic
 * operations do. */
static void ask_again(void)
{
    enum { ASKS = 2000 };
    int64_t *base, turn, one = 1;
    OK(MPI_Win_allocate(sizeof *base, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ASKS; i++) {
        do {
            OK(MPI_Fetch_and_op(NULL, &turn, MPI_INT64_T, 0, 0, MPI_NO_OP, win));
            OK(MPI_Win_flush(0, win));
        } while (turn != (int64_t)i * check_size + check_rank);
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (strcmp(argv[1], "busy") == 0) {
        busy();
    } else if (strcmp(argv[1], "ask") == 0) {
        ask_again();
    } else {
        in_pairs = atoi(argv[2]) % 2;
        state = strtoull(argv[2], NULL, 10) + (uint64_t)check_rank * 0x9e3779b97f4a7c15u;
        exclude_in_all_windows();
    }
    return check_end();
}
