/* The registration of LLVM's OpenMP library, which is one for each process where ranks need one for each.
 *
 * The library makes a shared memory object, or a file in /tmp where there is no /dev/shm, that is named after the
 * process. It writes into it who it is, and reads it back: another name there means a second copy of the library in the
 * process, which ends the process. Here each rank has a copy. A rank that came second could also open the file before
 * the first one had set its length, and then read behind the end of an empty file. So what a rank makes in such a place
 * has no name, and no other rank finds it. */
#include "shim.h"

bool simurgh_is_registration(const char *path, const char *folder)
{
    static const char name[] = "/__KMP_REGISTERED_LIB_";
    size_t length = libc.strlen(folder);
    return !simurgh_forked && libc.strncmp(path, folder, length) == 0 &&
           libc.strncmp(path + length, name, sizeof name - 1) == 0;
}

int simurgh_open_registration(int flags)
{
    if (flags & O_CREAT)
        return libc.memfd_create("OpenMP", MFD_CLOEXEC);
    errno = ENOENT;
    return -1;
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    return simurgh_is_registration(name, "") ? simurgh_open_registration(flags) : libc.shm_open(name, flags, mode);
}
