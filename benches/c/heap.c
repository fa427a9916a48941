/* Blocks of memory. All ranks do the same at the same time; times are those of one core, for one block from malloc to
 * free.
 *
 * "pairs BYTES NS": a block is freed before the next is allocated.
 * "bursts BYTES NS": 10^5 blocks are allocated, one byte of each is written, and they are freed in the same order.
 * "mixed BYTES NS": random ones of 1,000 blocks are replaced by others of random sizes up to BYTES.
 * "exchanged BYTES NS": the same by two threads of a rank, which give each other their blocks from time to time.
 *
 * Each is the best of several batches.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 5, BURST = 100000, SLOTS = 1000, OPERATIONS = 2000000, TURNS = 20, THREADS = 2 };

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

static void *exchanged_blocks[THREADS][SLOTS];
static size_t exchanged_largest;
static pthread_barrier_t turn;

static void *exchange(void *argument)
{
    int thread = (int)(intptr_t)argument, count = share(OPERATIONS, SLOTS) / TURNS;
    uint64_t state = 88172645463325252u + (uint64_t)thread;
    for (int i = 0; i < TURNS; i++) {
        replace(exchanged_blocks[(thread + i) % THREADS], count, exchanged_largest, &state);
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

static double exchanged(size_t largest)
{
    pthread_t threads[THREADS];
    exchanged_largest = largest;
    pthread_barrier_init(&turn, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, exchange, (void *)(intptr_t)i) != 0)
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&turn);
    for (int i = 0; i < THREADS; i++)
        free_all(exchanged_blocks[i]);
    return (double)THREADS * (share(OPERATIONS, SLOTS) / TURNS * TURNS);
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

/* Prints the time of one of the operations whose number the function returns. */
static void measure(const char *name, double (*function)(size_t), size_t size, int contexts)
{
    double least = 0, cores = (double)sysconf(_SC_NPROCESSORS_ONLN), busy = (double)ranks * contexts, operations;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < BATCHES; i++) {
        double all = seconds_of_all(function, size, &operations);
        double one = all / operations * (busy < cores ? busy : cores);
        least = i == 0 || one < least ? one : least;
    }
    if (rank == 0)
        printf("%s %zu %.2f\n", name, size, least * 1e9);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    measure("pairs", pairs, 64, 1);
    measure("pairs", pairs, 8000, 1);
    measure("bursts", bursts, 16, 1);
    measure("bursts", bursts, 64, 1);
    measure("bursts", bursts, 1000, 1);
    measure("mixed", mixed, 1000, 1);
    measure("mixed", mixed, 20000, 1);
    measure("exchanged", exchanged, 1000, THREADS);
    MPI_Finalize();
    return 0;
}
