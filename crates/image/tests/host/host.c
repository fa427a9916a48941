/* The executable of the tests' host: room for thread-local variables (-DSIZE and -DALIGN say how much), and the
 * functions by which images are found, as the real one has them (launcher/host). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

static _Thread_local char reservation[SIZE] __attribute__((aligned(ALIGN), used));

typedef int visit_function(struct dl_phdr_info *, size_t, void *);
typedef int find_function(void *, struct dl_find_object *);
typedef int iterate_function(visit_function *, void *);

struct {
    find_function *find_object;
    int (*iterate)(iterate_function *, visit_function *, void *);
} simurgh_host_interposed;

static find_function *loader_find_object;
static iterate_function *loader_iterate;

int _dl_find_object(void *address, struct dl_find_object *result)
{
    if (simurgh_host_interposed.find_object && simurgh_host_interposed.find_object(address, result) == 0)
        return 0;
    return loader_find_object(address, result);
}

int dl_iterate_phdr(visit_function *visit, void *data)
{
    if (simurgh_host_interposed.iterate)
        return simurgh_host_interposed.iterate(loader_iterate, visit, data);
    return loader_iterate(visit, data);
}

int main(int argc, char **argv)
{
    loader_find_object = (find_function *)dlsym(RTLD_NEXT, "_dl_find_object");
    loader_iterate = (iterate_function *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "image_test_main") : NULL;
    if (!run) {
        fprintf(stderr, "host: %s\n", dlerror());
        return 120;
    }
    return run(argc - 2, argv + 2);
}
