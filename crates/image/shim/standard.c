/* The standard input as a rank sees it where it reads descriptor 0 itself, as Fortran's run-time does. Rank 0 reads the
 * input of the process, and the others find theirs empty, like /dev/null. */
#include "signals.h"

/* Which file the input of the process is. A rank that puts another file in its place means that file. */
static dev_t input_device;
static ino_t input_number;

void simurgh_note_input(void)
{
    struct stat status;
    if (libc.fstat(STDIN_FILENO, &status) == 0) {
        input_device = status.st_dev;
        input_number = status.st_ino;
    }
}

/* Whether the descriptor is the process's input, which belongs to another rank. */
static bool is_input_of_another(int descriptor)
{
    struct stat status;
    return descriptor == STDIN_FILENO && simurgh_shim_rank.rank != 0 && !simurgh_forked && input_number != 0 &&
           libc.fstat(descriptor, &status) == 0 && status.st_dev == input_device && status.st_ino == input_number;
}

EXPORT ssize_t read(int descriptor, void *bytes, size_t length)
{
    return is_input_of_another(descriptor) ? 0 : libc.read(descriptor, bytes, length);
}

EXPORT ssize_t __read_chk(int descriptor, void *bytes, size_t length, size_t room)
{
    if (length > room)
        libc.abort();
    return read(descriptor, bytes, length);
}

EXPORT ssize_t readv(int descriptor, const struct iovec *parts, int count)
{
    return is_input_of_another(descriptor) ? 0 : libc.readv(descriptor, parts, count);
}

EXPORT int fstat(int descriptor, struct stat *status)
{
    return is_input_of_another(descriptor) ? libc.stat("/dev/null", status) : libc.fstat(descriptor, status);
}

/* On this machine struct stat64 is struct stat. */
extern int fstat64(int, struct stat64 *) EXPORT __attribute__((alias("fstat")));

/* The functions of programs that were linked before glibc 2.33. The kernel's version of the structure is 1. */
EXPORT int __fxstat(int version, int descriptor, struct stat *status)
{
    if (version == 1)
        return fstat(descriptor, status);
    errno = EINVAL;
    return -1;
}

extern int __fxstat64(int, int, struct stat64 *) EXPORT __attribute__((alias("__fxstat")));

EXPORT int isatty(int descriptor)
{
    if (!is_input_of_another(descriptor))
        return libc.isatty(descriptor);
    errno = ENOTTY;
    return 0;
}
