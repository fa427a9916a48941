/* Writes all over SIZE bytes of thread-local storage, aligned to ALIGNMENT, and goes on using what the C library keeps
 * for each thread and what MPI does; prints "tls OK" or what is wrong. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread unsigned char room[SIZE] __attribute__((aligned(ALIGNMENT)));

static int differs(unsigned char value)
{
    for (size_t i = 0; i < sizeof room; i++)
        if (room[i] != value)
            return 1;
    return 0;
}

static int use_libc(void)
{
    for (int i = 0; i < 100; i++)
        free(realloc(malloc(24 + i), 200 + i));
    errno = 0;
    return fopen("/nowhere/at/all", "r") == NULL && errno == ENOENT;
}

static void *second_thread(void *unused)
{
    (void)unused;
    int right = !differs(0) && use_libc();
    memset(room, 0x5a, sizeof room);
    return right && use_libc() && !differs(0x5a) ? (void *)1 : NULL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, bad = (uintptr_t)room % ALIGNMENT != 0 || differs(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        unsigned char mine = (unsigned char)(17 * rank + round + 1);
        memset(room, mine, sizeof room);
        int sum;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        bad += sum != size * (size - 1) / 2 || !use_libc() || differs(mine);
    }
    pthread_t thread;
    void *right = NULL;
    bad += pthread_create(&thread, NULL, second_thread, NULL) || pthread_join(thread, &right) || !right;
    puts(bad ? "tls BAD" : "tls OK");
    MPI_Finalize();
    return 0;
}
