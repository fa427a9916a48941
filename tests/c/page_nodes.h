/* The NUMA nodes on which the pages of memory are. The file that includes it defines _GNU_SOURCE. */
#ifndef PAGE_NODES_H
#define PAGE_NODES_H

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NODES = 8, PAGE = 4096 };

static inline int own_node(void)
{
    unsigned node = 0;
    syscall(SYS_getcpu, NULL, &node, NULL);
    return (int)node;
}

/* Counts the pages that lie wholly in a block, by node. */
static inline void count(char *block, size_t size, long counts[NODES])
{
    char *end = block + size;
    char *page = (char *)(((size_t)block + PAGE - 1) / PAGE * PAGE);
    for (; page + PAGE <= end; page += PAGE) {
        void *address = page;
        int node = -1;
        if (syscall(SYS_move_pages, 0, 1UL, &address, NULL, &node, 0) == 0 && node >= 0 && node < NODES)
            counts[node]++;
    }
}

static inline int all_on(const long counts[NODES], int node)
{
    for (int other = 0; other < NODES; other++)
        if (other != node && counts[other] != 0)
            return 0;
    return node >= 0 && node < NODES && counts[node] != 0;
}

/* Whether pages are on several nodes, on none of them more than so many times those of another. */
static inline int alike(const long counts[NODES], double times)
{
    long least = 0, most = 0;
    int nodes = 0;
    for (int node = 0; node < NODES; node++) {
        if (counts[node] == 0)
            continue;
        least = nodes == 0 || counts[node] < least ? counts[node] : least;
        most = counts[node] > most ? counts[node] : most;
        nodes++;
    }
    return nodes > 1 && most <= least * times;
}

#endif
