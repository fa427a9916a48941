/* Events of which libc tells in threads of its own making: the ends of asynchronous input and output and of lookups of
 * names, and messages in queues. Such a thread is made a thread of the rank before it runs the rank's function. A
 * signal, which libc would send to the whole process, is sent to the rank. */
#include "signals.h"

/* The notice that the program has asked for. */
struct wish {
    struct sigevent notice;
    const struct sigevent *place; /* where libc reads it; NULL if libc has a copy, and the wish holds for one event */
    int code;                     /* of the signal */
    struct wish *next;
};

/* The wishes with a place. They are never freed: a block of the program may be gone before its thread has told of the
 * event, or it may be used again. */
static struct wish *lasting;

/* Finds the wish of a place, or makes a new one, with the lock held. */
static struct wish *wish_for(const struct sigevent *place)
{
    struct wish *wish = lasting;
    while (wish && wish->place != place)
        wish = wish->next;
    if (wish && place)
        return wish;
    wish = libc.malloc(sizeof *wish);
    if (wish && place) {
        wish->next = lasting;
        lasting = wish;
    }
    return wish;
}

static void send_signal(const struct wish *wish)
{
    siginfo_t info = {.si_signo = wish->notice.sigev_signo, .si_code = wish->code};
    info.si_pid = libc.getpid();
    info.si_uid = libc.getuid();
    info.si_value = wish->notice.sigev_value;
    simurgh_lock_signals();
    simurgh_post(&info, NULL);
    simurgh_unlock_signals();
}

/* Runs on a thread of libc. */
static void fulfil(union sigval value)
{
    struct wish wish = *(struct wish *)value.sival_ptr;
    if (!wish.place)
        libc.free(value.sival_ptr);
    if (wish.notice.sigev_notify == SIGEV_THREAD)
        simurgh_run_notice(&wish.notice);
    else
        send_signal(&wish);
}

/* Has libc tell us of what it is to tell the program, with the lock held. False if memory is short. */
static bool redirect(struct sigevent *notice, const struct sigevent *place, int code)
{
    struct wish *wish = wish_for(place);
    if (!wish)
        return false;
    wish->notice = *notice;
    wish->place = place;
    wish->code = code;
    if (notice->sigev_notify == SIGEV_SIGNAL) {
        simurgh_listen();
        notice->sigev_notify_attributes = NULL;
    }
    notice->sigev_notify = SIGEV_THREAD;
    notice->sigev_notify_function = fulfil;
    notice->sigev_value.sival_ptr = wish;
    return true;
}

static bool ask(struct sigevent *notice, const struct sigevent *place, int code)
{
    bool is_told = notice->sigev_notify == SIGEV_THREAD || notice->sigev_notify == SIGEV_SIGNAL;
    bool is_asked = notice->sigev_notify == SIGEV_THREAD && notice->sigev_notify_function == fulfil;
    if (simurgh_forked || !is_told || is_asked)
        return true;
    simurgh_listen_on_main();
    simurgh_lock_signals();
    bool done = redirect(notice, place, code);
    simurgh_unlock_signals();
    return done;
}

static int result_without_memory(void)
{
    errno = EAGAIN;
    return -1;
}

/* libc reads the notice of an operation from the program's block when the operation is over. */
static bool ask_in(struct aiocb *block)
{
    return ask(&block->aio_sigevent, &block->aio_sigevent, SI_ASYNCIO);
}

#define OPERATION(name)                                                                                                \
    EXPORT int name(struct aiocb *block)                                                                               \
    {                                                                                                                  \
        return ask_in(block) ? libc.name(block) : result_without_memory();                                             \
    }

OPERATION(aio_read)
OPERATION(aio_write)

EXPORT int aio_fsync(int operation, struct aiocb *block)
{
    return ask_in(block) ? libc.aio_fsync(operation, block) : result_without_memory();
}

EXPORT int lio_listio(int mode, struct aiocb *const list[restrict], int count, struct sigevent *restrict notice)
{
    struct sigevent wanted = {.sigev_notify = SIGEV_NONE};
    bool asked = true;
    for (int i = 0; i < count; i++)
        asked = asked && (!list[i] || ask_in(list[i]));
    if (notice && mode == LIO_NOWAIT)
        wanted = *notice;
    if (!asked || !ask(&wanted, NULL, SI_ASYNCIO))
        return result_without_memory();
    return libc.lio_listio(mode, list, count, &wanted);
}

/* Offsets are 64 bits long on this machine, so these are the same functions. */
EXPORT int aio_read64(struct aiocb64 *block)
{
    return aio_read((struct aiocb *)block);
}

EXPORT int aio_write64(struct aiocb64 *block)
{
    return aio_write((struct aiocb *)block);
}

EXPORT int aio_fsync64(int operation, struct aiocb64 *block)
{
    return aio_fsync(operation, (struct aiocb *)block);
}

EXPORT int lio_listio64(int mode, struct aiocb64 *const list[restrict], int count, struct sigevent *restrict notice)
{
    return lio_listio(mode, (struct aiocb *const *)list, count, notice);
}

EXPORT int getaddrinfo_a(int mode, struct gaicb *list[restrict], int count, struct sigevent *restrict notice)
{
    struct sigevent wanted = {.sigev_notify = SIGEV_NONE};
    if (notice)
        wanted = *notice;
    if (!ask(&wanted, NULL, SI_ASYNCNL))
        return EAI_MEMORY;
    return libc.getaddrinfo_a(mode, list, count, notice ? &wanted : NULL);
}

EXPORT int mq_notify(mqd_t queue, const struct sigevent *notice)
{
    if (!notice)
        return libc.mq_notify(queue, NULL);
    struct sigevent wanted = *notice;
    return ask(&wanted, NULL, SI_MESGQ) ? libc.mq_notify(queue, &wanted) : result_without_memory();
}
