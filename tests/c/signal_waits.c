/* Handlers of signals that run while their rank waits in MPI. */
#include "mpi_check.h"
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static MPI_Request work;
static volatile sig_atomic_t complete, waits, told;

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

/* Completes the work, once, when its rank waits. */
static void on_signal(int number)
{
    (void)number;
    if (waits && !complete) {
        complete = 1;
        OK(MPI_Grequest_complete(work));
    }
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    CHECK(sigaction(number, &action, NULL) == 0);
}

static void tick(long microseconds)
{
    struct itimerval value = {{0, microseconds}, {0, microseconds}};
    CHECK(setitimer(ITIMER_REAL, &value, NULL) == 0);
}

static void begin_work(void)
{
    complete = 0;
    OK(MPI_Grequest_start(query, nothing, cancel, NULL, &work));
}

/* By a timer. */
static void alarms_complete_requests(void)
{
    handle(SIGALRM, on_signal);
    begin_work();
    tick(200000);
    waits = 1;
    MPI_Request request = work;
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    waits = 0;
    CHECK(complete);
    begin_work();
    waits = 1;
    MPI_Request requests[] = {work, MPI_REQUEST_NULL};
    int index;
    OK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    CHECK(complete && index == 0);
    waits = 0;
    tick(0);
}

/* By somebody outside, who knows the process only. */
static void others_complete_requests(void)
{
    char command[64], *arguments[] = {"sh", "-c", command, NULL};
    pid_t child;
    int status;
    handle(SIGUSR1, on_signal);
    begin_work();
    waits = 1;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    snprintf(command, sizeof command, "sleep 0.2; kill -USR1 %d", (int)getpid());
    CHECK(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
    MPI_Request request = work;
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(complete);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    waits = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Tells rank 0 that the handler has run while its rank waited for it. */
static void tell(int number)
{
    if (waits && !told) {
        told = 1;
        OK(MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    }
}

/* Rank 0 comes last, and only when the handlers of all others have run in their waits for it. */
static void handlers_run_in(void (*wait)(void))
{
    told = 0;
    handle(SIGALRM, tell);
    for (int rank = 1; check_rank == 0 && rank < check_size; rank++) {
        int number = 0;
        OK(MPI_Recv(&number, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(number == SIGALRM);
    }
    tick(20000);
    waits = check_rank != 0;
    wait();
    waits = 0;
    tick(0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void barrier(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void reduction(void)
{
    int one = 1, sum = 0;
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == check_size);
}

static void message(void)
{
    int number = 0;
    for (int rank = 1; check_rank == 0 && rank < check_size; rank++)
        OK(MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
    if (check_rank != 0) {
        OK(MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(number == check_rank);
    }
}

static void ignore(int number)
{
    (void)number;
}

/* There is nothing that could end it any more once the alarm has been. */
static void wait_for_ever(void)
{
    int number;
    handle(SIGALRM, ignore);
    alarm(1);
    MPI_Recv(&number, 1, MPI_INT, check_rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static pthread_t main_thread;
static volatile sig_atomic_t late;

static void on_late_signal(int number)
{
    late = number == SIGUSR2 && pthread_self() == main_thread;
}

/* The first of its rank that uses signals. It does so some time after the main thread has begun to wait. */
static void *signal_late(void *unused)
{
    usleep(200000);
    handle(SIGUSR2, on_late_signal);
    CHECK(pthread_kill(main_thread, SIGUSR2) == 0);
    while (!late)
        usleep(1000);
    OK(MPI_Send(NULL, 0, MPI_INT, check_rank, 3, MPI_COMM_WORLD));
    return unused;
}

static void handlers_that_come_late_run(void)
{
    pthread_t thread;
    main_thread = pthread_self();
    CHECK(pthread_create(&thread, NULL, signal_late, NULL) == 0);
    OK(MPI_Recv(NULL, 0, MPI_INT, check_rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "late")) {
        handlers_that_come_late_run();
        return check_end();
    }
    if (argc > 1 && !strcmp(argv[1], "forever"))
        wait_for_ever();
    alarms_complete_requests();
    others_complete_requests();
    if (argc > 1 && !strcmp(argv[1], "calls")) {
        handlers_run_in(barrier);
        handlers_run_in(reduction);
        handlers_run_in(message);
    }
    return check_end();
}
