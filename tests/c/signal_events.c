/* Events that are told by a signal, in a thread of libc's making, or by a descriptor. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static __thread int of_the_thread = 17;
static volatile sig_atomic_t value_seen;

/* The timer's threads: one that begins when all that are expected have told must not call MPI, which may have ended. */
static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
static int are_told;

/* Called in a thread of which the program knows nothing: it belongs to the rank. */
static void tell(union sigval value)
{
    CHECK(of_the_thread == 17);
    of_the_thread = value.sival_int;
    CHECK(pthread_mutex_lock(&telling) == 0);
    if (value.sival_int != 1 || !are_told)
        OK(MPI_Send(&value.sival_int, 1, MPI_INT, check_rank, value.sival_int, MPI_COMM_WORLD));
    CHECK(pthread_mutex_unlock(&telling) == 0);
}

static struct sigevent by_thread(int tag)
{
    return (struct sigevent){
        .sigev_notify = SIGEV_THREAD,
        .sigev_notify_function = tell,
        .sigev_value.sival_int = tag,
    };
}

static void expect(int tag)
{
    int number = 0;
    OK(MPI_Recv(&number, 1, MPI_INT, check_rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(number == tag);
}

static void timers_start_threads(void)
{
    timer_t timer;
    struct sigevent event = by_thread(1);
    struct itimerspec value = {{0, 20000000}, {0, 20000000}};
    CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &value, NULL) == 0);
    for (int turn = 0; turn < 3; turn++)
        expect(1);
    CHECK(pthread_mutex_lock(&telling) == 0);
    are_told = 1;
    CHECK(pthread_mutex_unlock(&telling) == 0);
    CHECK(timer_delete(timer) == 0);
}

/* The thread is the only one that can wake the rank: the timer is not due again. */
static void timers_without_interval_start_a_thread(void)
{
    timer_t timer;
    struct sigevent event = by_thread(6);
    struct itimerspec value = {{0, 0}, {0, 20000000}};
    CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(timer_settime(timer, 0, &value, NULL) == 0);
        expect(6);
    }
    CHECK(timer_delete(timer) == 0);
}

static void on_value(int number, siginfo_t *info, void *context)
{
    (void)context;
    value_seen = number == SIGUSR1 ? info->si_value.sival_int : -1;
}

static void handle_values(void)
{
    struct sigaction action = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO | SA_RESTART};
    value_seen = 0;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static void expect_value(int value)
{
    while (!value_seen)
        usleep(1000);
    CHECK(value_seen == value);
    value_seen = 0;
}

static struct sigevent by_signal(int value)
{
    return (struct sigevent){
        .sigev_notify = SIGEV_SIGNAL,
        .sigev_signo = SIGUSR1,
        .sigev_value.sival_int = value,
    };
}

static void files_tell(void)
{
    char name[] = "/tmp/simurgh-signals-XXXXXX", text[] = "text", read_back[8] = "";
    int file = mkstemp(name);
    CHECK(file >= 0 && unlink(name) == 0);
    struct aiocb block = {.aio_fildes = file, .aio_buf = text, .aio_nbytes = 4};
    /* The same block again: what the program has put into it holds. */
    block.aio_sigevent = by_thread(2);
    for (int turn = 0; turn < 2; turn++) {
        CHECK(aio_write(&block) == 0);
        expect(2);
        CHECK(aio_return(&block) == 4);
    }
    block.aio_buf = read_back;
    block.aio_sigevent = by_signal(5);
    CHECK(aio_read(&block) == 0);
    expect_value(5);
    CHECK(aio_return(&block) == 4 && !strcmp(read_back, "text"));
    CHECK(close(file) == 0);
}

static void names_tell(void)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
    struct gaicb request = {.ar_name = "127.0.0.1", .ar_request = &hints}, *list[] = {&request};
    struct sigevent event = by_thread(3);
    CHECK(getaddrinfo_a(GAI_NOWAIT, list, 1, &event) == 0);
    expect(3);
    CHECK(gai_error(&request) == 0);
    freeaddrinfo(request.ar_result);
}

static void queues_tell(void)
{
    char name[64], message[8192];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof message};
    snprintf(name, sizeof name, "/simurgh-signals-%d-%d", (int)getpid(), check_rank);
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    CHECK(queue != (mqd_t)-1 && mq_unlink(name) == 0);
    struct sigevent event = by_thread(4);
    CHECK(mq_notify(queue, &event) == 0);
    CHECK(mq_send(queue, "x", 1, 0) == 0);
    expect(4);
    CHECK(mq_receive(queue, message, sizeof message, NULL) == 1);
    CHECK(mq_close(queue) == 0);
}

static void descriptors_tell(void)
{
    sigset_t set;
    struct signalfd_siginfo record;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(raise(SIGUSR2) == 0);
    int descriptor = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    CHECK(descriptor >= 0);
    struct pollfd file = {descriptor, POLLIN, 0};
    for (int turn = 0; turn < 2; turn++) {
        CHECK(poll(&file, 1, -1) == 1);
        CHECK(read(descriptor, &record, sizeof record) == sizeof record && record.ssi_signo == SIGUSR2);
        CHECK(read(descriptor, &record, sizeof record) == -1 && errno == EAGAIN);
        if (turn == 0) {
            OK(MPI_Barrier(MPI_COMM_WORLD));
            CHECK(raise(SIGUSR2) == 0);
        }
    }
    CHECK(close(descriptor) == 0);
    CHECK(raise(SIGUSR2) == 0);
    int number;
    CHECK(sigwait(&set, &number) == 0 && number == SIGUSR2);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
}

static void values_are_queued(void)
{
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    for (int turn = 1; turn <= 3; turn++) {
        union sigval value = {.sival_int = turn};
        CHECK(pthread_sigqueue(pthread_self(), SIGRTMIN, value) == 0);
    }
    for (int turn = 1; turn <= 3; turn++)
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == turn && info.si_code == SI_QUEUE);
    CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
}

/* A rank that ignores SIGPIPE learns of a pipe that nobody reads. */
static void broken_pipes_are_the_ranks(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    CHECK(close(ends[1]) == 0);
}

static void say_seven(int number)
{
    (void)number;
    _exit(7);
}

/* The child of fork is a process of its own, with what its rank did about signals. */
static void children_inherit(void)
{
    int status;
    /* In ranks that are threads, a child has the pipes of all. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    signal(SIGUSR2, say_seven);
    pid_t child = fork();
    if (child == 0) {
        kill(getpid(), SIGUSR2);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    child = fork();
    if (child == 0)
        for (;;)
            pause();
    CHECK(kill(child, SIGUSR2) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    signal(SIGUSR2, SIG_DFL);
}

static void die(const char *how)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == check_size - 1 && !strcmp(how, "alarm"))
        alarm(1);
    if (check_rank == check_size - 1 && !strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (check_rank == check_size - 1 && !strcmp(how, "raise"))
        raise(SIGTERM);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    if (argc > 1)
        die(argv[1]);
    handle_values();
    timers_start_threads();
    timers_without_interval_start_a_thread();
    files_tell();
    names_tell();
    queues_tell();
    descriptors_tell();
    values_are_queued();
    broken_pipes_are_the_ranks();
    /* A child of another rank would keep the pipe open. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    children_inherit();
    return check_end();
}
