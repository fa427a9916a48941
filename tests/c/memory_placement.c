/* The nodes that the memory of ranks comes from. The argument says what is expected:
 *   any              nothing: each rank has its memory
 *   local            the node of the rank
 *   first-touch      mostly the node of whoever writes first, where that is known
 *   interleave       all nodes alike
 *   spread           several nodes
 *   bind:N           node N
 *   map:A,B,...      rank by rank one of these
 * A second argument is the number of the last node, for MPI_Alloc_mem.
 * Each rank receives a message into memory that nobody has touched yet. The receive is posted first, so the sender
 * copies the data, and touches the memory first. Another virtual processor, on another node, may take the sender at any
 * time. So the sender says on which node it has been for each message, unless that has changed meanwhile. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "page_nodes.h"

/* Blocks are so short that no other virtual processor helps with a copy. */
enum { BLOCKS = 64, BLOCK = 1 << 17, SMALL = 20000 };

/* Pages that have been touched first on a node that is known. */
struct touched {
    long there, elsewhere;
};

/* Adds pages, which have been touched first on this node; it is negative if that is not known. */
static void note_touched(struct touched *touched, const long counts[NODES], int node)
{
    for (int other = 0; node >= 0 && other < NODES; other++)
        *(other == node ? &touched->there : &touched->elsewhere) += counts[other];
}

/* The node on which the caller has been all the time since it was on this one; negative if there is none. */
static int still_on(int node)
{
    return own_node() == node ? node : -1;
}

/* The item of a list of numbers. */
static int item(const char *list, int index)
{
    int numbers[NODES], length = 0;
    for (const char *at = list; at != NULL && length < NODES; at = strchr(at, ','), at = at == NULL ? NULL : at + 1)
        numbers[length++] = atoi(at);
    return numbers[index % length];
}

static int is_right(const char *expected, const long counts[NODES], int rank, int own,
                    const struct touched *touched)
{
    if (strcmp(expected, "local") == 0)
        return all_on(counts, own);
    if (strcmp(expected, "first-touch") == 0)
        return touched->there > touched->elsewhere;
    if (strcmp(expected, "interleave") == 0)
        return alike(counts, 1.15);
    if (strcmp(expected, "spread") == 0)
        return alike(counts, 1000);
    if (strncmp(expected, "bind:", 5) == 0)
        return all_on(counts, atoi(expected + 5));
    if (strncmp(expected, "map:", 4) == 0)
        return all_on(counts, item(expected + 4, rank));
    return strcmp(expected, "any") == 0;
}

static int check(const char *expected, const char *what, const long counts[NODES], int rank, int own,
                 const struct touched *touched)
{
    if (is_right(expected, counts, rank, own, touched))
        return 1;
    printf("rank %d on node %d, %s, %ld pages on the node of the first touch, %ld elsewhere: expected %s, found", rank,
           own, what, touched->there, touched->elsewhere, expected);
    for (int node = 0; node < NODES; node++)
        printf(" %ld", counts[node]);
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, is_fine;
    const char *expected = argc > 1 ? argv[1] : "any";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int own = own_node(), left = (rank + size - 1) % size, right = (rank + 1) % size;

    /* Data to be sent, which is not on the heap. */
    static char data[BLOCK - 2 * PAGE];
    memset(data, rank + 1, sizeof data);
    char *blocks[BLOCKS];
    MPI_Request requests[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK);
        MPI_Irecv(blocks[i], sizeof data, MPI_CHAR, left, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int sent_on[BLOCKS], touched_on[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        sent_on[i] = own_node();
        MPI_Send(data, sizeof data, MPI_CHAR, right, i, MPI_COMM_WORLD);
        sent_on[i] = still_on(sent_on[i]);
    }
    MPI_Waitall(BLOCKS, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(sent_on, BLOCKS, MPI_INT, right, BLOCKS, touched_on, BLOCKS, MPI_INT, left, BLOCKS, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    long received[NODES] = {0};
    struct touched messages = {0, 0};
    for (int i = 0; i < BLOCKS; i++) {
        /* The first page has been there before if a block behind it has. */
        long of_block[NODES] = {0};
        count(blocks[i] + PAGE, sizeof data - 2 * PAGE, of_block);
        note_touched(&messages, of_block, touched_on[i]);
        for (int node = 0; node < NODES; node++)
            received[node] += of_block[node];
        if (blocks[i][sizeof data - 1] != (char)(left + 1))
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    is_fine = check(expected, "a message", received, rank, own, &messages);

    long small[NODES] = {0};
    struct touched pages = {0, 0};
    int allocated_on = own_node();
    for (int i = 0; i < SMALL; i++) {
        char *block = malloc(200);
        memset(block, 1, 200);
        /* The first ones may share their memory with others. */
        if (i >= SMALL / 10 && i % 20 == 0) {
            long of_page[NODES] = {0};
            count((char *)((size_t)block / PAGE * PAGE), PAGE, of_page);
            allocated_on = still_on(allocated_on);
            note_touched(&pages, of_page, allocated_on);
            for (int node = 0; node < NODES; node++)
                small[node] += of_page[node];
            allocated_on = own_node();
        }
    }
    is_fine &= check(expected, "small blocks", small, rank, own, &pages);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);

    /* MPI_Alloc_mem on each node by hwloc's name. */
    int last = argc > 2 ? atoi(argv[2]) : 0;
    char name[16], *named;
    MPI_Info info;
    MPI_Info_create(&info);
    for (int node = 0; node <= last; node++) {
        long counts[NODES] = {0};
        snprintf(name, sizeof name, "numa:%d", node);
        MPI_Info_set(info, "memory_placement", name);
        MPI_Alloc_mem(BLOCK, info, &named);
        memset(named, 1, BLOCK);
        count(named, BLOCK, counts);
        MPI_Free_mem(named);
        if (argc > 2 && !all_on(counts, node)) {
            printf("rank %d: memory of MPI_Alloc_mem is not on node %d\n", rank, node);
            is_fine = 0;
        }
    }
    MPI_Info_free(&info);

    /* A long block that lies in several mappings grows. */
    char *block = malloc(8 * BLOCK);
    for (int i = 0; i < 8 * BLOCK; i += PAGE)
        block[i] = (char)(i / PAGE);
    char *inside = (char *)(((size_t)block + 4 * BLOCK) / PAGE * PAGE);
    madvise(inside, BLOCK, MADV_NOHUGEPAGE);
    char *behind = malloc(8 * BLOCK);
    block = realloc(block, 64 * BLOCK);
    for (int i = 0; i < 8 * BLOCK; i += PAGE)
        if (block[i] != (char)(i / PAGE))
            MPI_Abort(MPI_COMM_WORLD, 3);
    free(behind);
    free(block);
    if (is_fine)
        printf("placement OK\n");
    MPI_Finalize();
    return is_fine ? 0 : 1;
}
