/* The dynamic loader as a rank sees it: its program is the main program. */
#include "shim.h"

EXPORT void *dlopen(const char *file, int mode)
{
    if (!file)
        return simurgh_shim_rank.handle;
    return libc.dlopen(file, mode);
}

EXPORT int dlclose(void *handle)
{
    return handle == simurgh_shim_rank.handle ? 0 : libc.dlclose(handle);
}

/* With RTLD_NEXT libc looks at the caller's address: the last calls must be jumps, as -Os makes them. */
EXPORT void *dlsym(void *restrict handle, const char *restrict name)
{
    if (handle == RTLD_DEFAULT) {
        void *found = libc.dlsym(simurgh_shim_rank.handle, name);
        if (found)
            return found;
    }
    return libc.dlsym(handle, name);
}

EXPORT void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version)
{
    if (handle == RTLD_DEFAULT) {
        void *found = libc.dlvsym(simurgh_shim_rank.handle, name, version);
        if (found)
            return found;
    }
    return libc.dlvsym(handle, name, version);
}
