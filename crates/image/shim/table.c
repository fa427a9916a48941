/* The table of libc's functions, filled in by the loader, and their names for it. */
#include "shim.h"

/* In a file of its own so that the compiler cannot see the zeros. It lies among data: code is mapped from a file in
 * which nothing is filled in. */
const struct libc_table libc __attribute__((section(".data.rel.ro.libc"))) = {0};

/* Exported under another name: the loader writes here, in the master copy. */
extern const struct libc_table simurgh_shim_libc EXPORT __attribute__((alias("libc")));

EXPORT const char simurgh_shim_libc_names[] =
#define LIBC(name) #name "\0"
#define LIBC_AS(field, type, name) name "\0"
#include "libc.def"
    ;
