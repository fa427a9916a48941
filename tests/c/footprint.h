/* What the process takes, as the kernel tells it: fopen shows a rank its own part of the mappings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static FILE *kernels_file(const char *path)
{
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
    return descriptor < 0 ? NULL : fdopen(descriptor, "r");
}

/* Prints the number of its mappings, and the kB of memory that it has written to and shares with no other. */
static inline void tell_footprint(void)
{
    char line[4096];
    long mappings = 0, private_memory = -1;
    FILE *maps = kernels_file("/proc/self/maps"), *sums = kernels_file("/proc/self/smaps_rollup");

    while (maps && fgets(line, sizeof line, maps))
        mappings++;
    while (sums && fgets(line, sizeof line, sums))
        if (strncmp(line, "Private_Dirty:", 14) == 0)
            private_memory = atol(line + 14);
    if (maps)
        fclose(maps);
    if (sums)
        fclose(sums);
    printf("%ld %ld\n", mappings, private_memory);
}
