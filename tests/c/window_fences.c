/* Fences of windows: what all ranks have put before a fence is there after it, whether ranks come at once or late.
 * The argument is the seed of the delays. */
#include "mpi_check.h"
#include <stdint.h>
#include <unistd.h>

enum { ROUNDS = 120, LATE_ROUNDS = 6 };

static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Each rank has a number for each rank, which puts it there. */
static void put_to_all(MPI_Win win, int64_t number)
{
    for (int target = 0; target < check_size; target++)
        OK(MPI_Put(&number, 1, MPI_INT64_T, target, check_rank, 1, MPI_INT64_T, win));
}

static void check_all(const int64_t *base, int64_t number)
{
    for (int origin = 0; origin < check_size; origin++)
        CHECK(base[origin] == number);
}

/* One rank may come so late that the others sleep. */
static void come_late(int late)
{
    if (late == check_rank)
        usleep(20000);
    else if (draw(4) == 0)
        usleep(draw(50));
}

static void play(MPI_Win win, const int64_t *base)
{
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int round = 1; round <= ROUNDS; round++) {
        put_to_all(win, round);
        come_late(round % (ROUNDS / LATE_ROUNDS) ? -1 : (round / LATE_ROUNDS) % check_size);
        OK(MPI_Win_fence(0, win));
        check_all(base, round);
        /* Nobody puts the next number before all have read this one. */
        OK(MPI_Win_fence(MPI_MODE_NOPUT, win));
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_free(&win));
}

/* Fences of two windows whose turns differ from rank to rank in nothing but time. */
static void take_turns(void)
{
    int64_t *bases[2];
    MPI_Win wins[2];
    for (int i = 0; i < 2; i++) {
        OK(MPI_Win_allocate(check_size * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &bases[i], &wins[i]));
        OK(MPI_Win_fence(0, wins[i]));
    }
    for (int round = 1; round <= ROUNDS; round++) {
        int which = round % 3 == 0;
        put_to_all(wins[which], round);
        OK(MPI_Win_fence(0, wins[which]));
        check_all(bases[which], round);
        OK(MPI_Win_fence(0, wins[which]));
    }
    for (int i = 0; i < 2; i++)
        OK(MPI_Win_free(&wins[i]));
}

enum { BLOCK = 700 };

/* How many numbers an origin puts to a target in a round: one, some, or as many as take a packet of their own. */
static int length_of(int round, int origin, int target)
{
    static const int LENGTHS[] = {0, 1, 3, 64, 511, 512, 513, BLOCK - 1};
    return LENGTHS[(unsigned)(round * 5 + origin * 3 + target) % (sizeof LENGTHS / sizeof *LENGTHS)];
}

/* Puts of many lengths, in one piece and number by number, and updates, some of them followed by a get, in the same
 * epochs. The last number of each origin's block is the sum of its updates; behind all blocks is one that only gets
 * look at. */
static void mix(void)
{
    int64_t numbers[BLOCK], one = 1, sum = 0, got = -1;
    size_t count = (size_t)check_size * BLOCK;
    int64_t *own = calloc(count + 1, sizeof *own);
    int next = (check_rank + 1) % check_size;
    MPI_Win win;
    CHECK(own != NULL);
    own[count] = 77 + check_rank;
    OK(MPI_Win_create(own, (MPI_Aint)((count + 1) * 8), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < BLOCK; i++)
            numbers[i] = round * 1000 + i;
        for (int target = 0; target < check_size; target++) {
            int length = length_of(round, check_rank, target), place = check_rank * BLOCK;
            int each = round % 4 == 0 ? 1 : length + 1;
            for (int i = 0; i < length; i += each)
                OK(MPI_Put(numbers + i, each < length ? each : length, MPI_INT64_T, target, place + i,
                           each < length ? each : length, MPI_INT64_T, win));
            for (int i = 0; i < round % 3; i++)
                OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, place + BLOCK - 1, 1, MPI_INT64_T, MPI_SUM, win));
        }
        if (round % 7 == 0)
            OK(MPI_Get(&got, 1, MPI_INT64_T, next, (MPI_Aint)count, 1, MPI_INT64_T, win));
        come_late(round % (ROUNDS / LATE_ROUNDS) ? -1 : (round / LATE_ROUNDS) % check_size);
        OK(MPI_Win_fence(0, win));
        sum += round % 3;
        CHECK(round < 7 || got == 77 + next);
        got = round % 7 == 6 ? -1 : got;
        for (int origin = 0; origin < check_size; origin++) {
            const int64_t *block = own + origin * BLOCK;
            int length = length_of(round, origin, check_rank);
            for (int i = 0; i < length; i++)
                CHECK(block[i] == round * 1000 + i);
            CHECK(block[BLOCK - 1] == sum);
        }
        OK(MPI_Win_fence(0, win));
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_free(&win));
    free(own);
}

int main(int argc, char **argv)
{
    int64_t *base, *own;
    MPI_Win win;
    check_begin(&argc, &argv);
    state = strtoull(argv[1], NULL, 0) + (unsigned)check_rank;
    OK(MPI_Win_allocate(check_size * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    play(win, base);
    CHECK((own = calloc((size_t)check_size, sizeof *own)));
    OK(MPI_Win_create(own, check_size * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    play(win, own);
    free(own);
    take_turns();
    mix();
    return check_end();
}
