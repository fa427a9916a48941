/* Each rank has threads at the same time as the others. Rank 0 prints how many of their stacks are mapped when all have
 * ended: the C library keeps these for the next threads. */
#include "mpi_check.h"
#include <pthread.h>

enum { THREADS = 2, STACK = 9 << 20, MORE = 1 << 18 };

static pthread_barrier_t all_here;

static void *wait_for_all(void *none)
{
    pthread_barrier_wait(&all_here);
    return none;
}

static int count_stacks(void)
{
    char line[512], access[5];
    unsigned long begin, end;
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3 && strcmp(access, "rw-p") == 0)
            count += end - begin + MORE >= STACK && end - begin <= STACK + MORE;
    fclose(maps);
    return count;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    check_begin(&argc, &argv);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK) == 0);
    CHECK(pthread_barrier_init(&all_here, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], &attributes, wait_for_all, NULL) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        printf("%d\n", count_stacks());
    MPI_Finalize();
    return 0;
}
