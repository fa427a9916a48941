/* open_memstream for programs with their own malloc, which free the block that the stream has been written to. */
#include "shim.h"

#pragma weak malloc
#pragma weak realloc

struct memory_stream {
    char **text;   /* where the program finds the block, */
    size_t *size;  /* and what is in it before the place of the next write */
    char *block;
    size_t room;   /* of the block, without the zero at the end */
    size_t place, end;
};

static void tell(const struct memory_stream *stream)
{
    *stream->text = stream->block;
    *stream->size = stream->place < stream->end ? stream->place : stream->end;
}

/* Gives the block room for so many bytes and a zero. What is new is zero. */
static bool give_room(struct memory_stream *stream, size_t room)
{
    if (room <= stream->room)
        return true;
    if (room < stream->room * 2)
        room = stream->room * 2;
    char *block = realloc(stream->block, room + 1);
    if (!block)
        return false;
    for (size_t i = stream->room + 1; i <= room; i++)
        block[i] = 0;
    stream->block = block;
    stream->room = room;
    return true;
}

static ssize_t write_to(void *cookie, const char *bytes, size_t count)
{
    struct memory_stream *stream = cookie;
    size_t end;
    if (__builtin_add_overflow(stream->place, count, &end) || !give_room(stream, end))
        return 0;
    libc.memcpy(stream->block + stream->place, bytes, count);
    stream->place = end;
    if (end > stream->end) {
        stream->end = end;
        stream->block[end] = '\0';
    }
    tell(stream);
    return (ssize_t)count;
}

static int seek_in(void *cookie, off64_t *distance, int from)
{
    struct memory_stream *stream = cookie;
    off64_t start = from == SEEK_SET ? 0 : (off64_t)(from == SEEK_CUR ? stream->place : stream->end);
    off64_t place;
    if (__builtin_add_overflow(start, *distance, &place) || place < 0) {
        errno = EINVAL;
        return -1;
    }
    stream->place = (size_t)place;
    *distance = place;
    tell(stream);
    return 0;
}

static int close_it(void *cookie)
{
    tell(cookie);
    libc.free(cookie);
    return 0;
}

EXPORT FILE *OWN_BLOCK(open_memstream)(char **text, size_t *size)
{
    struct memory_stream *stream = libc.malloc(sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct memory_stream){.text = text, .size = size, .block = malloc(1)};
    cookie_io_functions_t functions = {.write = write_to, .seek = seek_in, .close = close_it};
    FILE *file = stream->block ? libc.fopencookie(stream, "w", functions) : NULL;
    if (!file) {
        libc.free(stream);
        return NULL;
    }
    *stream->block = '\0';
    tell(stream);
    return file;
}
