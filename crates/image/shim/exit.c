/* The end of a rank: exit and its relatives, and the handlers that run then.
 *
 * On the rank's main context exit() runs the handlers and returns control to the host. On another thread of the rank it
 * runs them there, tells the host (the rank counts as ended), and ends that thread. When the main context reaches
 * exit() later, it leaves with the status given then. */
#include "signals.h"
#include <linux/futex.h>
#include <sys/syscall.h>

/* Of OpenMP 5.0. */
extern int omp_pause_resource_all(int kind) __attribute__((weak));

enum handler_kind { PLAIN, WITH_STATUS };

struct handler {
    enum handler_kind kind;
    union {
        void (*plain)(void *, int);
        void (*with_status)(int, void *);
        void *any; /* NULL: has run */
    } function;
    void *argument;
    void *object;
};

struct handler_list {
    struct handler *items;
    size_t count, capacity;
};

static pthread_mutex_t handlers_lock;
static struct handler_list exit_handlers, quick_exit_handlers;

enum exit_phase { RUNNING, EXITING, EXITED };
static int phase = RUNNING;
static pthread_t exiting_thread;
static int exit_status;

static int add_handler(struct handler_list *list, struct handler handler)
{
    int failed = 0;
    libc.pthread_mutex_lock(&handlers_lock);
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        struct handler *items = libc.realloc(list->items, capacity * sizeof *items);
        if (items)
            list->items = items, list->capacity = capacity;
        else
            failed = -1;
    }
    if (!failed)
        list->items[list->count++] = handler;
    libc.pthread_mutex_unlock(&handlers_lock);
    return failed;
}

EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    /* The status is passed to handlers as second argument, as libc does. */
    return add_handler(&exit_handlers, (struct handler){PLAIN, {.any = (void *)function}, argument, object});
}

EXPORT int atexit(void (*function)(void))
{
    return __cxa_atexit((void (*)(void *))function, NULL, NULL);
}

EXPORT int on_exit(void (*function)(int, void *), void *argument)
{
    return add_handler(&exit_handlers, (struct handler){WITH_STATUS, {.with_status = function}, argument, NULL});
}

EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *object)
{
    return add_handler(&quick_exit_handlers, (struct handler){PLAIN, {.any = (void *)function}, NULL, object});
}

EXPORT int at_quick_exit(void (*function)(void))
{
    return __cxa_at_quick_exit((void (*)(void *))function, NULL);
}

/* Takes the latest handler that has not run yet (of one object, if one is given). */
static bool take_handler(struct handler_list *list, void *object, struct handler *taken)
{
    bool found = false;
    libc.pthread_mutex_lock(&handlers_lock);
    for (size_t i = list->count; i-- > 0 && !found;) {
        struct handler *handler = &list->items[i];
        if (handler->function.any && (!object || handler->object == object)) {
            *taken = *handler;
            handler->function.any = NULL;
            found = true;
        }
    }
    while (list->count > 0 && !list->items[list->count - 1].function.any)
        list->count--;
    libc.pthread_mutex_unlock(&handlers_lock);
    return found;
}

static void run_handlers(struct handler_list *list, void *object)
{
    struct handler handler;
    while (take_handler(list, object, &handler)) {
        if (handler.kind == PLAIN)
            handler.function.plain(handler.argument, exit_status);
        else
            handler.function.with_status(exit_status, handler.argument);
    }
}

EXPORT void __cxa_finalize(void *object)
{
    run_handlers(&exit_handlers, object);
}

/* Runs destructors, in the reverse order of the constructors. */
void simurgh_destroy(const struct object_code *objects, size_t count)
{
    while (count-- > 0) {
        const struct object_code *object = &objects[count];
        for (size_t i = object->fini_count; i-- > 0;)
            object->fini_array[i]();
        if (object->fini)
            object->fini();
    }
}

bool simurgh_on_main(void)
{
    return libc.pthread_self() == simurgh_shim_rank.main_thread;
}

static bool in_child_process(void)
{
    return libc.getpid() != simurgh_shim_rank.host_pid;
}

static void futex(int *word, int operation, int value)
{
    libc.syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Ends the threads of OpenMP's run-time, if the program has it: they wait for work for ever. A process would end them,
 * and they would keep the rank's memory. It does nothing within a parallel region. */
static void end_openmp(void)
{
    enum { HARD = 2 };
    if (omp_pause_resource_all && simurgh_on_main() && !in_child_process())
        omp_pause_resource_all(HARD);
}

bool simurgh_has_exited(void)
{
    return __atomic_load_n(&phase, __ATOMIC_ACQUIRE) == EXITED;
}

/* Claims the right to end the rank. A second caller, on another thread, does not return. */
static void claim_exit(void)
{
    int expected = RUNNING;
    if (__atomic_compare_exchange_n(&phase, &expected, EXITING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        exiting_thread = libc.pthread_self();
        return;
    }
    if (expected == EXITING && exiting_thread == libc.pthread_self())
        return; /* exit() called by an exit handler: the remaining ones still run */
    if (!simurgh_on_main())
        libc.pthread_exit(NULL);
    while ((expected = __atomic_load_n(&phase, __ATOMIC_ACQUIRE)) != EXITED)
        futex(&phase, FUTEX_WAIT, expected);
    simurgh_leave(exit_status, simurgh_shim_rank.saved_stack);
}

__attribute__((noreturn)) static void finish(void)
{
    if (in_child_process())
        libc._exit(exit_status);
    __atomic_store_n(&phase, EXITED, __ATOMIC_RELEASE);
    simurgh_end_rank_signals();
    if (simurgh_on_main())
        simurgh_leave(exit_status, simurgh_shim_rank.saved_stack);
    futex(&phase, FUTEX_WAKE, INT32_MAX);
    simurgh_shim_rank.hooks->exited_elsewhere(simurgh_shim_rank.user, exit_status);
    libc.pthread_exit(NULL);
}

EXPORT void exit(int status)
{
    claim_exit();
    exit_status = status;
    simurgh_run_thread_destructors();
    run_handlers(&exit_handlers, NULL);
    end_openmp();
    simurgh_destroy_additions();
    simurgh_destroy(simurgh_shim_rank.objects, simurgh_shim_rank.object_count);
    simurgh_flush_streams();
    finish();
}

EXPORT void _exit(int status)
{
    /* This comes first: the child of a vfork shares all memory and must change nothing. */
    if (in_child_process())
        libc._exit(status);
    claim_exit();
    exit_status = status;
    finish();
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

EXPORT void quick_exit(int status)
{
    claim_exit();
    exit_status = status;
    run_handlers(&quick_exit_handlers, NULL);
    finish();
}

EXPORT void abort(void)
{
    if (!simurgh_forked)
        simurgh_handle_abort();
    simurgh_flush_streams();
    libc.abort();
}
