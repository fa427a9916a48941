/* The memory of ranks that end before others. All ranks but the first take memory of each kind, and end in different
 * ways; one of them leaves a thread. The first rank goes on, and waits until the system has their memory back: that of
 * the rank with the thread not before the thread has ended. Compiled with OpenMP, ranks also have its threads, which
 * exit() ends. With an argument, the ranks are spawned. */
#include "mpi_check.h"
#include <alloca.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { MIB = 1 << 20, SMALL = 1000, LONG = 5 * MIB, EACH = 32 * MIB, DEEP = 4 * MIB };
/* What a rank may have that has ended, and all that the first rank and the process itself need. */
enum { LEFT = 2 * MIB, SPARE = 24 * MIB };

enum end { RETURNS, EXITS, EXITS_AT_ONCE, ENDS_MAIN_THREAD, LEAVES_THREAD, WAYS };

static char large[EACH];
static void *volatile kept[2 * EACH / SMALL];
static int wait_on;

static size_t resident(void)
{
    unsigned long size, pages;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%lu %lu", &size, &pages) == 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

__attribute__((noinline)) static void go_deep(void)
{
    char *volatile stack = memset(alloca(DEEP), 1, DEEP);
    CHECK(stack[DEEP / 2] == 1);
}

static void fill(void)
{
    size_t count = 0;
    for (size_t size = 0; size < EACH; size += SMALL)
        kept[count++] = memset(malloc(SMALL), 1, SMALL);
    for (size_t size = 0; size < EACH; size += LONG)
        kept[count++] = memset(malloc(LONG), 1, LONG);
    kept[count++] = memset(malloc(EACH), 1, EACH);
    memset(large, 1, EACH);
    go_deep();
}

static void fill_by_openmp(void)
{
#ifdef _OPENMP
#pragma omp parallel num_threads(3)
    {
        char *volatile block = memset(malloc(MIB), 1, MIB);
        CHECK(block[MIB / 2] == 1);
    }
#endif
}

static bool has_openmp(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

/* Uses the memory of the rank until it is told to end. */
static void *outlive(void *unused)
{
    char byte;
    void *own = memset(malloc(EACH), 1, EACH);
    CHECK(read(wait_on, &byte, 1) == 1);
    CHECK(large[EACH / 2] == 1 && ((char *)kept[0])[SMALL - 1] == 1 && ((char *)own)[EACH / 2] == 1);
    return unused;
}

static void at_exit(void)
{
    /* Handlers run before the memory goes. */
    CHECK(large[0] == 1 && ((char *)kept[1])[0] == 1);
}

static void await(size_t most)
{
    while (resident() > most)
        usleep(1000);
}

/* Has the ranks be those of a job that is spawned. */
static int start_ranks(const char *program)
{
    MPI_Comm ranks;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, WAYS + 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &ranks, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&ranks);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    if (argc > 1)
        return start_ranks(argv[0]);
    if (parent != MPI_COMM_NULL)
        MPI_Comm_disconnect(&parent);
    CHECK(check_size == WAYS + 1);
    int ends[2];
    if (check_rank == 0)
        CHECK(pipe(ends) == 0);
    MPI_Bcast(ends, 2, MPI_INT, 0, MPI_COMM_WORLD);
    wait_on = ends[0];
    size_t before = resident(), each = 4 * (size_t)EACH + DEEP;
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(resident() >= before + WAYS * each);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        /* The memory of the rank whose thread goes on, and then that of the thread. */
        size_t left = each - DEEP;
        await(before + left + EACH + (WAYS - 1) * LEFT + SPARE);
        CHECK(resident() >= before + left);
        CHECK(write(ends[1], "", 1) == 1);
        await(before + WAYS * LEFT + SPARE);
        printf("memory is back\n");
        return 0;
    }
    fill();
    fill_by_openmp();
    atexit(at_exit);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_t thread;
    enum end way = check_rank - 1;
    if (way == LEAVES_THREAD)
        CHECK(pthread_create(&thread, NULL, outlive, NULL) == 0);
    MPI_Finalize();
    /* The other ways leave the threads of OpenMP alone, as in a process. */
    if (has_openmp() && (way == EXITS_AT_ONCE || way == ENDS_MAIN_THREAD))
        way = EXITS;
    switch (way) {
    case EXITS:
        exit(0);
    case EXITS_AT_ONCE:
        _exit(0);
    case ENDS_MAIN_THREAD:
        pthread_exit(NULL);
    default:
        return 0;
    }
}
