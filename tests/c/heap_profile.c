/* Allocates known amounts at known places: small blocks and long ones, by the rank and by a thread of it. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

enum { MIB = 1 << 20, SMALL = 100 };

static void *kept[32 * MIB / SMALL];

/* Not a tail call, so that the function is on the stack. */
static void *filled(size_t size)
{
    char *volatile block = malloc(size);
    if (!block)
        abort();
    *block = 1;
    return block;
}

/* 32 MiB that stay. */
APART void keep_small(void)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        kept[i] = filled(SMALL);
}

/* 20 MiB, of which 2 are in use at a time. */
APART void use_long(void)
{
    for (int i = 0; i < 10; i++)
        free(filled(2 * MIB));
}

APART void *of_thread(void *argument)
{
    (void)argument;
    return filled(8 * MIB);
}

APART void outer(void)
{
    keep_small();
    use_long();
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *block;
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        outer();
        pthread_create(&thread, NULL, of_thread, NULL);
        pthread_join(thread, &block);
    }
    MPI_Finalize();
    return 0;
}
