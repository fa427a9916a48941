/* Ranks keep their virtual processor without a call of MPI until others of it have done something: they spin on memory
 * that the others write, or block in the kernel. Run as threads, with fewer virtual processors than ranks. */
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 20 };

/* Shared by the ranks of one process. */
struct shared {
    atomic_int turn, over;
    int pipe[2];
};

static int rank, ranks;
static bool yields;
static struct shared *shared;

static void keep_until(atomic_int *word, int value)
{
    while (atomic_load(word) != value)
        if (yields)
            sched_yield();
}

/* Each spins until the next has had its turn. */
static void spin_in_a_row(void)
{
    if (rank == ranks - 1)
        atomic_store(&shared->turn, rank);
    else {
        keep_until(&shared->turn, rank + 1);
        atomic_store(&shared->turn, rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The first reads what the second writes. */
static void block_in_the_kernel(void)
{
    char byte = 0;
    if (rank == 0 && (read(shared->pipe[0], &byte, 1) != 1 || byte != 7))
        printf("BAD byte %d\n", byte);
    byte = 7;
    if (rank == 1 && write(shared->pipe[1], &byte, 1) != 1)
        printf("BAD pipe\n");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The first spins until the others have exchanged many messages. */
static void let_others_talk(void)
{
    MPI_Comm others;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &others);
    if (rank == 0)
        keep_until(&shared->over, 1);
    else {
        int sum;
        for (int round = 0; round < ROUNDS; round++)
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, others);
        if (sum != ranks * (ranks - 1) / 2)
            printf("BAD sum %d\n", sum);
        /* The second rank is of the same process as the first. */
        if (rank == 1)
            atomic_store(&shared->over, 1);
    }
    MPI_Comm_free(&others);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t place = 0;
    if (rank == 0) {
        shared = calloc(1, sizeof *shared);
        if (pipe(shared->pipe) != 0)
            printf("BAD pipe\n");
        place = (uint64_t)(uintptr_t)shared;
    }
    MPI_Bcast(&place, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    shared = (struct shared *)(uintptr_t)place;
    const char *what = argc > 1 ? argv[1] : "all";
    yields = strcmp(what, "yield") == 0;
    /* Ranks of other processes have another memory. */
    if (strcmp(what, "talk") != 0)
        spin_in_a_row();
    if (strcmp(what, "all") == 0)
        block_in_the_kernel();
    let_others_talk();
    puts("keeps OK");
    MPI_Finalize();
}
