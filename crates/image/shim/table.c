/* The table of libc's functions, which the loader fills in, and their names for the loader. */
#include "shim.h"

/* The table is in a file of its own so that the compiler cannot see the zeros. It lies among data, since code is mapped
 * from a file in which nothing is filled in. It is the first of the data, and begins a page: see build.rs. */
const struct libc_table libc __attribute__((section(".data.rel.ro.local.libc"), aligned(4096))) = {0};

/* Exported under another name, by which the loader writes the master copy. */
extern const struct libc_table simurgh_shim_libc EXPORT __attribute__((alias("libc")));

EXPORT const char simurgh_shim_libc_names[] =
#define LIBC(name) #name "\0"
#define LIBC_AS(field, type, name) name "\0"
#include "libc.def"
    ;
