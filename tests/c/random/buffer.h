/* A buffer in which every byte is known: those that a call must set, and those that it must leave alone. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
    /* What MPI gets, and what shall be there afterwards. */
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

/* What is in the memory now is expected to stay, but for what is then written to `expected`. */
void buffer_expect_as_is(struct buffer *buffer);

/* Fails unless all is as expected. */
void buffer_check(const struct buffer *buffer, const char *name);

#endif
