/* Long blocks in huge pages that are reserved (mpiexec --huge-pages). The argument is the size of the pages in KiB that
 * they are expected in, or nothing where none are reserved. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 12 << 20 };

/* The size in KiB of the pages at an address. */
static long page_size(const char *address)
{
    char line[256];
    unsigned long start, end;
    long size = 0, found = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2 && strchr(line, '-') != NULL && strstr(line, "kB") == NULL)
            found = start <= (unsigned long)address && (unsigned long)address < end;
        if (found && sscanf(line, "KernelPageSize: %ld kB", &size) == 1)
            break;
    }
    if (maps != NULL)
        fclose(maps);
    return size;
}

int main(int argc, char **argv)
{
    int is_fine = 1;
    MPI_Init(&argc, &argv);
    long expected = argc > 1 ? atol(argv[1]) : 0;
    for (int round = 0; round < 20; round++) {
        char *block = round % 2 == 0 ? malloc(SIZE) : calloc(1, SIZE);
        for (int i = 0; round % 2 != 0 && i < SIZE; i += 1024)
            is_fine &= block[i] == 0;
        memset(block, round, SIZE);
        if (expected != 0 && page_size(block + SIZE / 2) != expected) {
            printf("pages of %ld KiB, expected %ld\n", page_size(block + SIZE / 2), expected);
            is_fine = 0;
        }
        char *other = malloc(SIZE);
        memset(other, 1, SIZE);
        block = realloc(block, 2 * SIZE);
        is_fine &= block[0] == round && block[SIZE - 1] == round;
        memset(block, 2, 2 * SIZE);
        free(other);
        free(block);
    }
    if (is_fine)
        printf("pages OK\n");
    MPI_Finalize();
    return is_fine ? 0 : 1;
}
