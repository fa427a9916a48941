/* brk and sbrk. The data segment of the process is libc's, which moves its end without a lock that others could take.
 * So each rank has a data segment of its own: a range of addresses, of which it touches what it uses. */
#include "shim.h"

/* The sizes that are tried, the largest first. */
static const size_t sizes[] = {(size_t)16 << 30, (size_t)1 << 30, (size_t)64 << 20};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *start, *end, *limit;

static bool reserve(void)
{
    const struct rank_record *rank = &simurgh_shim_rank;
    if (!start && rank->data_size) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
        if (libc.mmap(rank->data_segment, rank->data_size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
            return false;
        start = end = rank->data_segment;
        limit = end + rank->data_size;
    }
    for (size_t i = 0; !start && i < sizeof sizes / sizeof *sizes; i++) {
        void *range = libc.mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                -1, 0);
        if (range != MAP_FAILED) {
            start = end = range;
            limit = end + sizes[i];
        }
    }
    return start;
}

/* Memory above the end is zero, also where it has been below the end before. */
static bool move_to(char *place)
{
    if (place < start || place > limit)
        return false;
    for (char *byte = place; byte < end; byte++)
        *byte = 0;
    end = place;
    return true;
}

EXPORT void *sbrk(intptr_t distance)
{
    libc.pthread_mutex_lock(&lock);
    char *before = reserve() ? end : NULL;
    bool is_possible = before && distance <= limit - before && distance >= start - before;
    if (is_possible)
        move_to(before + distance);
    libc.pthread_mutex_unlock(&lock);
    if (is_possible)
        return before;
    errno = ENOMEM;
    return (void *)-1;
}

extern void *__sbrk(intptr_t) EXPORT __attribute__((alias("sbrk"), nothrow, leaf));

EXPORT int brk(void *place)
{
    libc.pthread_mutex_lock(&lock);
    bool is_possible = reserve() && move_to(place);
    libc.pthread_mutex_unlock(&lock);
    if (is_possible)
        return 0;
    errno = ENOMEM;
    return -1;
}
