/* A rank creates threads, and counts those that begin on another processor than the one on which it runs itself. The
 * main thread computes until a thread has begun, so that its own processor is not the free one. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 300 };

static atomic_int place;

static void *begin(void *unused)
{
    atomic_store(&place, sched_getcpu());
    return unused;
}

int main(int argc, char **argv)
{
    int elsewhere = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        int own = sched_getcpu();
        atomic_store(&place, -1);
        if (pthread_create(&thread, NULL, begin, NULL) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        while (atomic_load(&place) < 0)
            ;
        elsewhere += atomic_load(&place) != own;
        pthread_join(thread, NULL);
    }
    printf("%d of %d began elsewhere\n", elsewhere, THREADS);
    MPI_Finalize();
    return 0;
}
