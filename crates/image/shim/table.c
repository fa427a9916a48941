/* The table of libc's functions, filled in by the loader, and their names for it. */
#include "shim.h"

/* In a file of its own so that the compiler cannot see the zeros. */
const struct libc_table libc = {0};

/* Exported under another name: the loader writes here, in the master copy. */
extern const struct libc_table simurgh_shim_libc EXPORT __attribute__((alias("libc")));

EXPORT const char simurgh_shim_libc_names[] =
#define LIBC(name) #name "\0"
#define LIBC_AS(field, type, name) name "\0"
#include "libc.def"
    ;
