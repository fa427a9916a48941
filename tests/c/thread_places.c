/* A rank creates threads, and counts those that begin on another processor than the one on which it runs itself. The
 * main thread keeps its own processor: it is real-time and computes until the thread has begun, which is not. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 20 };

static atomic_int place;

static void *begin(void *unused)
{
    atomic_store(&place, sched_getcpu());
    return unused;
}

static void keep_processor(int yes)
{
    struct sched_param priority = {.sched_priority = yes};
    if (sched_setscheduler(0, yes ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &priority) != 0) {
        printf("no real-time priority\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
}

int main(int argc, char **argv)
{
    int elsewhere = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        int own = sched_getcpu();
        atomic_store(&place, -1);
        keep_processor(1);
        if (pthread_create(&thread, NULL, begin, NULL) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        while (atomic_load(&place) < 0)
            ;
        keep_processor(0);
        elsewhere += atomic_load(&place) != own;
        pthread_join(thread, NULL);
    }
    printf("%d of %d began elsewhere\n", elsewhere, THREADS);
    MPI_Finalize();
    return 0;
}
