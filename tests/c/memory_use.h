/* How much memory a rank has, for tests that make very many objects. Includes come first: mpi_check.h. */
#ifndef MEMORY_USE_H
#define MEMORY_USE_H

#include <malloc.h>

enum { PAGE = 4096 };

static long resident_pages(void)
{
    long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm && fscanf(statm, "%*d %ld", &pages) == 1);
    fclose(statm);
    return pages;
}

/* Bytes of the heap that are in use. */
static long live_bytes(void)
{
    struct mallinfo2 heap = mallinfo2();
    return (long)heap.uordblks + (long)heap.hblkhd;
}

#endif
