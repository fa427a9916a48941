/* The information of a process about itself in /proc and in its auxiliary vector. The kernel would show a rank the
 * host: the host's program, arguments and mapped memory. What OpenMP writes down about the process is treated alike. */
#include "shim.h"
#include <elf.h>
#include <limits.h>

static int argument_count;
static char **arguments;
static const Elf64_auxv_t *auxiliary_vector;

/* Called with the data that the kernel would have put on the stack: the arguments, the environment, the vector. */
void simurgh_note_start(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    char **environment = argv + argc + 1;
    while (*environment)
        environment++;
    auxiliary_vector = (const Elf64_auxv_t *)(environment + 1);
}

enum own { NOT_OWN, EXE, CMDLINE, MAPS, REGISTRATION };

/* The rest of a path behind `front`; NULL if the path does not begin so. */
static const char *behind(const char *path, const char *front)
{
    size_t length = libc.strlen(front);
    return libc.strncmp(path, front, length) == 0 ? path + length : NULL;
}

/* The rest of a path behind the number of this process and a slash. */
static const char *behind_number(const char *path)
{
    long number = 0;
    for (; *path >= '0' && *path <= '9' && number < INT_MAX; path++)
        number = number * 10 + (*path - '0');
    return *path == '/' && number == libc.getpid() ? path + 1 : NULL;
}

static bool is(const char *path, const char *name)
{
    const char *rest = behind(path, name);
    return rest && !*rest;
}

static enum own own_file(const char *path)
{
    if (!path)
        return NOT_OWN;
    const char *rest = behind(path, "/proc/");
    if (!rest)
        return simurgh_is_registration(path, "/tmp") ? REGISTRATION : NOT_OWN;
    const char *file = behind(rest, "self/");
    if (!file)
        file = behind(rest, "thread-self/");
    if (!file)
        file = behind_number(rest);
    if (!file)
        return NOT_OWN;
    return is(file, "exe") ? EXE : is(file, "cmdline") ? CMDLINE : is(file, "maps") ? MAPS : NOT_OWN;
}

/* The path itself, or that of the rank's program if the path is the link to the process's program. */
const char *simurgh_program_at(const char *path)
{
    return own_file(path) == EXE ? simurgh_shim_rank.program : path;
}

/* Opens the arguments as they are now. A program may have written into them. */
static int open_arguments(void)
{
    int descriptor = libc.memfd_create("cmdline", MFD_CLOEXEC);
    if (descriptor < 0)
        return -1;
    for (int i = 0; i < argument_count; i++)
        if (libc.write(descriptor, arguments[i], libc.strlen(arguments[i]) + 1) < 0) {
            libc.close(descriptor);
            return -1;
        }
    libc.lseek64(descriptor, 0, SEEK_SET);
    return descriptor;
}

static int open_maps(void)
{
    int descriptor = simurgh_shim_rank.open_maps(&simurgh_shim_rank);
    if (descriptor >= 0)
        return descriptor;
    errno = -descriptor;
    return -1;
}

/* Opens one of the files that are the rank's own. Returns a descriptor, -1, or SIMURGH_NOT_OWN. */
int simurgh_open_own(const char *path, int flags)
{
    enum own own = own_file(path);
    if (own == NOT_OWN)
        return SIMURGH_NOT_OWN;
    if (own == EXE)
        return libc.open(simurgh_shim_rank.program, flags);
    int descriptor = own == CMDLINE ? open_arguments() : own == MAPS ? open_maps() : simurgh_open_registration(flags);
    if (descriptor >= 0 && !(flags & O_CLOEXEC))
        libc.fcntl(descriptor, F_SETFD, 0);
    return descriptor;
}

/* The mode, an argument behind `flags` that is passed only if a file may be made. */
#define MODE(flags, mode)                                  \
    mode_t mode = 0;                                       \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list list;                                      \
        va_start(list, flags);                             \
        mode = va_arg(list, mode_t);                       \
        va_end(list);                                      \
    }

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    int own = simurgh_open_own(path, flags);
    return own == SIMURGH_NOT_OWN ? libc.openat(folder, path, flags, mode) : own;
}

EXPORT int open(const char *path, int flags, ...)
{
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
    MODE(flags, mode)
    return open_at(folder, path, flags, mode);
}

extern int open64(const char *, int, ...) EXPORT __attribute__((alias("open")));
extern int openat64(int, const char *, int, ...) EXPORT __attribute__((alias("openat")));

/* The functions that programs call which were compiled with checks. */
EXPORT int __open_2(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0);
}

EXPORT int __openat_2(int folder, const char *path, int flags)
{
    return open_at(folder, path, flags, 0);
}

extern int __open64_2(const char *, int) EXPORT __attribute__((alias("__open_2")));
extern int __openat64_2(int, const char *, int) EXPORT __attribute__((alias("__openat_2")));

static ssize_t copy_program(char *buffer, size_t size)
{
    size_t length = libc.strlen(simurgh_shim_rank.program);
    if (length > size)
        length = size;
    libc.memcpy(buffer, simurgh_shim_rank.program, length);
    return (ssize_t)length;
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    return own_file(path) == EXE ? copy_program(buffer, size) : libc.readlink(path, buffer, size);
}

EXPORT ssize_t readlinkat(int folder, const char *restrict path, char *restrict buffer, size_t size)
{
    return own_file(path) == EXE ? copy_program(buffer, size) : libc.readlinkat(folder, path, buffer, size);
}

EXPORT ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t room)
{
    if (size > room)
        libc.abort();
    return readlink(path, buffer, size);
}

EXPORT ssize_t __readlinkat_chk(int folder, const char *path, char *buffer, size_t size, size_t room)
{
    if (size > room)
        libc.abort();
    return readlinkat(folder, path, buffer, size);
}

EXPORT char *realpath(const char *restrict path, char *restrict resolved)
{
    return libc.realpath(simurgh_program_at(path), resolved);
}

EXPORT char *__realpath_chk(const char *path, char *resolved, size_t room)
{
    if (room < PATH_MAX)
        libc.abort();
    return realpath(path, resolved);
}

EXPORT char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    simurgh_leave_processor();
    return libc.execve(simurgh_program_at(path), argv, envp);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    simurgh_leave_processor();
    return libc.execvpe(simurgh_program_at(file), argv, envp);
}

EXPORT int posix_spawn(pid_t *restrict child, const char *restrict path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *restrict attributes, char *const argv[], char *const envp[])
{
    struct simurgh_lent lent = simurgh_lend_processors();
    int error = libc.posix_spawn(child, simurgh_program_at(path), actions, attributes, argv, envp);
    simurgh_take_processors_back(&lent);
    return error;
}

EXPORT int posix_spawnp(pid_t *restrict child, const char *restrict file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *restrict attributes, char *const argv[], char *const envp[])
{
    struct simurgh_lent lent = simurgh_lend_processors();
    int error = libc.posix_spawnp(child, simurgh_program_at(file), actions, attributes, argv, envp);
    simurgh_take_processors_back(&lent);
    return error;
}

EXPORT unsigned long getauxval(unsigned long type)
{
    for (const Elf64_auxv_t *entry = auxiliary_vector; entry && entry->a_type != AT_NULL; entry++)
        if (entry->a_type == type)
            return entry->a_un.a_val;
    return libc.getauxval(type);
}
