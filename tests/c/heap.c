/* The memory that ranks allocate: all functions of C for it, blocks that libc gets or gives, threads, a child process,
 * and blocks that another rank frees. Prints a line for each rank. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 51, THREADS = 3 };

static size_t size_of(int index)
{
    static const size_t sizes[] = {1,    15,   16,    17,    24,    100,    129,    500,    1024,
                                   1025, 4096, 5000,  32768, 32769, 70000,  300000, 2200000};
    return sizes[index % (int)(sizeof sizes / sizeof *sizes)];
}

static int holds(const unsigned char *block, size_t size, unsigned char value)
{
    for (size_t i = 0; i < size; i += size > 4096 ? 511 : 1)
        if (block[i] != value)
            return 0;
    return size == 0 || block[size - 1] == value;
}

/* Blocks of all sizes at the same time, which keep what is written to them. */
static void many_blocks(int seed)
{
    unsigned char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = size_of(i);
        blocks[i] = i % 3 == 0 ? calloc(size, 1) : malloc(size);
        CHECK(blocks[i] && (uintptr_t)blocks[i] % 16 == 0 && malloc_usable_size(blocks[i]) >= size);
        CHECK(i % 3 != 0 || holds(blocks[i], size, 0));
        memset(blocks[i], (seed + i) & 255, size);
    }
    for (int i = 0; i < BLOCKS; i += 2) {
        size_t old = size_of(i), size = size_of(i + 7);
        blocks[i] = realloc(blocks[i], size);
        CHECK(blocks[i] && holds(blocks[i], old < size ? old : size, (seed + i) & 255));
        memset(blocks[i], (seed + i) & 255, size);
    }
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(holds(blocks[i], size_of(i % 2 ? i : i + 7), (seed + i) & 255));
        free(blocks[i]);
    }
}

static void aligned_blocks(void)
{
    for (size_t alignment = 8; alignment <= 8 << 20; alignment *= 2) {
        void *first, *second = memalign(alignment, 100), *third = aligned_alloc(alignment, alignment * 2);
        CHECK(posix_memalign(&first, alignment, 3000) == 0);
        CHECK(((uintptr_t)first | (uintptr_t)second | (uintptr_t)third) % alignment == 0);
        memset(first, 1, 3000);
        memset(second, 2, 100);
        memset(third, 3, alignment * 2);
        CHECK(holds(first, 3000, 1) && holds(second, 100, 2) && holds(third, alignment * 2, 3));
        third = realloc(third, alignment * 3);
        CHECK(holds(third, alignment * 2, 3));
        free(first);
        free(second);
        free(third);
    }
    void *page = valloc(10), *pages = pvalloc(5000), *untouched = NULL;
    CHECK((uintptr_t)page % 4096 == 0 && (uintptr_t)pages % 4096 == 0 && malloc_usable_size(pages) >= 8192);
    free(page);
    free(pages);
    CHECK(posix_memalign(&untouched, 3, 10) == EINVAL && !untouched);
}

static void limits(void)
{
    volatile size_t most = SIZE_MAX, half = SIZE_MAX / 2;
    errno = 0;
    CHECK(malloc(most) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(half, 3) == NULL && errno == ENOMEM);
    void *block = malloc(10);
    CHECK(reallocarray(block, half, 3) == NULL);
    free(block);
    void *nothing = malloc(0), *other = malloc(0);
    CHECK(nothing && other && nothing != other);
    free(nothing);
    free(other);
    free(NULL);
    CHECK(malloc_usable_size(NULL) == 0);
    malloc_trim(0);
}

/* Blocks that libc allocates and the program frees, and the other way round. */
static void blocks_of_libc(void)
{
    char *text = NULL, *copy = strdup("a copy");
    CHECK(asprintf(&text, "rank %d of %d", check_rank, check_size) > 0);
    text = realloc(text, 100000);
    CHECK(strncmp(text, "rank ", 5) == 0 && strcmp(copy, "a copy") == 0);
    free(text);
    free(copy);
    size_t room = 4, written;
    char *line = malloc(room), *stream_text;
    FILE *stream = open_memstream(&stream_text, &written);
    for (int i = 0; i < 5000; i++)
        fprintf(stream, "%d ", i);
    fputs("\n", stream);
    fclose(stream);
    FILE *input = fmemopen(stream_text, written, "r");
    CHECK(getline(&line, &room, input) == (ssize_t)written && strcmp(line, stream_text) == 0);
    fclose(input);
    free(line);
    free(stream_text);
    char *here = getcwd(NULL, 0), *there = realpath(".", NULL);
    CHECK(here && there);
    free(here);
    free(there);
}

static pthread_key_t key;

/* Runs at the end of a thread, when others have begun to use what was its own. */
static void destroy(void *value)
{
    char *block = malloc(300);
    memset(block, 9, 300);
    block = realloc(block, 40000);
    CHECK(holds((unsigned char *)block, 300, 9) && holds(value, 200, 8));
    free(block);
    free(value);
}

static void *thread_main(void *argument)
{
    int seed = (int)(intptr_t)argument;
    void *value = malloc(200);
    memset(value, 8, 200);
    pthread_setspecific(key, value);
    for (int i = 0; i < 2; i++)
        many_blocks(seed + i);
    char *block = malloc(100);
    memset(block, seed, 100);
    return block;
}

static void threads(void)
{
    CHECK(pthread_key_create(&key, destroy) == 0);
    for (int round = 0; round < 2; round++) {
        pthread_t all[THREADS];
        for (int i = 0; i < THREADS; i++)
            CHECK(pthread_create(&all[i], NULL, thread_main, (void *)(intptr_t)(i + 1)) == 0);
        many_blocks(check_rank);
        for (int i = 0; i < THREADS; i++) {
            void *block;
            pthread_join(all[i], &block);
            CHECK(holds(block, 100, (unsigned char)(i + 1)));
            free(block);
        }
    }
    pthread_key_delete(key);
}

static void child(void)
{
    int status;
    char *block = malloc(1000);
    memset(block, 7, 1000);
    pid_t pid = fork();
    if (pid == 0) {
        many_blocks(5);
        int good = holds((unsigned char *)block, 1000, 7);
        free(block);
        block = malloc(20000000);
        block[19999999] = 1;
        free(block);
        _exit(good ? 42 : 1);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 42);
    CHECK(holds((unsigned char *)block, 1000, 7));
    free(block);
}

/* In one process, the next rank frees what this one has allocated, and changes the size of it. */
static void others(void)
{
    int next = (check_rank + 1) % check_size, before = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < 200; i++) {
        unsigned char *given = malloc(size_of(i)), *got;
        memset(given, check_rank & 255, size_of(i));
        MPI_Sendrecv(&given, sizeof given, MPI_BYTE, next, 0, &got, sizeof got, MPI_BYTE, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK(holds(got, size_of(i), before & 255));
        if (i % 5 == 0) {
            size_t size = size_of(i + 3), old = size_of(i);
            got = realloc(got, size);
            CHECK(holds(got, old < size ? old : size, before & 255));
        }
        free(got);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A library that the rank loads allocates from the same heap as the program. */
static void with_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW), *own = malloc(100);
    CHECK(library);
    void *(*give)(size_t) = (void *(*)(size_t))dlsym(library, "give");
    void (*take)(void *) = (void (*)(void *))dlsym(library, "take");
    CHECK(give && take);
    unsigned char *given = give(100);
    /* The heaps of ranks lie in a range of addresses of their own. */
    CHECK((uintptr_t)given >> 44 == (uintptr_t)own >> 44);
    memset(given, 4, 100);
    given = realloc(given, 3000);
    CHECK(holds(given, 100, 4));
    free(given);
    take(own);
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    many_blocks(check_rank);
    aligned_blocks();
    limits();
    blocks_of_libc();
    threads();
    child();
    if (argc > 1 && strcmp(argv[1], "one-process") == 0)
        others();
    if (argc > 2)
        with_library(argv[2]);
    printf("heap OK\n");
    MPI_Finalize();
    return 0;
}
