#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char place[512] = "setting up";

void failure_at(const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(place, sizeof place, what, arguments);
    va_end(arguments);
}

_Noreturn void failure(const char *format, ...)
{
    char text[512];
    int rank;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d: %s: %s\n", rank, place, text);
    MPI_Abort(MPI_COMM_WORLD, 99);
    abort();
}

void *allocated(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL)
        failure("no memory for %zu bytes", bytes);
    return memory;
}
