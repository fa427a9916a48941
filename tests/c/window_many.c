/* Very many windows, made and freed one after the other, leave no memory behind. Argument: how many of each kind. */
#include "mpi_check.h"

#include "memory_use.h"

/* So many bytes of the heap may be left of each, which is less than what a window consists of, and the process may not
 * grow beyond so much, however many there were. */
enum { KINDS = 4, LEFT_OF_EACH = 50, GROWTH = 16 << 20 };

static int own[16];

static void make_and_free(int kind)
{
    MPI_Win win;
    int *base;
    switch (kind) {
    case 0:
        OK(MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        break;
    case 1:
        OK(MPI_Win_allocate(sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        break;
    case 2:
        OK(MPI_Win_allocate_shared(sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        break;
    default:
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        OK(MPI_Win_attach(win, own, sizeof own));
        OK(MPI_Win_detach(win, own));
    }
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Win_unlock(0, win));
    OK(MPI_Win_free(&win));
}

static void make_many(int count)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < count; i++)
            make_and_free(kind);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static int is_little_left(int count)
{
    long live = live_bytes(), pages = resident_pages();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    make_many(count);
    long left = live_bytes() - live, growth = (resident_pages() - pages) * PAGE;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (left < (long)LEFT_OF_EACH * KINDS * count && growth < GROWTH)
        return 1;
    fprintf(stderr, "rank %d: %ld bytes left, %ld bytes more of memory\n", check_rank, left, growth);
    return 0;
}

int main(int argc, char **argv)
{
    int count, little = 0;
    check_begin(&argc, &argv);
    count = argc > 1 ? atoi(argv[1]) : 1000;
    /* What stays grows at first: pools, and rings of the transports. */
    make_many(count / 10 + 1);
    for (int i = 0; i < 4 && !little; i++) {
        int mine = is_little_left(count);
        OK(MPI_Allreduce(&mine, &little, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    }
    CHECK(little);
    return check_end();
}
