/* What each name stands for, and what the loader's own functions tell of it: the same lines as in a process. */
#define _GNU_SOURCE
#include "linking.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int of_program(void) { return 21; }
int shared_name(void) { return 41; }

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    int *found = data;
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const char *start = (const char *)info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && start <= (const char *)visit && (const char *)visit < start + header->p_memsz)
            found[0]++;
    }
    if (slash && strncmp(slash, "/liblinking", 11) == 0)
        found[1]++;
    return 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void names(void)
{
    Dl_info info;
    struct link_map *map = NULL;
    void *address[] = {(char *)(void *)of_program + 1};
    char **lines = backtrace_symbols(address, 1);
    if (dladdr((void *)of_program, &info))
        printf("dladdr %s %d\n", info.dli_sname, info.dli_saddr == (void *)of_program);
    if (dladdr1((void *)plain_one, &info, (void **)&map, RTLD_DL_LINKMAP))
        printf("dladdr1 %s %s\n", last_part(map->l_name), last_part(info.dli_fname));
    printf("backtrace %s\n", lines && strstr(lines[0], "(of_program+0x1) [") ? "names it" : lines[0]);
    free(lines);
}

static void lookups(void)
{
    void *self = dlopen(NULL, RTLD_NOW);
    void *first = dlopen("liblinkingfirst.so", RTLD_NOW);
    struct link_map *map = NULL;
    int (*of)(void) = dlsym(self, "of_program"), (*next)(void) = dlsym(RTLD_NEXT, "of_program");
    int (*old)(void) = dlvsym(RTLD_DEFAULT, "versioned", "FIRST");
    int *variable = first ? dlsym(first, "counter") : NULL;
    printf("dlsym %d %d %d %d\n", of ? of() : -1, next ? next() : -1, old ? old() : -1,
           dlsym(RTLD_DEFAULT, "stdout") != NULL);
    printf("a library again %d\n", variable != NULL);
    printf("its function %d\n", first && ((int (*)(void))dlsym(first, "of_program"))() == 20);
    printf("dlinfo %d\n", first && dlinfo(first, RTLD_DI_LINKMAP, &map) == 0 && map == first);
    dlerror();
    printf("nothing %d", dlsym(self, "no_such_thing") == NULL);
    const char *why = dlerror();
    printf(" %s\n", why && strstr(why, "undefined symbol: no_such_thing") ? "and why" : "without a reason");
    printf("told once %d %d\n", dlerror() == NULL, first ? dlclose(first) : -1);
}

int main(void)
{
    int found[2] = {0, 0};
    printf("plain %d %d %d\n", plain_one(), of_program(), asked_by_library());
    printf("symbolic %d %d\n", own_of_symbolic(), seen_by_other());
    printf("protected %d\n", protected_call());
    printf("versions %d %d\n", versioned(), versioned_by_old());
    printf("weak %d\n", missing != NULL);
    counter++;
    printf("copies %d %d %d\n", *counter_of_library(), table[0](), table[1]());
    dl_iterate_phdr(visit, found);
    printf("objects %d %d\n", found[0], found[1]);
    names();
    lookups();
    return 0;
}
