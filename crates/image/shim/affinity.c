/* The processors and the stack of the main thread of a rank.
 *
 * The main thread is a coroutine on threads that the host has bound to one core each, and glibc asks the kernel about
 * it by a number that no thread has. So the host says on which processors the rank may compute, and where its stack is.
 * This set belongs to the main thread: threads that it starts, and children, inherit it, and it may be changed like
 * that of a thread. The host alone decides which of its threads runs the main thread. */
#include "shim.h"
#include <sys/syscall.h>

enum { WORDS = sizeof(cpu_set_t) / sizeof(unsigned long) };

static unsigned long *words_of(cpu_set_t *set)
{
    return (unsigned long *)set;
}

/* Whether the host has given a set. Without one the main thread is treated as an ordinary one. */
static bool has_processors(void)
{
    for (int i = 0; i < WORDS; i++)
        if (words_of(&simurgh_shim_rank.processors)[i])
            return !simurgh_forked;
    return false;
}

static bool is_main_thread(pthread_t thread)
{
    return thread == simurgh_shim_rank.main_thread && has_processors();
}

/* Whether a kernel's thread number means the main thread. In a process the main thread has the number of the process.
 * */
static bool is_main_number(pid_t number)
{
    if (!has_processors())
        return false;
    if (number == simurgh_shim_rank.host_pid)
        return true;
    return simurgh_on_main() && (number == 0 || number == (pid_t)libc.syscall(SYS_gettid));
}

static void copy_processors(size_t size, cpu_set_t *set)
{
    const unsigned char *own = (const unsigned char *)&simurgh_shim_rank.processors;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)set)[i] = i < sizeof simurgh_shim_rank.processors ? own[i] : 0;
}

/* Reports the set as the kernel does: it is an error if the caller's set is too small for the kernel's. */
static int tell_processors(size_t size, cpu_set_t *set)
{
    if (libc.syscall(SYS_sched_getaffinity, 0, size, set) < 0)
        return errno;
    copy_processors(size, set);
    return 0;
}

static int take_processors(size_t size, const cpu_set_t *set)
{
    cpu_set_t taken = {{0}};
    if (!set)
        return EFAULT;
    /* The processors that this process may use at all. */
    if (libc.sched_getaffinity(simurgh_shim_rank.host_pid, sizeof taken, &taken) != 0)
        return errno;
    bool any = false;
    for (size_t i = 0; i < sizeof taken; i++) {
        ((unsigned char *)&taken)[i] &= i < size ? ((const unsigned char *)set)[i] : 0;
        any |= ((unsigned char *)&taken)[i] != 0;
    }
    if (!any)
        return EINVAL;
    simurgh_shim_rank.processors = taken;
    return 0;
}

static int as_system_call(int error)
{
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    return is_main_thread(thread) ? tell_processors(size, set) : libc.pthread_getaffinity_np(thread, size, set);
}

EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    return is_main_thread(thread) ? take_processors(size, set) : libc.pthread_setaffinity_np(thread, size, set);
}

EXPORT int sched_getaffinity(pid_t number, size_t size, cpu_set_t *set)
{
    return is_main_number(number) ? as_system_call(tell_processors(size, set))
                                  : libc.sched_getaffinity(number, size, set);
}

EXPORT int sched_setaffinity(pid_t number, size_t size, const cpu_set_t *set)
{
    return is_main_number(number) ? as_system_call(take_processors(size, set))
                                  : libc.sched_setaffinity(number, size, set);
}

static __attribute__((noinline)) long call_about_processors(long call, pid_t number, size_t size, cpu_set_t *set)
{
    if (!is_main_number(number))
        return libc.syscall(call, number, size, set);
    if (call == SYS_sched_setaffinity)
        return as_system_call(take_processors(size, set));
    /* The length of the kernel's set. The rest of the caller's set stays as it is. */
    long length = libc.syscall(call, 0, size, set);
    if (length > 0)
        copy_processors((size_t)length, set);
    return length;
}

/* The kernel's calls by number. LLVM's OpenMP asks for its processors so, and binds the main thread so. All other calls
 * are passed on to libc, with registers and stack as they are. The seventh argument is on the caller's stack, where it
 * stays, since the last call is a jump. */
typedef long system_call(long, long, long, long, long, long);

EXPORT system_call call_by_number __asm__("syscall");

long call_by_number(long call, long first, long second, long third, long fourth, long fifth)
{
    if (call == SYS_sched_setaffinity || call == SYS_sched_getaffinity)
        return call_about_processors(call, (pid_t)first, (size_t)second, (cpu_set_t *)third);
    return ((system_call *)libc.syscall)(call, first, second, third, fourth, fifth);
}

EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    const struct rank_record *rank = &simurgh_shim_rank;
    if (!is_main_thread(thread) || !rank->stack)
        return libc.pthread_getattr_np(thread, attributes);
    int error = libc.pthread_attr_init(attributes);
    if (!error)
        error = libc.pthread_attr_setstack(attributes, rank->stack, rank->stack_size);
    if (!error)
        error = libc.pthread_attr_setaffinity_np(attributes, sizeof rank->processors, &rank->processors);
    return error;
}

bool simurgh_same_processors(cpu_set_t *some, cpu_set_t *others)
{
    for (int i = 0; i < WORDS; i++)
        if (words_of(some)[i] != words_of(others)[i])
            return false;
    return true;
}

/* The set with which a thread begins that the caller starts. None if the system or the attributes determine it. */
bool simurgh_inherit_processors(const pthread_attr_t *attributes, cpu_set_t *set)
{
    if (!has_processors() || !simurgh_on_main())
        return false;
    *set = simurgh_shim_rank.processors;
    cpu_set_t wanted;
    if (!attributes || libc.pthread_attr_getaffinity_np(attributes, sizeof wanted, &wanted) != 0)
        return true;
    /* All bits, also those of processors that no machine has, mean that no set was given. */
    for (int i = 0; i < WORDS; i++)
        if (words_of(&wanted)[i] != ~0ul)
            return false;
    return true;
}

/* Children inherit the processors of the thread that makes them. The thread that runs the main thread is bound to one
 * processor, so it gets those of the rank meanwhile. A signal handler may move the main thread to another thread, so
 * the thread gets its own processors back by number. */
struct simurgh_lent simurgh_lend_processors(void)
{
    struct simurgh_lent lent = {0};
    cpu_set_t processors;
    if (!simurgh_inherit_processors(NULL, &processors))
        return lent;
    pid_t thread = (pid_t)libc.syscall(SYS_gettid);
    if (libc.sched_getaffinity(thread, sizeof lent.before, &lent.before) == 0 &&
        libc.sched_setaffinity(thread, sizeof processors, &processors) == 0)
        lent.thread = thread;
    return lent;
}

void simurgh_take_processors_back(const struct simurgh_lent *lent)
{
    int error = errno;
    if (lent->thread)
        libc.sched_setaffinity(lent->thread, sizeof lent->before, &lent->before);
    errno = error;
}

/* Called in the child of a vfork, which is about to become another program. The child may run wherever the rank may. */
void simurgh_leave_processor(void)
{
    cpu_set_t processors;
    if (libc.getpid() != simurgh_shim_rank.host_pid && simurgh_inherit_processors(NULL, &processors))
        libc.sched_setaffinity(0, sizeof processors, &processors);
}
