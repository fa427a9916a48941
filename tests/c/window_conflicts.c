/* Conflicting accesses of one epoch are found with --check; accesses that go together are not. Ranks 1 and 2 access the
 * memory of rank 0, in turns where the order matters.
 *
 * Arguments: "unchecked" for a job without --check, in which no conflict is told; "fatal" for a conflict that ends the
 * job. */
#include "mpi_check.h"
#include <stdbool.h>

enum { COUNT = 64, FIRST = 1, SECOND = 2 };

static MPI_Win window;
static int *memory;
static bool checked = true;
static int told;

/* Counts errors that tell of a conflict; there are no others. */
static void note(int code)
{
    if (code == MPI_SUCCESS)
        return;
    FAILS(code, MPI_ERR_RMA_CONFLICT);
    told++;
}

/* So many conflicts have been told to all ranks together since the last time. */
static void expect(int conflicts, const char *what)
{
    int all;
    OK(MPI_Allreduce(&told, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (all != (checked ? conflicts : 0) && check_rank == 0) {
        fprintf(stderr, "%s: %d conflicts, not %d\n", what, all, conflicts);
        MPI_Abort(MPI_COMM_WORLD, 97);
    }
    told = 0;
}

/* An operation on elements of rank 0. */
enum call { NOTHING, PUT, GET, SUM, MAX, NO_OP, FLOAT_SUM };

static int values[COUNT];
static float floats[COUNT];
static int results[COUNT];

static int make(enum call call, int at, int count)
{
    switch (call) {
    case PUT:
        return MPI_Put(values, count, MPI_INT, 0, at, count, MPI_INT, window);
    case GET:
        return MPI_Get(results, count, MPI_INT, 0, at, count, MPI_INT, window);
    case SUM:
        return MPI_Accumulate(values, count, MPI_INT, 0, at, count, MPI_INT, MPI_SUM, window);
    case MAX:
        return MPI_Accumulate(values, count, MPI_INT, 0, at, count, MPI_INT, MPI_MAX, window);
    case NO_OP:
        return MPI_Get_accumulate(NULL, 0, MPI_INT, results, count, MPI_INT, 0, at, count, MPI_INT, MPI_NO_OP, window);
    case FLOAT_SUM:
        return MPI_Accumulate(floats, count, MPI_FLOAT, 0, at, count, MPI_FLOAT, MPI_SUM, window);
    case NOTHING:
        break;
    }
    return MPI_SUCCESS;
}

/* Between two fences, rank 1 makes one call and rank 2 another one. */
static void between_fences(enum call first, int at, enum call second, int other, int conflicts, const char *what)
{
    note(MPI_Win_fence(0, window));
    if (check_rank == FIRST)
        note(make(first, at, 8));
    if (check_rank == SECOND)
        note(make(second, other, 8));
    note(MPI_Win_fence(0, window));
    expect(conflicts, what);
}

static void fences(void)
{
    between_fences(PUT, 0, PUT, 7, 1, "puts with an element in common");
    between_fences(PUT, 0, PUT, 8, 0, "puts side by side");
    between_fences(PUT, 3, GET, 0, 1, "put and get");
    between_fences(GET, 3, GET, 3, 0, "gets");
    between_fences(SUM, 3, SUM, 5, 0, "sums");
    between_fences(SUM, 3, MAX, 5, 1, "a sum and a maximum");
    between_fences(SUM, 3, NO_OP, 5, 0, "a sum and a read");
    between_fences(SUM, 3, FLOAT_SUM, 5, 1, "sums of two types");
    between_fences(SUM, 3, PUT, 5, 1, "a sum and a put");
    between_fences(SUM, 3, GET, 5, 1, "a sum and a get");
    between_fences(PUT, 0, NOTHING, 0, 0, "one epoch");
    between_fences(NOTHING, 0, PUT, 0, 0, "and the next one");
    note(MPI_Win_fence(0, window));
    if (check_rank == FIRST) {
        note(make(PUT, 0, 8));
        note(make(PUT, 7, 8));
    }
    note(MPI_Win_fence(0, window));
    expect(1, "two puts of one rank");
}

/* Every second element, so that the bytes between are free. */
static void strided(void)
{
    MPI_Datatype every_second;
    OK(MPI_Type_vector(8, 1, 2, MPI_INT, &every_second));
    OK(MPI_Type_commit(&every_second));
    for (int apart = 1; apart <= 2; apart++) {
        note(MPI_Win_fence(0, window));
        if (check_rank == FIRST || check_rank == SECOND)
            note(MPI_Put(values, 8, MPI_INT, 0, check_rank == FIRST ? 0 : apart, 1, every_second, window));
        note(MPI_Win_fence(0, window));
        expect(apart == 2, "strided puts");
    }
    OK(MPI_Type_free(&every_second));
}

/* Rank 0 puts from its own memory, into which rank 1 puts. */
static void origin_buffers(void)
{
    note(MPI_Win_fence(0, window));
    if (check_rank == 0)
        note(MPI_Put(memory + 4, 2, MPI_INT, SECOND, 0, 2, MPI_INT, window));
    if (check_rank == FIRST)
        note(make(PUT, 0, 5));
    note(MPI_Win_fence(0, window));
    expect(1, "a put from memory into which another one goes");
}

static void groups(void)
{
    MPI_Group all, origins, target, self;
    OK(MPI_Win_get_group(window, &all));
    OK(MPI_Group_incl(all, 2, (int[]){FIRST, SECOND}, &origins));
    OK(MPI_Group_incl(all, 1, (int[]){0}, &target));
    for (int turn = 0; turn < 2; turn++) {
        if (check_rank == 0) {
            OK(MPI_Win_post(origins, 0, window));
            OK(MPI_Win_wait(window));
        } else if (check_rank <= SECOND) {
            OK(MPI_Win_start(target, 0, window));
            note(make(PUT, turn == 0 ? 0 : 8 * check_rank, 8));
            note(MPI_Win_complete(window));
        }
        expect(turn == 0, "puts between start and complete");
    }
    /* A rank that puts into its own memory, again and again. */
    OK(MPI_Group_incl(all, 1, (int[]){check_rank}, &self));
    for (int turn = 0; turn < 2; turn++) {
        OK(MPI_Win_post(self, 0, window));
        OK(MPI_Win_start(self, 0, window));
        note(MPI_Put(values, 8, MPI_INT, check_rank, 0, 8, MPI_INT, window));
        note(MPI_Win_complete(window));
        OK(MPI_Win_wait(window));
    }
    expect(0, "puts of a rank to itself in several epochs");
    OK(MPI_Group_free(&self));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&origins));
    OK(MPI_Group_free(&target));
}

/* Rank 2 puts after rank 1 has done so, which has completed it (1) or not (0). */
static void locks(bool completes)
{
    int token = 0;
    if (check_rank == FIRST) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
        note(make(PUT, 0, 8));
        note(completes ? MPI_Win_flush(0, window) : MPI_Win_flush_local(0, window));
        OK(MPI_Send(&token, 1, MPI_INT, SECOND, 0, MPI_COMM_WORLD));
        OK(MPI_Recv(&token, 1, MPI_INT, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        note(MPI_Win_unlock(0, window));
    } else if (check_rank == SECOND) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
        OK(MPI_Recv(&token, 1, MPI_INT, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        note(make(PUT, 0, 8));
        note(MPI_Win_flush_local(0, window));
        OK(MPI_Send(&token, 1, MPI_INT, FIRST, 0, MPI_COMM_WORLD));
        note(MPI_Win_unlock(0, window));
    }
    expect(!completes, completes ? "a put after one that is complete" : "a put after one that is not complete");
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    checked = argc == 1 || strcmp(argv[1], "unchecked") != 0;
    CHECK(check_size > SECOND);
    OK(MPI_Win_allocate(COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
    if (argc > 1 && strcmp(argv[1], "fatal") == 0)
        between_fences(PUT, 0, PUT, 7, 1, "puts with an element in common");
    OK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    fences();
    strided();
    origin_buffers();
    note(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
    groups();
    locks(false);
    locks(true);
    OK(MPI_Win_free(&window));
    return check_end();
}
