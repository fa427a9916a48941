/* Threads that tell of an event (SIGEV_THREAD). Threads of libc's own making would not be known as the rank's. */
#include "signals.h"

static void *tell(void *argument)
{
    struct sigevent notice = *(struct sigevent *)argument;
    sigset_t none;
    libc.free(argument);
    /* The thread is made for the notice only and takes no signals. */
    set_to(&none, 0);
    libc.pthread_sigmask(SIG_SETMASK, &none, NULL);
    notice.sigev_notify_function(notice.sigev_value);
    return NULL;
}

void simurgh_start_notice(const struct sigevent *notice)
{
    pthread_t thread;
    struct sigevent *copy = libc.malloc(sizeof *copy);
    if (!copy)
        return;
    *copy = *notice;
    if (simurgh_start_thread(&thread, notice->sigev_notify_attributes, tell, copy) == 0)
        libc.pthread_detach(thread);
    else
        libc.free(copy);
}

void simurgh_run_notice(const struct sigevent *notice)
{
    simurgh_adopt_thread();
    notice->sigev_notify_function(notice->sigev_value);
}
