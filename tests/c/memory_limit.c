/* A limit on the memory of each rank: the arguments are the limit in MiB, and how many of these the program itself may
 * be given at the least. Each rank but the last one meets the limit. Prints a line for each rank. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>

enum { MIB = 1 << 20, BLOCKS = 1 << 17 };

static size_t limit, least;
static void *blocks[BLOCKS];

/* Takes blocks of one size until there are no more. Returns the bytes taken. */
static size_t fill(size_t size)
{
    int count = 0;
    errno = 0;
    while (count < BLOCKS && (blocks[count] = malloc(size))) {
        memset(blocks[count], 1, size < 4096 ? size : 4096);
        count++;
    }
    CHECK(count < BLOCKS && errno == ENOMEM);
    return count * size;
}

static void empty(void)
{
    for (int i = 0; blocks[i]; i++)
        free(blocks[i]);
}

static void *of_thread(void *taken)
{
    void *block = malloc(limit / 2);
    CHECK(block);
    memset(block, 1, 100);
    *(void **)taken = block;
    return NULL;
}

static void all_functions(void)
{
    volatile size_t most = SIZE_MAX;
    void *block = malloc(1000), *aligned;
    CHECK(!reallocarray(NULL, limit, 1) && !reallocarray(NULL, most, 2) && !calloc(most, 2));
    CHECK(block && !malloc(limit) && errno == ENOMEM);
    errno = 0;
    CHECK(!calloc(limit / 8, 8) && errno == ENOMEM);
    errno = 0;
    CHECK(!realloc(block, limit) && errno == ENOMEM);
    CHECK(!memalign(4096, limit) && !aligned_alloc(64, limit) && !valloc(limit) && !pvalloc(limit));
    CHECK(!memalign(8 << 20, limit));
    CHECK(posix_memalign(&aligned, 64, limit) == ENOMEM);
    free(block);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 3);
    limit = (size_t)atoi(argv[1]) * MIB;
    least = (size_t)atoi(argv[2]) * MIB;
    if (check_rank < check_size - 1) {
        static const size_t sizes[] = {1000, 5000, 100000, 1000000, 3000000};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t taken = fill(sizes[i]);
            CHECK(taken <= limit && taken >= least);
            empty();
        }
        all_functions();
        /* A block that grows: as a whole it never exceeds the limit. */
        char *block = malloc(limit / 8);
        for (size_t size = limit / 8; size <= limit / 4; size += limit / 64) {
            block = realloc(block, size);
            CHECK(block);
            block[size - 1] = 1;
        }
        free(block);
        /* What a thread of the rank has counts, also after its end. */
        void *taken = NULL;
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, of_thread, &taken) == 0 && pthread_join(thread, NULL) == 0);
        CHECK(!malloc(limit / 2) && errno == ENOMEM);
        free(taken);
        block = malloc(limit / 2);
        CHECK(block);
        free(block);
    }
    /* The last rank has its own limit, of which the others have taken nothing. */
    MPI_Barrier(MPI_COMM_WORLD);
    void *half = malloc(limit / 2);
    CHECK(half);
    free(half);
    printf("limit OK\n");
    MPI_Finalize();
}
