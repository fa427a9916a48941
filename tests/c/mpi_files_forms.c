/* Every form of an access to a file, with small and with large counts. Each rank has a part of the file. The argument
 * is the name of a file that is not there. */
#include "mpi_check.h"

enum { ITEMS = 5 };

static MPI_File f;
static int given[ITEMS], got[ITEMS], turn;
static MPI_Status status;

static void next_turn(void)
{
    turn++;
    for (int i = 0; i < ITEMS; i++) {
        given[i] = turn * 1000 + check_rank * ITEMS + i;
        got[i] = -1;
    }
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
}

static void same(void)
{
    for (int i = 0; i < ITEMS; i++)
        CHECK(got[i] == given[i]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Back to the beginning, for what is written in any order: only the sum is the same then. */
static void rewind_shared(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
}

static void same_sum(void)
{
    int sums[2] = {0, 0};
    for (int i = 0; i < ITEMS; i++) {
        sums[0] += given[i];
        sums[1] += got[i];
    }
    OK(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sums[0] == sums[1]);
}

#define AT check_rank * ITEMS,
#define NO_OFFSET
#define RUN(name, at, buffer) OK(name(f, at buffer, ITEMS, MPI_INT, &status))
#define START(name, at, buffer)                                \
    do {                                                       \
        MPI_Request request;                                   \
        OK(name(f, at buffer, ITEMS, MPI_INT, &request));      \
        OK(MPI_Wait(&request, &status));                       \
    } while (0)
#define SPLIT(begin, end, at, buffer)                          \
    do {                                                       \
        OK(begin(f, at buffer, ITEMS, MPI_INT));               \
        OK(end(f, buffer, &status));                           \
    } while (0)

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 2);
    MPI_Aint extent;
    MPI_Count large_extent;
    int atomic;
    OK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &f));
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OK(MPI_File_get_type_extent(f, MPI_DOUBLE, &extent));
    OK(MPI_File_get_type_extent_c(f, MPI_DOUBLE, &large_extent));
    CHECK(extent == 8 && large_extent == 8);
    OK(MPI_File_get_atomicity(f, &atomic));
    CHECK(!atomic);
    OK(MPI_File_set_atomicity(f, 1));
    OK(MPI_File_get_atomicity(f, &atomic));
    CHECK(atomic);
    OK(MPI_File_set_atomicity(f, 0));

    next_turn();
    RUN(MPI_File_write_at, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_at, AT, got);
    same();
    next_turn();
    START(MPI_File_iwrite_at, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_at, AT, got);
    same();

    next_turn();
    RUN(MPI_File_write, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read, NO_OFFSET, got);
    same();
    next_turn();
    START(MPI_File_iwrite, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread, NO_OFFSET, got);
    same();

    next_turn();
    RUN(MPI_File_write_at_all, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_at_all, AT, got);
    same();
    next_turn();
    START(MPI_File_iwrite_at_all, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_at_all, AT, got);
    same();
    next_turn();
    SPLIT(MPI_File_write_at_all_begin, MPI_File_write_at_all_end, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    SPLIT(MPI_File_read_at_all_begin, MPI_File_read_at_all_end, AT, got);
    same();

    next_turn();
    RUN(MPI_File_write_all, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_all, NO_OFFSET, got);
    same();
    next_turn();
    START(MPI_File_iwrite_all, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_all, NO_OFFSET, got);
    same();
    next_turn();
    SPLIT(MPI_File_write_all_begin, MPI_File_write_all_end, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    SPLIT(MPI_File_read_all_begin, MPI_File_read_all_end, NO_OFFSET, got);
    same();

    next_turn();
    rewind_shared();
    RUN(MPI_File_write_shared, NO_OFFSET, given);
    rewind_shared();
    RUN(MPI_File_read_shared, NO_OFFSET, got);
    same_sum();
    next_turn();
    rewind_shared();
    START(MPI_File_iwrite_shared, NO_OFFSET, given);
    rewind_shared();
    START(MPI_File_iread_shared, NO_OFFSET, got);
    same_sum();
    next_turn();
    rewind_shared();
    RUN(MPI_File_write_ordered, NO_OFFSET, given);
    rewind_shared();
    RUN(MPI_File_read_ordered, NO_OFFSET, got);
    same();
    next_turn();
    rewind_shared();
    SPLIT(MPI_File_write_ordered_begin, MPI_File_write_ordered_end, NO_OFFSET, given);
    rewind_shared();
    SPLIT(MPI_File_read_ordered_begin, MPI_File_read_ordered_end, NO_OFFSET, got);
    same();

    next_turn();
    RUN(MPI_File_write_at_c, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_at_c, AT, got);
    same();
    next_turn();
    START(MPI_File_iwrite_at_c, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_at_c, AT, got);
    same();

    next_turn();
    RUN(MPI_File_write_c, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_c, NO_OFFSET, got);
    same();
    next_turn();
    START(MPI_File_iwrite_c, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_c, NO_OFFSET, got);
    same();

    next_turn();
    RUN(MPI_File_write_at_all_c, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_at_all_c, AT, got);
    same();
    next_turn();
    START(MPI_File_iwrite_at_all_c, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_at_all_c, AT, got);
    same();
    next_turn();
    SPLIT(MPI_File_write_at_all_begin_c, MPI_File_write_at_all_end, AT, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    SPLIT(MPI_File_read_at_all_begin_c, MPI_File_read_at_all_end, AT, got);
    same();

    next_turn();
    RUN(MPI_File_write_all_c, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    RUN(MPI_File_read_all_c, NO_OFFSET, got);
    same();
    next_turn();
    START(MPI_File_iwrite_all_c, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    START(MPI_File_iread_all_c, NO_OFFSET, got);
    same();
    next_turn();
    SPLIT(MPI_File_write_all_begin_c, MPI_File_write_all_end, NO_OFFSET, given);
    OK(MPI_File_seek(f, check_rank * ITEMS, MPI_SEEK_SET));
    SPLIT(MPI_File_read_all_begin_c, MPI_File_read_all_end, NO_OFFSET, got);
    same();

    next_turn();
    rewind_shared();
    RUN(MPI_File_write_shared_c, NO_OFFSET, given);
    rewind_shared();
    RUN(MPI_File_read_shared_c, NO_OFFSET, got);
    same_sum();
    next_turn();
    rewind_shared();
    START(MPI_File_iwrite_shared_c, NO_OFFSET, given);
    rewind_shared();
    START(MPI_File_iread_shared_c, NO_OFFSET, got);
    same_sum();
    next_turn();
    rewind_shared();
    RUN(MPI_File_write_ordered_c, NO_OFFSET, given);
    rewind_shared();
    RUN(MPI_File_read_ordered_c, NO_OFFSET, got);
    same();
    next_turn();
    rewind_shared();
    SPLIT(MPI_File_write_ordered_begin_c, MPI_File_write_ordered_end, NO_OFFSET, given);
    rewind_shared();
    SPLIT(MPI_File_read_ordered_begin_c, MPI_File_read_ordered_end, NO_OFFSET, got);
    same();
    OK(MPI_File_close(&f));
    return check_end();
}
