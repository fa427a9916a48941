/* The executable of the tests' host: nothing but room for thread-local variables, as the real one; -DSIZE and
 * -DALIGN say how much. */
#include <dlfcn.h>
#include <stdio.h>

static _Thread_local char reservation[SIZE] __attribute__((aligned(ALIGN), used));

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "image_test_main") : NULL;
    if (!run) {
        fprintf(stderr, "host: %s\n", dlerror());
        return 120;
    }
    return run(argc - 2, argv + 2);
}
