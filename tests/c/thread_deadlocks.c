/* Ranks that wait for each other for ever, with threads besides those that wait in MPI. With "go on" behind it, one of
 * the threads ends the wait after a while. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3 };

static int rank, ranks;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static sem_t posted;

static void receive(int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Threads as those of a thread pool that has nothing to do. */
static void *idle(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&work, &mutex);
    return unused;
}

static void *receive_one(void *tag)
{
    receive(*(int *)tag);
    return NULL;
}

static pthread_cond_t received = PTHREAD_COND_INITIALIZER;
static sem_t has_received, has_locked;
static int is_received;

/* The main thread waits for what this one does when it has received. */
static void *receive_and_tell(void *tag)
{
    receive(*(int *)tag);
    pthread_mutex_lock(&mutex);
    is_received = 1;
    pthread_cond_broadcast(&received);
    pthread_mutex_unlock(&mutex);
    sem_post(&has_received);
    return NULL;
}

static void *receive_locked(void *tag)
{
    pthread_mutex_lock(&mutex);
    sem_post(&has_locked);
    receive(*(int *)tag);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Wakes another one now and then, which sends what all wait for in the end. */
static void *pass_time(void *unused)
{
    for (int time = 0; time < 20; time++) {
        usleep(20000);
        sem_post(&posted);
    }
    return unused;
}

static void *send_late(void *unused)
{
    for (int time = 0; time < 20; time++)
        sem_wait(&posted);
    for (int tag = 5; tag < 5 + THREADS; tag++)
        MPI_Send(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD);
    return unused;
}

static pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        printf("BAD thread\n");
    return thread;
}

int main(int argc, char **argv)
{
    static int tags[THREADS] = {5, 6, 7};
    pthread_t threads[THREADS], late[2];
    const char *way = argc > 1 ? argv[1] : "";
    int provided, funneled = strcmp(way, "funneled") == 0;
    MPI_Init_thread(&argc, &argv, funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sem_init(&posted, 0, 0);
    sem_init(&has_received, 0, 0);
    sem_init(&has_locked, 0, 0);
    if (argc > 2) {
        late[0] = start(send_late, NULL);
        late[1] = start(pass_time, NULL);
    }
    if (strcmp(way, "idle") == 0 || funneled) {
        for (int i = 0; i < THREADS; i++)
            start(idle, NULL);
        for (int i = 0; i < THREADS; i++)
            receive(tags[i]);
    }
    if (strcmp(way, "join") == 0) {
        for (int i = 0; i < THREADS; i++)
            threads[i] = start(receive_one, &tags[i]);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    if (strcmp(way, "condition") == 0) {
        start(receive_and_tell, &tags[0]);
        pthread_mutex_lock(&mutex);
        while (!is_received)
            pthread_cond_wait(&received, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (strcmp(way, "semaphore") == 0) {
        start(receive_and_tell, &tags[0]);
        sem_wait(&has_received);
    }
    if (strcmp(way, "mutex") == 0) {
        start(receive_locked, &tags[0]);
        sem_wait(&has_locked);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (strcmp(way, "exit") == 0) {
        start(receive_one, &tags[0]);
        pthread_exit(NULL);
    }
    if (argc > 2 && (strcmp(way, "condition") == 0 || strcmp(way, "semaphore") == 0 || strcmp(way, "mutex") == 0))
        for (int i = 1; i < THREADS; i++)
            receive(tags[i]);
    for (int i = 0; argc > 2 && i < 2; i++)
        pthread_join(late[i], NULL);
    printf("goes on\n");
    MPI_Finalize();
    return 0;
}
