/* A process without mpiexec gets a launcher when it asks for one, by several threads at once, and has no child of which
   it does not know. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "spawned.h"

enum { THREADS = 4 };

static char ports[THREADS][MPI_MAX_PORT_NAME];

static void *open_port(void *place)
{
    OK(MPI_Open_port(MPI_INFO_NULL, place));
    return NULL;
}

static int child(void)
{
    int number;
    MPI_Comm parent = parents();

    OK(MPI_Bcast(&number, 1, MPI_INT, 0, parent));
    CHECK(number == 5);
    OK(MPI_Comm_disconnect(&parent));
    OK(MPI_Finalize());
    return 0;
}

int main(int argc, char **argv)
{
    int provided, number = 5;
    pthread_t threads[THREADS];

    signal(SIGCHLD, SIG_IGN);
    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    if (*part(argc, argv))
        return child();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, open_port, ports[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        for (int k = 0; k < i; k++)
            CHECK(strcmp(ports[i], ports[k]) != 0);
        OK(MPI_Close_port(ports[i]));
    }
    MPI_Comm children = spawn(MPI_COMM_WORLD, argv[0], "child", 2);
    OK(MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, children));
    OK(MPI_Comm_disconnect(&children));
    CHECK(wait(NULL) == -1 && errno == ECHILD);
    OK(MPI_Finalize());
    puts("passed");
    return 0;
}
