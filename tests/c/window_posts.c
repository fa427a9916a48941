/* General active target synchronisation: what an origin has put before MPI_Win_complete is there after MPI_Win_wait,
 * and no origin puts before MPI_Win_post. The argument is the seed of the delays and groups. */
#include "mpi_check.h"
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { ROUNDS = 90, LATE_ROUNDS = 6 };

static uint64_t state;
static MPI_Group all;

static unsigned draw(uint64_t *from, unsigned below)
{
    *from = *from * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*from >> 33) % below;
}

/* The ranks, itself among them perhaps, to which a rank puts in a round: all ranks compute the same. */
static uint64_t targets_of(uint64_t seed, int round, int origin)
{
    uint64_t own = seed + (uint64_t)round * 1000003 + (uint64_t)origin * 7919, targets = 0;
    for (int target = 0; target < check_size; target++)
        targets |= (uint64_t)(draw(&own, 3) > 0) << target;
    return targets;
}

static uint64_t origins_of(uint64_t seed, int round, int target)
{
    uint64_t origins = 0;
    for (int origin = 0; origin < check_size; origin++)
        origins |= (targets_of(seed, round, origin) >> target & 1) << origin;
    return origins;
}

static MPI_Group group_of(uint64_t ranks)
{
    int members[64], count = 0;
    MPI_Group group;
    for (int rank = check_size - 1; rank >= 0; rank--)
        if (ranks >> rank & 1)
            members[count++] = rank;
    OK(MPI_Group_incl(all, count, members, &group));
    return group;
}

/* One rank may come so late that the others sleep. */
static void come_late(int round)
{
    if (round % (ROUNDS / LATE_ROUNDS) == 0 && round / LATE_ROUNDS % check_size == check_rank)
        usleep(20000);
    else if (draw(&state, 4) == 0)
        usleep(draw(&state, 50));
}

static void put_to(MPI_Win win, uint64_t targets, int64_t number)
{
    for (int target = 0; target < check_size; target++)
        if (targets >> target & 1)
            OK(MPI_Put(&number, 1, MPI_INT64_T, target, check_rank, 1, MPI_INT64_T, win));
}

static void end_exposure(MPI_Win win, int round)
{
    int flag = 0;
    if (round % 3) {
        OK(MPI_Win_wait(win));
        return;
    }
    while (!flag)
        OK(MPI_Win_test(win, &flag));
}

/* Between its wait and its next post, nobody changes a rank's memory. */
static void check_all(const int64_t *base, int64_t *expected, uint64_t origins, int64_t number)
{
    for (int origin = 0; origin < check_size; origin++) {
        if (origins >> origin & 1)
            expected[origin] = number;
        CHECK(base[origin] == expected[origin]);
    }
}

static void play(MPI_Win win, const int64_t *base, uint64_t seed)
{
    int64_t expected[64] = {0};
    for (int round = 1; round <= ROUNDS; round++) {
        uint64_t targets = targets_of(seed, round, check_rank), origins = origins_of(seed, round, check_rank);
        MPI_Group accessed = group_of(targets), exposed = group_of(origins);
        OK(MPI_Win_post(exposed, 0, win));
        come_late(round);
        OK(MPI_Win_start(accessed, 0, win));
        put_to(win, targets, round);
        come_late(round + 1);
        OK(MPI_Win_complete(win));
        end_exposure(win, round);
        check_all(base, expected, origins, round);
        OK(MPI_Group_free(&accessed));
        OK(MPI_Group_free(&exposed));
    }
}

static void *access_epochs(void *argument)
{
    MPI_Win win = *(MPI_Win *)argument;
    int64_t number;
    for (number = 1; number <= ROUNDS; number++) {
        OK(MPI_Win_start(all, 0, win));
        put_to(win, check_size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << check_size) - 1, number);
        OK(MPI_Win_complete(win));
    }
    return NULL;
}

/* One thread of each rank waits in MPI_Win_start while the other one waits in MPI_Win_wait. */
static void play_with_threads(MPI_Win win, const int64_t *base)
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, access_epochs, &win));
    for (int64_t number = 1; number <= ROUNDS; number++) {
        if (number % (ROUNDS / LATE_ROUNDS) == 0 && number / LATE_ROUNDS % check_size == check_rank)
            usleep(10000);
        OK(MPI_Win_post(all, 0, win));
        OK(MPI_Win_wait(win));
        for (int origin = 0; origin < check_size; origin++)
            CHECK(base[origin] == number);
    }
    CHECK(!pthread_join(thread, NULL));
}

int main(int argc, char **argv)
{
    int64_t *base, own[64] = {0};
    MPI_Win win;
    check_begin_threads(&argc, &argv);
    CHECK(check_size <= 64);
    uint64_t seed = strtoull(argv[1], NULL, 0);
    state = seed + (unsigned)check_rank;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    OK(MPI_Win_allocate(check_size * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    memset(base, 0, (size_t)check_size * 8);
    play(win, base, seed);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create(own, check_size * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    play(win, own, seed + 1);
    play_with_threads(win, own);
    OK(MPI_Win_free(&win));
    OK(MPI_Group_free(&all));
    return check_end();
}
