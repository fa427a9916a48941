/* Counts what the MPI library allocates: its references to the C library's functions are led here. They go on to that
 * library, since this program's own `malloc` is that of its rank. */
#ifndef COUNT_ALLOCATIONS_H
#define COUNT_ALLOCATIONS_H

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long allocations;

static void *counted_malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

static void *counted_calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

static void *counted_realloc(void *block, size_t size)
{
    allocations++;
    return __libc_realloc(block, size);
}

static int counted_posix_memalign(void **block, size_t alignment, size_t size)
{
    allocations++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

static const struct {
    const char *name;
    void *counted;
} counted_functions[] = {
    {"malloc", counted_malloc},
    {"calloc", counted_calloc},
    {"realloc", counted_realloc},
    {"posix_memalign", counted_posix_memalign},
};

/* Leads one reference to the counting function, if it is to one that is counted; says how many that were. */
static int lead(const struct dl_phdr_info *library, const Elf64_Rela *reference, const char *name)
{
    for (size_t i = 0; i < sizeof counted_functions / sizeof *counted_functions; i++) {
        if (strcmp(name, counted_functions[i].name) != 0)
            continue;
        void **slot = (void **)(library->dlpi_addr + reference->r_offset);
        uintptr_t page = (uintptr_t)slot & -(uintptr_t)sysconf(_SC_PAGESIZE);
        if (mprotect((void *)page, (uintptr_t)(slot + 1) - page, PROT_READ | PROT_WRITE) != 0)
            return 0;
        *slot = counted_functions[i].counted;
        return 1;
    }
    return 0;
}

static int lead_all(const struct dl_phdr_info *library, const Elf64_Rela *references, size_t bytes,
                    const Elf64_Sym *symbols, const char *names)
{
    int led = 0;
    for (const Elf64_Rela *r = references; r < references + bytes / sizeof *r; r++) {
        unsigned type = ELF64_R_TYPE(r->r_info);
        if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
            led += lead(library, r, names + symbols[ELF64_R_SYM(r->r_info)].st_name);
    }
    return led;
}

static int lead_library(struct dl_phdr_info *library, size_t size, void *led)
{
    const Elf64_Dyn *entry = NULL;
    const Elf64_Rela *tables[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    const Elf64_Sym *symbols = NULL;
    const char *names = NULL;
    (void)size;
    if (strstr(library->dlpi_name, "libmpi_abi.so.1") == NULL)
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const Elf64_Dyn *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_RELA: tables[0] = (const Elf64_Rela *)entry->d_un.d_ptr; break;
        case DT_RELASZ: bytes[0] = entry->d_un.d_val; break;
        case DT_JMPREL: tables[1] = (const Elf64_Rela *)entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: bytes[1] = entry->d_un.d_val; break;
        case DT_SYMTAB: symbols = (const Elf64_Sym *)entry->d_un.d_ptr; break;
        case DT_STRTAB: names = (const char *)entry->d_un.d_ptr; break;
        }
    }
    for (int i = 0; i < 2; i++)
        *(int *)led += lead_all(library, tables[i], bytes[i], symbols, names);
    return 0;
}

/* Begins to count, in one rank for all; says how many references are counted. */
static int allocations_count(void)
{
    int led = 0;
    dl_iterate_phdr(lead_library, &led);
    return led;
}

#endif
