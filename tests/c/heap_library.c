/* A library that heap.c loads: its blocks are those of the rank. */
#include <stdlib.h>

void *give(size_t size)
{
    return malloc(size);
}

void take(void *block)
{
    free(block);
}
