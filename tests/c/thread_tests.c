/* Threads of a rank that test in vain while another thread of the same rank spins.
 *
 * `count`: on one core, where the other thread spins all the time; counts how often the library gives the core away
 * meanwhile, which is as often as the program's own sched_yield is called.
 * `share`: each thread in turn, under a lock for which the other spins, exchanges messages by testing, as programs of
 * OpenMP do; run with more threads than cores. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TESTS = 2000, ROUNDS = 20, THREADS = 2, WINDOW = 4 };

static int rank, ranks;
static atomic_int over, turn;
static long yields, long_yields;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Instead of libc's: what the library calls. */
int sched_yield(void)
{
    double before = now();
    long result = syscall(SYS_sched_yield);
    yields++;
    long_yields += now() - before > 1e-3;
    return (int)result;
}

static void *spin(void *unused)
{
    while (!atomic_load(&over)) {
    }
    return unused;
}

static void test_in_vain(MPI_Request *requests)
{
    int done, index, flags;
    for (int test = 0; test < TESTS; test++)
        switch (test % 6) {
        case 0:
            MPI_Test(requests, &flags, MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Testsome(WINDOW, requests, &done, (int[WINDOW]){0}, MPI_STATUSES_IGNORE);
            break;
        case 2:
            MPI_Testany(WINDOW, requests, &index, &flags, MPI_STATUS_IGNORE);
            break;
        case 3:
            MPI_Testall(WINDOW, requests, &flags, MPI_STATUSES_IGNORE);
            break;
        case 4:
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flags, MPI_STATUS_IGNORE);
            break;
        default:
            MPI_Request_get_status(requests[0], &flags, MPI_STATUS_IGNORE);
        }
}

/* The other ranks wait until all tests have been made. */
static void count(void)
{
    MPI_Request requests[WINDOW];
    int values[WINDOW];
    if (rank == 0) {
        pthread_t thread;
        cpu_set_t core;
        CPU_ZERO(&core);
        CPU_SET(sched_getcpu(), &core);
        if (sched_setaffinity(0, sizeof core, &core) != 0 || pthread_create(&thread, NULL, spin, NULL) != 0)
            printf("BAD thread\n");
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
        yields = long_yields = 0;
        test_in_vain(requests);
        if (yields > TESTS / 4 || long_yields > TESTS / 100)
            printf("BAD: %ld times, %ld for long\n", yields, long_yields);
        atomic_store(&over, 1);
        pthread_join(thread, NULL);
        MPI_Send(values, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(values, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < WINDOW; i++)
            MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
}

static void exchange(int tag)
{
    MPI_Request requests[2 * WINDOW];
    int from[WINDOW], to = rank + ranks / 2, done, indices[2 * WINDOW];
    for (int i = 0; i < WINDOW; i++) {
        MPI_Irecv(&from[i], 1, MPI_INT, (rank + ranks / 2) % ranks, tag, MPI_COMM_WORLD, &requests[i]);
        MPI_Isend(&rank, 1, MPI_INT, to % ranks, tag, MPI_COMM_WORLD, &requests[WINDOW + i]);
    }
    for (int left = 2 * WINDOW; left > 0; left -= done)
        MPI_Testsome(2 * WINDOW, requests, &done, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; i++)
        if (from[i] != to % ranks)
            printf("BAD value %d\n", from[i]);
}

static void *share(void *number)
{
    int own = *(int *)number;
    for (int round = 0; round < ROUNDS; round++) {
        while (atomic_load(&turn) % THREADS != own) {
        }
        exchange(own);
        atomic_fetch_add(&turn, 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static int numbers[THREADS] = {0, 1};
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && strcmp(argv[1], "count") == 0)
        count();
    else {
        pthread_t thread;
        if (pthread_create(&thread, NULL, share, &numbers[1]) != 0)
            printf("BAD thread\n");
        share(&numbers[0]);
        pthread_join(thread, NULL);
    }
    printf("tests OK\n");
    MPI_Finalize();
    return 0;
}
