/* Memory that is used wrongly, as the argument says; or rightly. The last rank does it, and there are two or more. */
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200 };

static int rank, ranks;
static const char *fault;

static int is(const char *name)
{
    return strcmp(fault, name) == 0;
}

__attribute__((noinline)) static char *allocate_here(size_t size)
{
    char *block = malloc(size);
    memset(block, 1, size);
    return block;
}

__attribute__((noinline)) static void free_here(void *block)
{
    free(block);
    __asm__ volatile("");
}

/* A block that rank 0 has allocated, and has freed if it is to. Ranks share memory. */
static char *of_rank_0(size_t size, int is_freed)
{
    char *block = rank == 0 ? allocate_here(size) : NULL;
    MPI_Bcast(&block, sizeof block, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0 && is_freed)
        free_here(block);
    MPI_Barrier(MPI_COMM_WORLD);
    return block;
}

static void *many_blocks(void *argument)
{
    (void)argument;
    char *blocks[64] = {NULL};
    for (int round = 0; round < ROUNDS; round++) {
        int i = round * 7 % 64;
        size_t size = (size_t)round * round * 3 + 1;
        switch (round % 5) {
        case 0:
            blocks[i] = realloc(blocks[i], size);
            break;
        case 1:
            free(blocks[i]);
            blocks[i] = calloc(size, 1);
            break;
        case 2:
            free(blocks[i]);
            blocks[i] = memalign((size_t)16 << round % 12, size);
            break;
        case 3:
            free(blocks[i]);
            blocks[i] = malloc(size);
            break;
        default:
            free(blocks[i]);
            blocks[i] = strdup("a block of the C library");
            size = 5;
        }
        memset(blocks[i], round, size);
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
    return NULL;
}

/* All functions, several threads, blocks that others free, and lines that the C library resizes. */
static void nothing_wrong(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, many_blocks, NULL);
    many_blocks(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    char *mine = allocate_here(300), *other = mine;
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, next, 0, &other, sizeof other, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    free(other);
    char *line = malloc(2), *text;
    size_t length = 2;
    FILE *file = fmemopen("a line that is longer than that\n", 32, "r");
    if (getline(&line, &length, file) != 32 || asprintf(&text, "%s", line) != 32)
        abort();
    fclose(file);
    free(line);
    free(text);
    void *aligned;
    if (posix_memalign(&aligned, 1 << 16, 100) || (uintptr_t)aligned % (1 << 16))
        abort();
    memset(aligned, 1, malloc_usable_size(aligned));
    free(reallocarray(aligned, 10, 100));
    allocate_here(5000);
}

static void do_wrong(void)
{
    volatile size_t size = 100;
    char *block = allocate_here(size);
    if (is("twice")) {
        free_here(block);
        free_here(block);
    } else if (is("twice-long") || is("twice-long-realloc")) {
        block = allocate_here(size * 2000);
        free_here(block);
        if (is("twice-long"))
            free_here(block);
        else
            block = realloc(block, size);
    } else if (is("inside")) {
        free_here(block + 16);
    } else if (is("inside-long")) {
        free_here(allocate_here(size * 2000) + 4096);
    } else if (is("never")) {
        /* In the range of heaps, but nothing has ever been allocated there. */
        free_here(block + (1 << 20));
    } else if (is("never-realloc")) {
        block = realloc(block + (1 << 20), size);
    } else if (is("far")) {
        free_here((void *)((uintptr_t)block + ((uintptr_t)1 << 42)));
    } else if (is("behind")) {
        block[size] = 7;
        free_here(block);
    } else if (is("behind-aligned")) {
        block = memalign(16 << 20, size);
        block[size] = 7;
        free_here(block);
    } else if (is("behind-realloc")) {
        block[size + 3] = 7;
        block = realloc(block, size * 2);
    } else if (is("behind-end")) {
        block[size] = 7;
    } else if (is("before")) {
        block[-1] = 7;
        free_here(block);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fault = argv[1];
    int is_culprit = rank == ranks - 1;
    if (is("nothing")) {
        nothing_wrong();
    } else if (is("other")) {
        char *block = of_rank_0(333, 1);
        if (is_culprit)
            free_here(block);
    } else if (is_culprit) {
        do_wrong();
    }
    MPI_Finalize();
    printf("rank %d has come to its end\n", rank);
    return 0;
}
