/* The memory of a rank follows it to another node. The ranks on node 0 compute, and all others wait, so that their
 * virtual processors take some of the former. Such a rank expects that its memory comes to its new node: what it has
 * allocated, its stack, and its variables. The argument is the limit in seconds. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, SMALL = 1000, LONG = 4 << 20, STACK = 256 << 10, DATA = 512 << 10 };

static char data[DATA];

static int own_node(void)
{
    unsigned node = 0;
    syscall(SYS_getcpu, NULL, &node, NULL);
    return (int)node;
}

/* The number of pages of a block that are on other nodes. */
static long elsewhere(char *block, size_t size, int node)
{
    void *pages[LONG / PAGE + 1];
    int on[LONG / PAGE + 1];
    unsigned long pages_count = 0;
    long count = 0;
    for (size_t page = ((size_t)block + PAGE - 1) / PAGE * PAGE; page + PAGE <= (size_t)block + size; page += PAGE)
        pages[pages_count++] = (void *)page;
    if (syscall(SYS_move_pages, 0, pages_count, pages, NULL, on, 0) != 0)
        return 1;
    for (unsigned long i = 0; i < pages_count; i++)
        count += on[i] >= 0 && on[i] != node;
    return count;
}

static void tell(int rank, int size)
{
    for (int other = 0; other < size; other++)
        if (other != rank)
            MPI_Send(NULL, 0, MPI_CHAR, other, 0, MPI_COMM_WORLD);
}

/* Computes until the memory has followed this rank, another rank says that its has, or time is up. */
static int compute(int rank, int size, double limit)
{
    char stack[STACK], *small[SMALL], *block = malloc(LONG);
    int first = own_node(), told = 0;
    memset(stack, rank, STACK);
    memset(data, rank, DATA);
    memset(block, rank, LONG);
    for (int i = 0; i < SMALL; i++)
        memset(small[i] = malloc(1000), i, 1000);
    double start = MPI_Wtime();
    while (!told && MPI_Wtime() - start < limit) {
        for (int i = 0; i < LONG; i += PAGE)
            block[i]++;
        for (int i = 0; i < STACK; i += PAGE)
            stack[i]++;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &told, MPI_STATUS_IGNORE);
        sched_yield();
        int node = own_node();
        if (node == first)
            continue;
        long left = elsewhere(block, LONG, node) + elsewhere(stack, STACK, node) + elsewhere(data, DATA, node);
        for (int i = 0; i < SMALL && left == 0; i++)
            left += elsewhere((char *)((size_t)small[i] / PAGE * PAGE), PAGE, node);
        if (left != 0)
            continue;
        printf("rank %d: memory followed from node %d to node %d after %.1f s\n", rank, first, node,
               MPI_Wtime() - start);
        for (int i = 0; i < SMALL; i++)
            if (small[i][999] != (char)i)
                MPI_Abort(MPI_COMM_WORLD, 2);
        if (block[1] != rank || stack[1] != rank || data[1] != rank)
            MPI_Abort(MPI_COMM_WORLD, 3);
        tell(rank, size);
        return 1;
    }
    return told;
}

int main(int argc, char **argv)
{
    int rank, size, is_fine = 1;
    double limit = argc > 1 ? atof(argv[1]) : 60;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (own_node() == 0)
        is_fine = compute(rank, size, limit);
    MPI_Allreduce(MPI_IN_PLACE, &is_fine, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (is_fine && rank == size - 1)
        printf("following OK\n");
    /* What the first one has told the others. */
    int left = 1;
    while (left) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
        if (left)
            MPI_Recv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return is_fine ? 0 : 1;
}
