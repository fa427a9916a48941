/* An allocator that a user puts before a process: it marks its blocks, and aborts if it gets one of another. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

/* What is before a block. */
struct head {
    size_t size;
    uint32_t distance;
    uint32_t mark;
};

static const uint32_t mark = 0x5eed0b10;

static struct head *head_of(void *block)
{
    struct head *head = (struct head *)block - 1;
    if (head->mark != mark) {
        static const char text[] = "a block without the mark\n";
        if (write(2, text, sizeof text - 1) < 0)
            _exit(1);
        abort();
    }
    return head;
}

void *memalign(size_t alignment, size_t size)
{
    size_t distance = alignment < 16 ? 16 : alignment;
    char *whole = size > PTRDIFF_MAX - distance ? NULL : __libc_memalign(distance, distance + size);
    if (!whole) {
        errno = ENOMEM;
        return NULL;
    }
    struct head *head = (struct head *)(whole + distance) - 1;
    *head = (struct head){size, (uint32_t)distance, mark};
    return whole + distance;
}

void *malloc(size_t size)
{
    return memalign(16, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *result = block;
    return 0;
}

void *calloc(size_t count, size_t size)
{
    size_t whole;
    void *block = malloc(__builtin_mul_overflow(count, size, &whole) ? SIZE_MAX : whole);
    /* The compiler must not make another call of calloc of this. */
    for (volatile char *byte = block; block && byte < (char *)block + whole; byte++)
        *byte = 0;
    return block;
}

void free(void *block)
{
    if (block) {
        struct head *head = head_of(block);
        head->mark = 0;
        __libc_free((char *)block - head->distance);
    }
}

void *realloc(void *block, size_t size)
{
    if (!block)
        return malloc(size);
    size_t old = head_of(block)->size;
    void *larger = malloc(size);
    if (larger) {
        memcpy(larger, block, old < size ? old : size);
        free(block);
    }
    return larger;
}

size_t malloc_usable_size(void *block)
{
    return block ? head_of(block)->size : 0;
}
