/* pthread_atfork. libc has one list for the process, whose functions would be called whichever rank forks. */
#include "shim.h"

struct at_fork {
    void (*before)(void), (*in_parent)(void), (*in_child)(void);
    struct at_fork *older;
};

static struct at_fork *newest;

EXPORT int __register_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void), void *object)
{
    (void)object; /* dlclose unloads nothing */
    struct at_fork *entry = libc.malloc(sizeof *entry);
    if (!entry)
        return ENOMEM;
    *entry = (struct at_fork){before, in_parent, in_child, __atomic_load_n(&newest, __ATOMIC_RELAXED)};
    while (!__atomic_compare_exchange_n(&newest, &entry->older, entry, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return 0;
}

EXPORT int pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    return __register_atfork(before, in_parent, in_child, NULL);
}

/* The latest function comes first. */
void simurgh_before_fork(void)
{
    for (struct at_fork *entry = __atomic_load_n(&newest, __ATOMIC_ACQUIRE); entry; entry = entry->older)
        if (entry->before)
            entry->before();
}

/* The earliest function comes first. */
static void after(const struct at_fork *entry, bool is_child)
{
    if (!entry)
        return;
    after(entry->older, is_child);
    void (*function)(void) = is_child ? entry->in_child : entry->in_parent;
    if (function)
        function();
}

void simurgh_after_fork(bool is_child)
{
    after(__atomic_load_n(&newest, __ATOMIC_ACQUIRE), is_child);
}
