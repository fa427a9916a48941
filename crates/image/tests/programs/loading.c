/* A program that loads libraries while it runs: loading FIRST SECOND COPY-OF-FIRST ONE TWO local|global, where ONE and
 * TWO have a variable that exists once. It prints the same in a process and in each rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

int whose(void)
{
    return 1;
}

int of_program = 40;

static int call(void *library, const char *name)
{
    int (*function)(void) = (int (*)(void))dlsym(library, name);
    return function ? function() : -1;
}

static void *count_elsewhere(void *library)
{
    call(library, "count_own");
    return (void *)(long)call(library, "count_own");
}

static void refuse(const char *name, int mode)
{
    void *none = dlopen(name, mode);
    const char *reason = dlerror();
    printf("%s: %d, %s\n", name, none == NULL, reason ? reason : "no reason");
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    char path[4096];
    int mode = RTLD_NOW | (strcmp(argv[6], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
    printf("not there yet %d\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL);
    void *first = dlopen(argv[1], mode), *second = dlopen(argv[2], RTLD_NOW);
    if (!first || !second) {
        printf("%s\n", dlerror());
        return 1;
    }
    printf("the program's comes first %d\n", call(first, "asks_whose"));
    printf("its own by its handle %d\n", call(first, "whose"));
    printf("began with %d\n", call(first, "began_with"));
    call(first, "count");
    printf("state %d\n", call(first, "count"));
    printf("the other one sees %d\n", call(second, "sees_first"));
    printf("everybody sees %d\n", dlsym(RTLD_DEFAULT, "count") != NULL);
    printf("it sees itself %d, next %d\n", call(first, "sees_itself"), call(first, "sees_next"));
    printf("again %d\n", dlopen(argv[1], RTLD_NOW) == first && dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == first);
    printf("by name %d\n", dlopen("libloadingfirst.so", RTLD_NOW | RTLD_NOLOAD) == first);
    char alias[4096];
    snprintf(alias, sizeof alias, "%s/../elsewhere/libloadingfirst.so", dirname(strcpy(path, argv[3])));
    void *copy = dlopen(argv[3], RTLD_NOW);
    printf("by another path %d\n", dlopen(alias, RTLD_NOW | RTLD_NOLOAD) == copy && dlopen(alias, RTLD_NOW) == copy);
    printf("another %d, %d\n", copy != first, copy ? call(copy, "count") : -1);
    pthread_t thread;
    void *counted;
    pthread_create(&thread, NULL, count_elsewhere, first);
    pthread_join(thread, &counted);
    printf("own %d, elsewhere %ld\n", call(first, "count_own"), (long)counted);
    Dl_info info;
    if (dladdr(dlsym(first, "count"), &info))
        printf("%s in %s\n", info.dli_sname, strrchr(info.dli_fname, '/') + 1);
    printf("loaded by a constructor %d\n", call(second, "third_is"));
    call(dlopen(argv[4], RTLD_NOW), "count_common");
    printf("common to both %d\n", call(dlopen(argv[5], RTLD_NOW), "count_common"));
    printf("of the program %d\n", dlopen("", RTLD_NOW) == dlopen(NULL, RTLD_NOW));
    refuse("/no/such/library.so", RTLD_NOW);
    refuse("libnosuchlibrary.so", RTLD_NOW);
    refuse("/proc/self/exe", RTLD_NOW);
    refuse("/etc/passwd", RTLD_NOW);
    refuse("/", RTLD_NOW);
    refuse(argv[3], RTLD_GLOBAL | RTLD_NOLOAD);
    printf("closed %d\n", dlclose(second));
    fflush(stdout);
    return 0;
}
