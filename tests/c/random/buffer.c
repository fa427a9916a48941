#include "buffer.h"

#include "draw.h"
#include "failure.h"

#include <stdlib.h>
#include <string.h>

struct buffer buffer_made(size_t before, size_t after)
{
    struct buffer buffer = {.bytes = before + after, .origin = before};
    buffer.memory = allocated(buffer.bytes);
    buffer.expected = allocated(buffer.bytes);
    return buffer;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->memory);
    free(buffer->expected);
    *buffer = (struct buffer){0};
}

void buffer_clear(struct buffer *buffer, uint64_t seed)
{
    uint64_t value = mixed(seed, 0);
    for (size_t i = 0; i < buffer->bytes; i++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        buffer->memory[i] = (char)(value >> 56);
    }
}

void buffer_expect_as_is(struct buffer *buffer)
{
    memcpy(buffer->expected, buffer->memory, buffer->bytes);
}

void buffer_check(const struct buffer *buffer, const char *name)
{
    if (memcmp(buffer->memory, buffer->expected, buffer->bytes) == 0)
        return;
    size_t at = 0;
    while (buffer->memory[at] == buffer->expected[at])
        at++;
    failure("byte %ld of the %s buffer, of %zu, is %02x and not %02x", (long)at - (long)buffer->origin, name,
            buffer->bytes - buffer->origin, (unsigned char)buffer->memory[at], (unsigned char)buffer->expected[at]);
}
