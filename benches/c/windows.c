/* One-sided communication. Rank 0 works on the window of the last rank, which waits in a barrier meanwhile, unless the
 * line says that all ranks work.
 *
 * "put BYTES NS", "get BYTES NS": an operation and a flush, in an epoch of MPI_Win_lock_all.
 * "locked BYTES NS": a lock, a put and an unlock.
 * "started BYTES NS": an epoch of start, put and complete, and of post and wait at the target.
 * "fenced BYTES NS": a put and a fence.
 * "put_rate BYTES MB_PER_S": 64 puts, then a flush.
 * "accumulated BYTES NS": an accumulate of doubles and a flush.
 * "fetched BYTES NS", "swapped BYTES NS": MPI_Fetch_and_op or MPI_Compare_and_swap of 8 bytes, and a flush.
 * "contended BYTES NS": all ranks fetch and add at one counter; the time of one operation of one rank.
 * "updated BYTES NS": all ranks add to random numbers of each other, with a flush after every 64; the time between
 *     updates of the whole job.
 * "fences BYTES NS": a fence of all ranks, without operations.
 * "faces BYTES NS": all ranks put to both neighbours, then meet at a fence.
 *
 * The memory is the library's (MPI_Win_allocate); where "_created" follows the keyword, it is the program's
 * (MPI_Win_create).
 *
 * Each is the best of several batches. Arguments name the kinds to measure: all if there are none.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chosen.h"

enum { LARGEST = 1 << 20, BATCHES = 7, LONG_BATCHES = 3, NUMBERS = LARGEST / 8, WINDOW = 64 };

static const double BATCH_SECONDS = 0.002;
/* Batches that take longer, since one operation does, are fewer. */
static const double LONG_SECONDS = 0.02;
static const int SIZES[] = {8, 512, 4096, 65536, LARGEST};

/* What follows keywords. */
static const char *suffix = "";

static int rank, ranks, target;
static char *data;
static MPI_Win window;
static uint64_t state = 88172645463325252u;

static uint64_t random_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void put(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        MPI_Put(data, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
        MPI_Win_flush(target, window);
    }
}

static void get(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        MPI_Get(data, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
        MPI_Win_flush(target, window);
    }
}

static void puts_in_flight(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < WINDOW; k++)
            MPI_Put(data, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
        MPI_Win_flush(target, window);
    }
}

static void accumulate(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        MPI_Accumulate(data, bytes / 8, MPI_DOUBLE, target, 0, bytes / 8, MPI_DOUBLE, MPI_SUM, window);
        MPI_Win_flush(target, window);
    }
}

static void fetch(int count, int bytes)
{
    int64_t one = 1, old;
    (void)bytes;
    for (int i = 0; i < count; i++) {
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, 0, MPI_SUM, window);
        MPI_Win_flush(target, window);
    }
}

static void swap(int count, int bytes)
{
    int64_t none = 0, old = 0;
    (void)bytes;
    for (int i = 0; i < count; i++) {
        MPI_Compare_and_swap(&none, &old, &old, MPI_INT64_T, target, 0, window);
        MPI_Win_flush(target, window);
    }
}

static void lock(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
        MPI_Put(data, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
        MPI_Win_unlock(target, window);
    }
}

/* Epochs of rank 0 and the target. */
static void start(int count, int bytes)
{
    MPI_Group all, other;
    int first = 0;
    if (rank != 0 && rank != target)
        return;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, rank == 0 ? &target : &first, &other);
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            MPI_Win_start(other, 0, window);
            MPI_Put(data, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
            MPI_Win_complete(window);
        } else {
            MPI_Win_post(other, 0, window);
            MPI_Win_wait(window);
        }
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
}

static void fence(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        if (rank == 0)
            MPI_Put(data, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
        MPI_Win_fence(0, window);
    }
}

static void fences(int count, int bytes)
{
    (void)bytes;
    for (int i = 0; i < count; i++)
        MPI_Win_fence(0, window);
}

static void contend(int count, int bytes)
{
    int64_t one = 1, old;
    (void)bytes;
    for (int i = 0; i < count; i++) {
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
    }
}

static void update(int count, int bytes)
{
    int64_t one = 1;
    (void)bytes;
    for (int i = 0; i < count; i++) {
        uint64_t place = random_number();
        MPI_Aint offset = (MPI_Aint)(place / (unsigned)ranks % NUMBERS) * 8;
        MPI_Accumulate(&one, 1, MPI_INT64_T, (int)(place % (unsigned)ranks), offset, 1, MPI_INT64_T, MPI_SUM, window);
        if (i % WINDOW == WINDOW - 1)
            MPI_Win_flush_all(window);
    }
    MPI_Win_flush_all(window);
}

static void faces(int count, int bytes)
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    for (int i = 0; i < count; i++) {
        MPI_Put(data, bytes, MPI_BYTE, left, 0, bytes, MPI_BYTE, window);
        MPI_Put(data, bytes, MPI_BYTE, right, LARGEST / 2, bytes, MPI_BYTE, window);
        MPI_Win_fence(0, window);
    }
}

enum who { FIRST, EVERYBODY };
enum epoch { LOCKED_ALL, OWN, FENCED };

/* Seconds of so many operations. If all ranks work, none begins before the clock of rank 0 has been read, and the time
 * is over when all have ended. Barriers are no part of the time of rank 0's own work. */
static double batch(void (*work)(int, int), enum who who, int count, int bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime(), own_begin, own_end;
    MPI_Barrier(MPI_COMM_WORLD);
    own_begin = MPI_Wtime();
    if (who == EVERYBODY || rank == 0)
        work(count, bytes);
    own_end = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    return who == FIRST ? own_end - own_begin : MPI_Wtime() - begin;
}

/* The best time of one operation, in seconds. */
static double best_of(void (*work)(int, int), enum who who, int bytes)
{
    int count = 1, batches;
    double best = 1e9;
    for (;;) {
        double seconds = batch(work, who, count, bytes);
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        batches = seconds >= LONG_SECONDS ? LONG_BATCHES : BATCHES;
        if (seconds >= BATCH_SECONDS || count >= 1 << 22)
            break;
        count = seconds < BATCH_SECONDS / 10 ? count * 5 : (int)(count * 1.1 * BATCH_SECONDS / seconds) + 1;
    }
    for (int i = 0; i < batches; i++) {
        double seconds = batch(work, who, count, bytes);
        best = seconds < best ? seconds : best;
    }
    return best / count;
}

static double measured(void (*work)(int, int), enum who who, enum epoch epoch, int bytes)
{
    if (epoch == LOCKED_ALL)
        MPI_Win_lock_all(0, window);
    if (epoch == FENCED)
        MPI_Win_fence(0, window);
    double best = best_of(work, who, bytes);
    if (epoch == LOCKED_ALL)
        MPI_Win_unlock_all(window);
    if (epoch == FENCED)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Barrier(MPI_COMM_WORLD);
    return best;
}

static void row(const char *keyword, int bytes, double value)
{
    if (rank == 0)
        printf("%s%s %d %.1f\n", keyword, suffix, bytes, value);
}

static int wanted(const char *keyword)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", keyword, suffix);
    return chosen(name);
}

/* A kind of work: its keyword, what a call of it does, and who works in which epoch. */
struct kind {
    const char *keyword;
    void (*work)(int, int);
    enum who who;
    enum epoch epoch;
};

static void times(struct kind kind, int bytes)
{
    if (wanted(kind.keyword))
        row(kind.keyword, bytes, measured(kind.work, kind.who, kind.epoch, bytes) * 1e9);
}

/* What rank 0 does on the window of the other rank. */
static void measure_pair(void)
{
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        int bytes = SIZES[i];
        times((struct kind){"put", put, FIRST, LOCKED_ALL}, bytes);
        times((struct kind){"get", get, FIRST, LOCKED_ALL}, bytes);
        times((struct kind){"locked", lock, FIRST, OWN}, bytes);
        times((struct kind){"started", start, EVERYBODY, OWN}, bytes);
        times((struct kind){"fenced", fence, EVERYBODY, FENCED}, bytes);
        times((struct kind){"accumulated", accumulate, FIRST, LOCKED_ALL}, bytes);
        if (wanted("put_rate"))
            row("put_rate", bytes, WINDOW * bytes / measured(puts_in_flight, FIRST, LOCKED_ALL, bytes) / 1e6);
    }
    times((struct kind){"fetched", fetch, FIRST, LOCKED_ALL}, 8);
    times((struct kind){"swapped", swap, FIRST, LOCKED_ALL}, 8);
}

/* What all ranks do. */
static void measure_all(void)
{
    times((struct kind){"contended", contend, EVERYBODY, LOCKED_ALL}, 8);
    if (wanted("updated"))
        row("updated", 8, measured(update, EVERYBODY, LOCKED_ALL, 8) / ranks * 1e9);
    times((struct kind){"fences", fences, EVERYBODY, FENCED}, 0);
    times((struct kind){"faces", faces, EVERYBODY, FENCED}, 4096);
}

int main(int argc, char **argv)
{
    char *memory;
    MPI_Init(&argc, &argv);
    choose(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    target = ranks - 1;
    state += (uint64_t)rank * 7919;
    data = calloc(1, LARGEST);
    if (data == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    /* Pages that nobody has written are one page of the system's, which is read faster than others. */
    memset(data, 1, LARGEST);
    MPI_Win_allocate(LARGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, LARGEST);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ranks == 2)
        measure_pair();
    measure_all();
    MPI_Win_free(&window);

    if (ranks == 2) {
        suffix = "_created";
        memory = calloc(1, LARGEST);
        if (memory == NULL)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        MPI_Win_create(memory, LARGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        measure_pair();
        MPI_Win_free(&window);
        free(memory);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
