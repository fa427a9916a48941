/* Ranks that choose where the memory that they allocate from then on comes from, each for itself. The argument is the
 * number of the last node of the machine. A second one says that only the words are looked at: what a process has freed
 * keeps its pages.
 *
 * Rank 0 binds its memory to node 0 and rank 1 to the last node, by hwloc's name. Rank 2 takes all nodes in turn, if
 * there are several. The others choose nothing. All pages are touched by the rank itself. Each rank has memory before
 * that it has freed. Then the ranks change places. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_nodes.h"

enum { BLOCKS = 8, BLOCK = 1 << 20, LONG = 12 << 20, MIDDLE = 30000, ROOM = 256 };

static int is_fine = 1, pages_matter;

static void expect(int holds, const char *what)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!holds)
        printf("rank %d: %s\n", rank, what);
    is_fine &= holds;
}

/* Writes the variable, and gives the code of that. What it reads afterwards is in `found`. */
static int choose(const char *words, char found[ROOM])
{
    MPI_T_cvar_handle handle;
    int level, index, count, code;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) || MPI_T_cvar_get_index("memory_placement", &index) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) || count > ROOM)
        abort();
    code = words == NULL ? MPI_SUCCESS : MPI_T_cvar_write(handle, words);
    if (MPI_T_cvar_read(handle, found) || MPI_T_cvar_handle_free(&handle) || MPI_T_finalize())
        abort();
    return code;
}

static char *touched(size_t size)
{
    char *block = malloc(size);
    if (block == NULL)
        abort();
    return memset(block, 1, size);
}

static void allocate(long counts[NODES])
{
    char *blocks[2 * BLOCKS + 1];
    for (int i = 0; i < BLOCKS; i++) {
        count(blocks[i] = touched(BLOCK), BLOCK, counts);
        count(blocks[BLOCKS + i] = touched(MIDDLE), MIDDLE, counts);
    }
    count(blocks[2 * BLOCKS] = touched(LONG), LONG, counts);
    for (int i = 0; i <= 2 * BLOCKS; i++)
        free(blocks[i]);
}

/* What the rank with this number does. */
static void choose_as(int rank, int last, const char *preset)
{
    char words[ROOM], found[ROOM];
    long counts[NODES] = {0};
    if (rank == 0)
        strcpy(words, "bind:0");
    else if (rank == 1)
        snprintf(words, sizeof words, "numa:%d", last);
    else
        strcpy(words, rank == 2 ? "interleave" : preset);
    expect(choose(words, found) == MPI_SUCCESS && strcmp(found, words) == 0, found);
    allocate(counts);
    if (!pages_matter)
        return;
    if (rank < 2)
        expect(all_on(counts, rank == 0 ? 0 : last), words);
    else if (rank == 2 && last > 0)
        /* Huge pages of the long block come from one node each. */
        expect(alike(counts, 2), words);
}

int main(int argc, char **argv)
{
    int rank, size, last = argc > 1 ? atoi(argv[1]) : 0;
    long counts[NODES] = {0};
    char preset[ROOM], found[ROOM];
    pages_matter = argc < 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    allocate(counts);
    choose(NULL, preset);
    const char *wrong[] = {"", "everywhere", "bind:59", "numa:59", "local:1"};
    for (int i = 0; i < 5; i++)
        expect(choose(wrong[i], found) == MPI_T_ERR_INVALID && strcmp(found, preset) == 0, wrong[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    choose_as(rank, last, preset);
    MPI_Barrier(MPI_COMM_WORLD);
    choose_as(size - 1 - rank, last, preset);
    if (is_fine)
        printf("choice OK\n");
    MPI_Finalize();
    return is_fine ? 0 : 1;
}
