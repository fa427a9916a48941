/* An allocator such as a program may define for itself: blocks lie one behind the other in mapped memory, each behind
 * its size, and are never used again. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 16 };

static const size_t room = (size_t)2 << 30;
static char *memory;
static size_t used;

/* Whether the block is one of this allocator. */
int owns(const void *block)
{
    return memory && (const char *)block >= memory && (const char *)block < memory + used;
}

static char *start(void)
{
    char *mine = __atomic_load_n(&memory, __ATOMIC_ACQUIRE), *none = NULL;
    if (mine)
        return mine;
    mine = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (__atomic_compare_exchange_n(&memory, &none, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return mine;
    munmap(mine, room);
    return none;
}

void *memalign(size_t alignment, size_t size)
{
    char *first = start();
    if (alignment < HEAD)
        alignment = HEAD;
    if (size > room / 4 || alignment > room / 4) {
        errno = ENOMEM;
        return NULL;
    }
    size_t whole = HEAD + alignment + size, place = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
    if (place + whole > room) {
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t block = ((uintptr_t)first + place + HEAD + alignment - 1) / alignment * alignment;
    ((size_t *)block)[-1] = size;
    return (void *)block;
}

size_t malloc_usable_size(void *block)
{
    return block ? ((size_t *)block)[-1] : 0;
}

void *malloc(size_t size)
{
    return memalign(HEAD, size);
}

/* A block that is not of this allocator is a mistake that is to be seen. */
void free(void *block)
{
    if (block && !owns(block))
        __builtin_trap();
}

void *calloc(size_t count, size_t size)
{
    size_t whole;
    if (!__builtin_mul_overflow(count, size, &whole))
        return malloc(whole);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *block, size_t size)
{
    free(block);
    size_t before = malloc_usable_size(block);
    void *other = malloc(size);
    return other && block ? memcpy(other, block, before < size ? before : size) : other;
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || !alignment)
        return EINVAL;
    void *block = memalign(alignment, size);
    if (!block)
        return ENOMEM;
    *result = block;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

void *valloc(size_t size)
{
    return memalign(4096, size);
}

void *pvalloc(size_t size)
{
    return memalign(4096, (size + 4095) / 4096 * 4096);
}
