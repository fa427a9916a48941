/* Loads libraries with parts in Fortran one by one, as Python does with its modules: loads_fortran local|global
 * LIBRARY… Each of them says whether its calls of MPI had the right results. */
#include "mpi_check.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int mode = RTLD_NOW | (strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
    for (int i = 2; i < argc; i++) {
        void *library = dlopen(argv[i], mode);
        if (!library)
            fprintf(stderr, "%s\n", dlerror());
        CHECK(library);
        int (*works)(void) = (int (*)(void))dlsym(library, "works");
        CHECK(works && works());
    }
    return check_end();
}
