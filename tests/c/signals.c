/* Each rank has signals of its own: handlers, masks, timers, and calls that they interrupt. */
#include "mpi_check.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, others, user_signals;
static int wakeup[2];

static void on_alarm_even(int number)
{
    alarms += number == SIGALRM && check_rank % 2 == 0;
}

static void on_alarm_odd(int number)
{
    alarms += number == SIGALRM && check_rank % 2 == 1;
}

static void on_user(int number)
{
    (void)number;
    user_signals++;
}

static void on_other(int number)
{
    (void)number;
    others++;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    CHECK(sigaction(number, &action, NULL) == 0);
}

/* Alarms again and again: one may come before the call that it is to interrupt. */
static void tick(long microseconds)
{
    struct itimerval value = {{0, microseconds}, {0, microseconds}};
    CHECK(setitimer(ITIMER_REAL, &value, NULL) == 0);
}

static sigset_t only(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static void handlers_are_the_ranks_own(void)
{
    struct sigaction now;
    handle(SIGALRM, check_rank % 2 ? on_alarm_odd : on_alarm_even, 0);
    if (check_rank % 3 == 0)
        CHECK(signal(SIGUSR1, on_user) == SIG_DFL);
    else
        CHECK(signal(SIGUSR1, on_other) == SIG_DFL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(sigaction(SIGALRM, NULL, &now) == 0);
    CHECK(now.sa_handler == (check_rank % 2 ? on_alarm_odd : on_alarm_even));
    CHECK(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0 && pthread_kill(pthread_self(), SIGUSR1) == 0);
    CHECK(user_signals == (check_rank % 3 ? 0 : 3) && others == (check_rank % 3 ? 3 : 0));
    CHECK(kill(getpid(), 0) == 0);
    signal(SIGUSR1, on_user);
    user_signals = 0;
}

static void an_alarm_ends_a_pause(void)
{
    CHECK(alarm(100) == 0);
    CHECK(alarm(1) > 90);
    errno = 0;
    CHECK(pause() == -1 && errno == EINTR && alarms == 1);
    CHECK(alarm(0) == 0);
}

static void calls_are_interrupted(void)
{
    char byte;
    struct timespec second = {1000, 0}, left = {0, 0};
    struct timeval limit = {1000, 0};
    struct pollfd file = {wakeup[0], POLLIN, 0};
    sem_t semaphore;
    fd_set files;
    FD_ZERO(&files);
    FD_SET(wakeup[0], &files);
    CHECK(sem_init(&semaphore, 0, 0) == 0);
    alarms = 0;
    tick(20000);
    CHECK(read(wakeup[0], &byte, 1) == -1 && errno == EINTR);
    CHECK(poll(&file, 1, -1) == -1 && errno == EINTR);
    CHECK(select(wakeup[0] + 1, &files, NULL, NULL, &limit) == -1 && errno == EINTR);
    CHECK(sleep(1000) > 0);
    CHECK(nanosleep(&second, &left) == -1 && errno == EINTR && left.tv_sec > 0);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL) == EINTR);
    CHECK(usleep(900000000) == -1 && errno == EINTR);
    CHECK(sem_wait(&semaphore) == -1 && errno == EINTR);
    CHECK(alarms >= 8);
    tick(0);
}

static void write_a_byte(int number)
{
    alarms++;
    CHECK(number == SIGALRM && write(wakeup[1], "x", 1) == 1);
}

static void a_call_goes_on_if_wanted(void)
{
    char byte = 0;
    struct itimerval once = {{0, 0}, {0, 20000}};
    alarms = 0;
    handle(SIGALRM, write_a_byte, SA_RESTART);
    CHECK(setitimer(ITIMER_REAL, &once, NULL) == 0);
    CHECK(read(wakeup[0], &byte, 1) == 1 && byte == 'x' && alarms == 1);
    handle(SIGALRM, check_rank % 2 ? on_alarm_odd : on_alarm_even, 0);
}

static void computing_is_interrupted(void)
{
    alarms = 0;
    tick(20000);
    while (alarms < 3)
        ;
    tick(0);
}

static void masks_hold_signals_back(void)
{
    sigset_t set = only(SIGUSR1), old, pending;
    user_signals = 0;
    CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR1));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0);
    CHECK(user_signals == 0);
    CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) && !sigismember(&pending, SIGUSR2));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
    CHECK(user_signals == 2);
    CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGUSR1));
}

static void signals_are_waited_for(void)
{
    sigset_t set = only(SIGALRM), none;
    siginfo_t info;
    struct timespec moment = {0, 1000000}, long_time = {1000, 0};
    int number = 0;
    sigemptyset(&none);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    alarms = 0;
    CHECK(sigtimedwait(&set, &info, &moment) == -1 && errno == EAGAIN);
    tick(20000);
    CHECK(sigwait(&set, &number) == 0 && number == SIGALRM);
    CHECK(sigwaitinfo(&set, &info) == SIGALRM && info.si_signo == SIGALRM);
    CHECK(sigtimedwait(&set, NULL, &long_time) == SIGALRM);
    CHECK(alarms == 0);
    CHECK(sigsuspend(&none) == -1 && errno == EINTR && alarms >= 1);
    tick(0);
    CHECK(sigtimedwait(&set, NULL, &moment) != 0);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
}

static volatile int value_seen;

static void on_value(int number, siginfo_t *info, void *context)
{
    value_seen = context && number == SIGRTMIN + 1 && info->si_code == SI_TIMER ? info->si_value.sival_int : -1;
}

static void timers_bring_their_values(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec value = {{0, 0}, {0, 20000000}}, left;
    struct sigaction action = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO};
    event.sigev_value.sival_int = 100 + check_rank;
    CHECK(sigaction(SIGRTMIN + 1, &action, NULL) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &value, NULL) == 0);
    while (!value_seen)
        usleep(1000);
    CHECK(value_seen == 100 + check_rank);
    CHECK(timer_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_getoverrun(timer) == 0);
    CHECK(timer_delete(timer) == 0);
    CHECK(timer_delete(timer) == -1 && errno == EINVAL);
}

static volatile pthread_t seen_by;
static sem_t ready;

static void on_thread_signal(int number)
{
    (void)number;
    seen_by = pthread_self();
}

static void *wait_for_a_signal(void *unused)
{
    sem_post(&ready);
    while (seen_by == 0)
        usleep(1000);
    CHECK(seen_by == pthread_self());
    return unused;
}

static void *send_to_main(void *argument)
{
    CHECK(pthread_kill(*(pthread_t *)argument, SIGUSR2) == 0);
    return NULL;
}

static void threads_get_what_is_theirs(void)
{
    pthread_t thread, main_thread = pthread_self();
    signal(SIGUSR2, on_thread_signal);
    CHECK(sem_init(&ready, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, wait_for_a_signal, NULL) == 0);
    CHECK(sem_wait(&ready) == 0);
    CHECK(pthread_kill(thread, SIGUSR2) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    seen_by = 0;
    CHECK(pthread_create(&thread, NULL, send_to_main, &main_thread) == 0);
    while (seen_by == 0)
        ;
    CHECK(seen_by == main_thread);
    CHECK(pthread_join(thread, NULL) == 0);
}

static sigjmp_buf place;

static void jump(int number)
{
    siglongjmp(place, number);
}

static void jumps_restore_the_mask(void)
{
    sigset_t now;
    signal(SIGUSR2, jump);
    for (int turn = 0; turn < 3; turn++) {
        int number = sigsetjmp(place, 1);
        if (number == 0) {
            CHECK(raise(SIGUSR2) == 0);
            CHECK(!"reached");
        }
        CHECK(number == SIGUSR2);
        CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && !sigismember(&now, SIGUSR2));
    }
    signal(SIGSEGV, jump);
    if (sigsetjmp(place, 1) == 0)
        *(volatile int *)8 = 0;
    signal(SIGSEGV, SIG_DFL);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(pipe(wakeup) == 0);
    handlers_are_the_ranks_own();
    an_alarm_ends_a_pause();
    calls_are_interrupted();
    a_call_goes_on_if_wanted();
    computing_is_interrupted();
    masks_hold_signals_back();
    signals_are_waited_for();
    timers_bring_their_values();
    threads_get_what_is_theirs();
    jumps_restore_the_mask();
    return check_end();
}
