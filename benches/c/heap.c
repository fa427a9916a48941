/* Blocks of memory. All ranks do the same at the same time; times are those of one core, for one block from malloc to
 * free.
 *
 * "pairs BYTES NS": a block is freed before the next is allocated.
 * "bursts BYTES NS": 10^5 blocks are allocated, one byte of each is written, and they are freed in the same order.
 * "mixed BYTES NS": random ones of 1,000 blocks are replaced by others of random sizes up to BYTES.
 * "exchanged BYTES NS": the same by two threads of a rank, which give each other their blocks from time to time.
 * "scattered BYTES NS": random ones of 50,000 blocks are replaced, most by short ones: each size class up to BYTES is
 *     half as frequent as the one below it (as alloc-test does).
 * "generations BYTES NS": blocks of cycling sizes up to BYTES. Half of each generation is freed at once, from the end;
 *     the rest lives for a few generations (as sh6bench does; all ranks together as sh8bench).
 * "larson BYTES NS": as exchanged, but each turn is done by new threads, which inherit the blocks of those before.
 * "transferred BYTES NS": two threads replace random blocks of theirs, and swap some with a table that both use at any
 *     time (as mstress does).
 * "produced BYTES NS": one thread allocates all blocks and another frees them at the same time (as xmalloc does).
 * "scratched BYTES NS": two threads write to blocks of theirs again and again, and allocate new ones at times, after
 *     each has freed one that lay beside that of the other (as cache-scratch does). The time is that of a write.
 * "delivered BYTES NS": a block for each message that a rank sends to the next, and one for each that it receives.
 * "advection BYTES NS": the cells of a grid move on; each step allocates the next grid, of BYTES, and frees the one
 *     before (as MPC's advection does). The time is that of a cell.
 * "together BYTES NS": twelve arrays of BYTES are added to a thirteenth. The time is that of a number.
 *
 * Each is the best of several batches: two at a time, so that the second one finds memory of the first, and all kinds
 * of work in turns, since memory and caches of a machine that others use as well are slow for some seconds at a time.
 * Few ranks, of which a batch is short, do so more often.
 *
 * "resident BYTES RATIO": blocks of random sizes up to BYTES, each of which has been replaced several times. The ratio
 *     is that of the memory that all processes have taken for them to the bytes that the program has asked for.
 *
 * Arguments choose some of these by name.
 */
#include "chosen.h"
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    VISITS = 5,
    VISITS_OF_MANY = 2,
    FEW = 2,
    BATCHES = 2,
    BURST = 100000,
    SLOTS = 1000,
    OPERATIONS = 2000000,
    TURNS = 20,
    THREADS = 2,
    RESIDENT = 64 << 20,
    REPLACED = 4
};

static int ranks;

static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* A block, with one byte written, so that the compiler cannot leave it out. */
static void *allocated(size_t size)
{
    char *volatile block = malloc(size);
    if (block == NULL)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    *block = 1;
    return block;
}

static int share(int operations, int least)
{
    return operations / ranks < least ? least : operations / ranks;
}

static double pairs(size_t size)
{
    int count = share(OPERATIONS, 1);
    for (int i = 0; i < count; i++)
        free(allocated(size));
    return count;
}

static double bursts(size_t size)
{
    static void *blocks[BURST];
    int count = share(OPERATIONS / BURST, 1);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < BURST; k++)
            blocks[k] = allocated(size);
        for (int k = 0; k < BURST; k++)
            free(blocks[k]);
    }
    return (double)count * BURST;
}

static void replace(void **blocks, int count, size_t largest, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        uint64_t slot = random_number(state) % SLOTS;
        free(blocks[slot]);
        blocks[slot] = allocated(1 + random_number(state) % largest);
    }
}

static void free_all(void **blocks)
{
    for (int i = 0; i < SLOTS; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
}

static double mixed(size_t largest)
{
    static void *blocks[SLOTS];
    uint64_t state = 88172645463325252;
    int count = share(OPERATIONS, SLOTS);
    replace(blocks, count, largest, &state);
    free_all(blocks);
    return count;
}

static pthread_barrier_t turn;

/* What a thread of a turn does: the function gets the number of the thread, and that of the turn. */
struct task {
    void (*function)(int, int);
    int thread, turns, first;
};

static void *do_turns(void *argument)
{
    const struct task *task = argument;
    for (int i = 0; i < task->turns; i++) {
        task->function(task->thread, task->first + i);
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

/* Has two threads do so many turns. They begin each turn together. */
static void by_two(void (*function)(int, int), int first, int turns)
{
    pthread_t threads[THREADS];
    struct task tasks[THREADS];
    pthread_barrier_init(&turn, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        tasks[i] = (struct task){function, i, turns, first};
        if (pthread_create(&threads[i], NULL, do_turns, &tasks[i]) != 0)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&turn);
}

static size_t wanted;
static int each;

/* The blocks of each thread. */
static void *held[THREADS][SLOTS];

static void exchange(int thread, int number)
{
    uint64_t state = 88172645463325252u + (uint64_t)(thread + number * THREADS);
    replace(held[(thread + number) % THREADS], each, wanted, &state);
}

/* The result for so many turns of replacing blocks, when all of them have been freed. */
static double replaced(int turns)
{
    for (int i = 0; i < THREADS; i++)
        free_all(held[i]);
    return (double)THREADS * each * turns;
}

static double exchanged(size_t largest)
{
    wanted = largest;
    each = share(OPERATIONS, SLOTS) / TURNS;
    by_two(exchange, 0, TURNS);
    return replaced(TURNS);
}

static double scattered(size_t largest)
{
    enum { MANY = 50000 };
    static void *blocks[MANY];
    uint64_t state = 88172645463325252;
    int count = share(OPERATIONS / 2, 1000);
    for (int i = 0; i < count; i++) {
        uint64_t number = random_number(&state);
        size_t size = largest >> 9 << __builtin_ctzll(number | 1 << 9);
        void **slot = &blocks[(number >> 10) % MANY];
        free(*slot);
        *slot = allocated(size / 2 + (number >> 32) % (size / 2 + 1) + 1);
    }
    for (int i = 0; i < MANY; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    return count;
}

static double generations(size_t largest)
{
    enum { LIVES = 4, EACH = 2000 };
    static void *blocks[LIVES][EACH];
    int count = share(OPERATIONS / EACH, LIVES);
    for (int i = 0; i < count + LIVES; i++) {
        void **generation = blocks[i % LIVES];
        for (int k = 0; k < EACH; k += 2) {
            free(generation[k]);
            generation[k] = NULL;
        }
        if (i >= count)
            continue;
        for (int k = 0; k < EACH; k++)
            generation[k] = allocated(1 + (size_t)k * 37 % largest);
        for (int k = EACH - 1; k > 0; k -= 2)
            free(generation[k]);
    }
    return (double)count * EACH;
}

static double larson(size_t largest)
{
    wanted = largest;
    each = share(OPERATIONS, SLOTS) / TURNS;
    for (int i = 0; i < TURNS; i++)
        by_two(exchange, i, 1);
    return replaced(TURNS);
}

static void transfer(int thread, int number)
{
    static void *table[SLOTS];
    uint64_t state = 88172645463325252u + (uint64_t)(thread + number * THREADS);
    void **blocks = held[thread];
    for (int i = 0; i < each; i += 10) {
        replace(blocks, 10, wanted, &state);
        void **mine = &blocks[random_number(&state) % SLOTS], **other = &table[random_number(&state) % SLOTS];
        *mine = __atomic_exchange_n(other, *mine, __ATOMIC_ACQ_REL);
    }
    for (int i = thread; i < SLOTS; i += THREADS)
        free(__atomic_exchange_n(&table[i], NULL, __ATOMIC_ACQ_REL));
}

static double transferred(size_t largest)
{
    wanted = largest;
    each = share(OPERATIONS, SLOTS) / TURNS;
    by_two(transfer, 0, TURNS);
    return replaced(TURNS);
}

enum { BATCH = 5000 };

/* Thread 0 allocates the blocks of one array while thread 1 frees those of the other. */
static void produce(int thread, int number)
{
    static void *blocks[2][BATCH];
    void **batch = blocks[(number + thread) % 2];
    for (int i = 0; i < BATCH; i++) {
        if (thread == 0) {
            batch[i] = allocated(wanted);
        } else {
            free(batch[i]);
            batch[i] = NULL;
        }
    }
}

static double produced(size_t size)
{
    wanted = size;
    /* In an even number of turns, and one more in which the blocks of the last one are freed. */
    int turns = share(OPERATIONS / BATCH, 2) / 2 * 2;
    by_two(produce, 0, turns);
    produce(1, turns);
    return (double)turns * BATCH;
}

static char *volatile neighbours[THREADS];

static void scratch(int thread, int number)
{
    (void)number;
    free(neighbours[thread]);
    for (int i = 0; i < each; i++) {
        volatile char *block = allocated(wanted);
        for (int k = 0; k < 1000; k++)
            ++*block;
        free((char *)block);
    }
}

static double scratched(size_t size)
{
    wanted = size;
    each = share(OPERATIONS / 1000, 10);
    for (int i = 0; i < THREADS; i++)
        neighbours[i] = allocated(size);
    by_two(scratch, 0, 1);
    return (double)THREADS * each * 1000;
}

static double delivered(size_t size)
{
    int rank, count = share((int)(200000000 / (size + 2000)), 100);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int i = 0; i < count; i++) {
        void *sent = allocated(size), *received = allocated(size);
        MPI_Sendrecv(sent, (int)size, MPI_BYTE, next, 0, received, (int)size, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        free(sent);
        free(received);
    }
    return count;
}

static double advection(size_t size)
{
    int cells = (int)(size / sizeof(double)), steps = share(4 * OPERATIONS / cells, 3);
    double *grid = calloc((size_t)cells, sizeof *grid);
    for (int step = 0; step < steps; step++) {
        double *next = malloc(size);
        if (grid == NULL || next == NULL)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        next[0] = 1;
        for (int i = 1; i < cells; i++)
            next[i] = grid[i] - 0.5 * (grid[i] - grid[i - 1]);
        free(grid);
        grid = next;
    }
    free(grid);
    return (double)steps * cells;
}

static double together(size_t size)
{
    enum { ARRAYS = 12 };
    size_t count = size / sizeof(double);
    double *arrays[ARRAYS + 1];
    int rounds = share((int)(4 * OPERATIONS / (count * ARRAYS)), 1);
    for (int i = 0; i <= ARRAYS; i++) {
        arrays[i] = malloc(size);
        if (arrays[i] == NULL)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        memset(arrays[i], 0, size);
    }
    for (int round = 0; round < rounds; round++) {
        double *sums = arrays[ARRAYS];
        /* The compiler must not know what the arrays hold. */
        __asm__ volatile("" : : "r"(arrays) : "memory");
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (int k = 0; k < ARRAYS; k++)
                sum += arrays[k][i];
            sums[i] = sum;
        }
    }
    for (int i = 0; i <= ARRAYS; i++)
        free(arrays[i]);
    return (double)rounds * (double)count * ARRAYS;
}

/* The bytes of memory that the calling process has of its own. */
static double own_memory(void)
{
    char line[256];
    double kibibytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "RssAnon: %lf", &kibibytes) == 1)
            break;
    if (status == NULL || kibibytes == 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    fclose(status);
    return 1024 * kibibytes;
}

/* Whether the calling rank is the first of its process. */
static int is_first_of_process(void)
{
    int rank, own = (int)getpid(), first = 0;
    int *processes = malloc((size_t)ranks * sizeof *processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgather(&own, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
    while (processes[first] != own)
        first++;
    free(processes);
    return first == rank;
}

/* A block, all of whose bytes have been written. */
static void *filled(size_t size)
{
    return memset(allocated(size), 1, size);
}

/* Prints the memory of blocks up to this size. The process had so much before all other work: what it keeps of that
 * counts as well. */
static void resident(size_t largest, double before)
{
    size_t bytes = RESIDENT / (size_t)ranks, count = bytes / (largest / 2), asked = 0;
    void **blocks = malloc(count * sizeof *blocks);
    size_t *sizes = malloc(count * sizeof *sizes);
    uint64_t state = 88172645463325252;
    int is_first = is_first_of_process(), rank;
    double growth, of_all[2], own[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(blocks, 0, count * sizeof *blocks);
    memset(sizes, 0, count * sizeof *sizes);
    for (size_t i = 0; i < (1 + REPLACED) * count; i++) {
        size_t slot = i < count ? i : random_number(&state) % count;
        free(blocks[slot]);
        sizes[slot] = 1 + random_number(&state) % largest;
        blocks[slot] = filled(sizes[slot]);
    }
    for (size_t i = 0; i < count; i++)
        asked += sizes[i];
    MPI_Barrier(MPI_COMM_WORLD);
    growth = own_memory() - before;
    own[0] = is_first ? growth : 0;
    own[1] = (double)asked;
    MPI_Reduce(own, of_all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("resident %zu %.3f\n", largest, of_all[0] / of_all[1]);
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
    free(sizes);
}

/* Seconds on the clock of the machine. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds from the time at which the first rank begins to that at which the last one has ended. Ranks that share a core
 * may run one after the other. */
static double seconds_of_all(double (*function)(size_t), size_t size, double *operations)
{
    double begin, end, first, last;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    *operations = function(size) * ranks;
    end = now();
    MPI_Allreduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last - first;
}

/* A kind of work on blocks of some size. */
struct work {
    const char *name;
    double (*function)(size_t);
    size_t size;
    int contexts; /* threads of each rank that take part */
    double least; /* seconds of one operation; 0 before the first batch */
};

static struct work all_work[] = {
    {"pairs", pairs, 64, 1, 0},
    {"pairs", pairs, 8000, 1, 0},
    {"pairs", pairs, 100000, 1, 0},
    {"bursts", bursts, 16, 1, 0},
    {"bursts", bursts, 64, 1, 0},
    {"bursts", bursts, 1000, 1, 0},
    {"mixed", mixed, 1000, 1, 0},
    {"mixed", mixed, 20000, 1, 0},
    {"exchanged", exchanged, 1000, THREADS, 0},
    {"scattered", scattered, 32768, 1, 0},
    {"generations", generations, 1000, 1, 0},
    {"larson", larson, 500, THREADS, 0},
    {"transferred", transferred, 1000, THREADS, 0},
    {"produced", produced, 64, THREADS, 0},
    {"scratched", scratched, 8, THREADS, 0},
    {"delivered", delivered, 1000, 1, 0},
    {"delivered", delivered, 100000, 1, 0},
    {"advection", advection, 65536, 1, 0},
    {"advection", advection, 1000000, 1, 0},
    {"together", together, 65536, 1, 0},
    {"together", together, 262144, 1, 0},
};

enum { WORKS = sizeof all_work / sizeof *all_work };

/* Does some work, and keeps its time if it is the least so far. */
static void measure(struct work *work)
{
    double cores = (double)sysconf(_SC_NPROCESSORS_ONLN), busy = (double)ranks * work->contexts, operations;
    for (int i = 0; i < BATCHES; i++) {
        double all = seconds_of_all(work->function, work->size, &operations);
        double one = all / operations * (busy < cores ? busy : cores);
        if (work->least == 0 || one < work->least)
            work->least = one;
    }
}

/* Prints the times of all work that was chosen. */
static void measure_all(void)
{
    int rank, visits = ranks <= FEW ? VISITS : VISITS_OF_MANY;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int visit = 0; visit < visits; visit++)
        for (int i = 0; i < WORKS; i++)
            if (chosen(all_work[i].name))
                measure(&all_work[i]);
    for (int i = 0; i < WORKS; i++)
        if (rank == 0 && chosen(all_work[i].name))
            printf("%s %zu %.2f\n", all_work[i].name, all_work[i].size, all_work[i].least * 1e9);
}

int main(int argc, char **argv)
{
    double before;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    choose(argc, argv);
    before = own_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t largest = 1000; chosen("resident") && largest <= 1000000; largest *= 10)
        resident(largest, before);
    measure_all();
    MPI_Finalize();
    return 0;
}
