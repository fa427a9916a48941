/* Long accumulates, which exclude other updates of their window, short ones of the same elements, and some between, at
 * the same time: none is lost. The argument is the seed of their order. */
#include "mpi_check.h"
#include <stdint.h>

enum { COUNT = 8192, ROUNDS = 60, SHORT = 40, SEVERAL = 20 };

static uint64_t state;

static int draw(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)(state >> 33) % below;
}

/* Updates of all kinds add 1; what this rank has added to each element of a target is counted. */
static void update(MPI_Win win, int target, int64_t *added)
{
    static int64_t ones[COUNT], old[COUNT];
    int64_t one = 1, next;
    int first = draw(COUNT / 2), count = COUNT / 2;
    for (int i = 0; i < COUNT; i++)
        ones[i] = 1;
    if (draw(2))
        OK(MPI_Accumulate(ones, count, MPI_INT64_T, target, first, count, MPI_INT64_T, MPI_SUM, win));
    else
        OK(MPI_Get_accumulate(ones, count, MPI_INT64_T, old, count, MPI_INT64_T, target, first, count, MPI_INT64_T,
                              MPI_SUM, win));
    for (int i = 0; i < count; i++)
        added[first + i]++;
    for (int i = draw(SHORT); i > 0; i--) {
        int place = draw(COUNT - SEVERAL), several = 1 + draw(SEVERAL);
        added[place]++;
        switch (draw(4)) {
        case 0:
            OK(MPI_Fetch_and_op(&one, old, MPI_INT64_T, target, place, MPI_SUM, win));
            break;
        case 1:
            OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, place, 1, MPI_INT64_T, MPI_SUM, win));
            break;
        case 2:
            OK(MPI_Accumulate(ones, several, MPI_INT64_T, target, place, several, MPI_INT64_T, MPI_SUM, win));
            for (int k = 1; k < several; k++)
                added[place + k]++;
            break;
        default:
            OK(MPI_Fetch_and_op(NULL, old, MPI_INT64_T, target, place, MPI_NO_OP, win));
            OK(MPI_Win_flush(target, win));
            do {
                next = old[0] + 1;
                old[1] = old[0];
                OK(MPI_Compare_and_swap(&next, &old[1], &old[0], MPI_INT64_T, target, place, win));
                OK(MPI_Win_flush(target, win));
            } while (old[0] != old[1]);
        }
    }
    OK(MPI_Win_flush(target, win));
}

static void check(MPI_Win win, const int64_t *memory)
{
    int64_t *added = calloc((size_t)check_size * COUNT, sizeof *added), *sums = calloc(COUNT, sizeof *sums);
    CHECK(added != NULL && sums != NULL);
    OK(MPI_Win_lock_all(0, win));
    for (int round = 0; round < ROUNDS; round++) {
        int target = draw(check_size);
        update(win, target, added + (size_t)target * COUNT);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Reduce_scatter_block(added, sums, COUNT, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
    for (int i = 0; i < COUNT; i++)
        CHECK(memory[i] == sums[i]);
    OK(MPI_Win_unlock(check_rank, win));
    free(added);
    free(sums);
}

int main(int argc, char **argv)
{
    int64_t *memory;
    MPI_Win win;
    check_begin(&argc, &argv);
    state = (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) + (uint64_t)check_rank * 7919;
    OK(MPI_Win_allocate(COUNT * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    memset(memory, 0, COUNT * sizeof *memory);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check(win, memory);
    OK(MPI_Win_free(&win));

    memory = calloc(COUNT, sizeof *memory);
    CHECK(memory != NULL);
    OK(MPI_Win_create(memory, COUNT * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check(win, memory);
    OK(MPI_Win_free(&win));
    free(memory);
    return check_end();
}
