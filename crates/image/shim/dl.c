/* The dynamic loader as a rank sees it: its program is the main program, and its own libraries are the loaded ones. */
#include "shim.h"

/* The error of the last call that failed here and has not been reported yet. libc reports its own errors. */
static __thread char failure[256];
static __thread bool failed;

static void fail(const char *format, const char *name)
{
    libc.snprintf(failure, sizeof failure, format, name);
    failed = true;
    libc.dlerror(); /* errors of attempts on the way are not reported later */
}

static bool is_ours(void *handle)
{
    return simurgh_shim_rank.image->owns(&simurgh_shim_rank, handle);
}

EXPORT char *dlerror(void)
{
    bool ours = failed;
    failed = false;
    return ours ? failure : libc.dlerror();
}

/* Libraries that the rank has loaded itself, the newest first. They stay until it ends. */
static struct addition *additions;

/* Held while a library is loaded. A constructor may load others. */
static pthread_mutex_t loading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void simurgh_destroy_additions(void)
{
    for (struct addition *a = __atomic_load_n(&additions, __ATOMIC_ACQUIRE); a; a = a->older)
        simurgh_destroy(a->objects, a->object_count);
}

EXPORT void *dlopen(const char *file, int mode)
{
    failed = false;
    if (simurgh_forked) {
        /* The host's locks may be held for ever. */
        void *handle = simurgh_shim_rank.image->open(&simurgh_shim_rank, file, mode | RTLD_NOLOAD, NULL);
        return handle ? handle : libc.dlopen(file, mode);
    }
    struct addition *added = NULL;
    pthread_mutex_lock(&loading);
    void *handle = simurgh_shim_rank.image->open(&simurgh_shim_rank, file, mode, &added);
    if (added) {
        added->older = additions;
        __atomic_store_n(&additions, added, __ATOMIC_RELEASE);
        for (size_t i = 0; i < added->object_count; i++)
            simurgh_construct(&added->objects[i]);
    }
    libc.pthread_mutex_unlock(&loading);
    return handle ? handle : libc.dlopen(file, mode);
}

EXPORT int dlclose(void *handle)
{
    failed = false;
    return is_ours(handle) ? 0 : libc.dlclose(handle);
}

static void *find(void *handle, const char *name, const char *version, const void *caller)
{
    failed = false;
    bool ours = handle == RTLD_DEFAULT || handle == RTLD_NEXT || is_ours(handle);
    if (!ours)
        return version ? libc.dlvsym(handle, name, version) : libc.dlsym(handle, name);
    void *found = simurgh_shim_rank.image->find(&simurgh_shim_rank, handle, name, version, caller);
    if (!found)
        fail("undefined symbol: %s", name);
    return found;
}

EXPORT void *dlsym(void *restrict handle, const char *restrict name)
{
    return find(handle, name, NULL, __builtin_return_address(0));
}

EXPORT void *dlvsym(void *restrict handle, const char *restrict name, const char *restrict version)
{
    return find(handle, name, version, __builtin_return_address(0));
}

EXPORT int dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
    int known = simurgh_shim_rank.image->describe(address, info, extra, flags);
    return known ? known : libc.dladdr1(address, info, extra, flags);
}

EXPORT int dladdr(const void *address, Dl_info *info)
{
    int known = simurgh_shim_rank.image->describe(address, info, NULL, 0);
    return known ? known : libc.dladdr(address, info);
}

EXPORT int dlinfo(void *restrict handle, int request, void *restrict result)
{
    failed = false;
    if (!is_ours(handle))
        return libc.dlinfo(handle, request, result);
    switch (request) {
    case RTLD_DI_LINKMAP:
        *(void **)result = handle;
        return 0;
    case RTLD_DI_LMID:
        *(Lmid_t *)result = LM_ID_BASE;
        return 0;
    default:
        fail("dlinfo: cannot tell that of %s", ((struct link_map *)handle)->l_name);
        return -1;
    }
}

EXPORT int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
    int result = simurgh_shim_rank.image->iterate(&simurgh_shim_rank, visit, data);
    return result ? result : libc.dl_iterate_phdr(visit, data);
}

/* For programs that contain the unwinder (-static-libgcc). */
EXPORT int simurgh_find_object(void *address, void *result) __asm__("_dl_find_object");
int simurgh_find_object(void *address, void *result)
{
    return simurgh_shim_rank.image->find_object(address, result);
}
