/* The main thread of each rank waits for a second one by every means of POSIX threads, and sleeps, while the second
 * thread exchanges messages with other ranks, some of which share the virtual processor of its rank. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static int rank, ranks, turn;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t done;

/* Passes a token round the ring of ranks, in which everybody has to take part. */
static void pass_round(int tag)
{
    int token = rank;
    for (int round = 0; round < ROUNDS; round++)
        MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, tag, (rank + ranks - 1) % ranks, tag,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (token != ((rank - ROUNDS) % ranks + ranks) % ranks)
        printf("BAD token %d\n", token);
}

static void *for_join(void *tag)
{
    pass_round(*(int *)tag);
    return tag;
}

static int for_c11_join(void *tag)
{
    pass_round(*(int *)tag);
    return 7;
}

static void *for_condition(void *tag)
{
    pass_round(*(int *)tag);
    pthread_mutex_lock(&mutex);
    turn = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *for_semaphore(void *tag)
{
    pass_round(*(int *)tag);
    sem_post(&done);
    return NULL;
}

static void *with_mutex(void *tag)
{
    pthread_mutex_lock(&mutex);
    sem_post(&done);
    pass_round(*(int *)tag);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static pthread_t start(void *(*function)(void *), int *tag)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, tag) != 0)
        printf("BAD thread\n");
    return thread;
}

int main(int argc, char **argv)
{
    static int tags[] = {0, 1, 2, 3, 4};
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sem_init(&done, 0, 0);

    void *result;
    if (pthread_join(start(for_join, &tags[0]), &result) != 0 || result != &tags[0])
        printf("BAD pthread_join\n");

    thrd_t other;
    int value;
    thrd_create(&other, for_c11_join, &tags[1]);
    if (thrd_join(other, &value) != thrd_success || value != 7)
        printf("BAD thrd_join\n");

    pthread_t thread = start(for_condition, &tags[2]);
    pthread_mutex_lock(&mutex);
    while (!turn)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);

    thread = start(for_semaphore, &tags[3]);
    sem_wait(&done);
    pthread_join(thread, NULL);

    thread = start(with_mutex, &tags[4]);
    sem_wait(&done);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);

    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    usleep(20000);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double slept = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    if (slept < 0.02)
        printf("BAD sleep of %f s\n", slept);
    pthread_mutexattr_t checking;
    pthread_mutexattr_init(&checking);
    pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_t checked;
    pthread_mutex_init(&checked, &checking);
    pthread_mutex_lock(&checked);
    if (strcmp(strerror(pthread_mutex_lock(&checked)), "Resource deadlock avoided") != 0)
        printf("BAD relock\n");
    printf("waits OK\n");
    MPI_Finalize();
    return 0;
}
