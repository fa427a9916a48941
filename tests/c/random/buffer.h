/* A buffer in which every byte is known: those that a call must set, and those that it must leave alone. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
    /* The memory that MPI gets, and its expected content afterwards. */
    char *memory, *expected;
    size_t bytes;
    /* Where the data begin, from either. */
    size_t origin;
};

/* A buffer with so many bytes before and after its origin. */
struct buffer buffer_made(size_t before, size_t after);
void buffer_free(struct buffer *buffer);

/* Fills it with bytes that mean nothing. */
void buffer_clear(struct buffer *buffer, uint64_t seed);

/* The present content of the memory is expected to stay, except where `expected` is then written. */
void buffer_expect_as_is(struct buffer *buffer);

/* Fails unless all is as expected. */
void buffer_check(const struct buffer *buffer, const char *name);

#endif
