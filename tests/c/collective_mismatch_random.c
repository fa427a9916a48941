/* Collectives in which each rank chooses its counts and datatypes by itself now and then: calls may fail, but nobody
 * writes beyond anybody's buffers, nothing hangs, and the communicator works as before. The argument is a seed. */
#include "mpi_check.h"

enum { ROUNDS = 200, TYPES = 6, MOST = 3000, GUARD = 64 };

static MPI_Datatype types[TYPES];
static MPI_Op op;
static int count_of[64], at[64], byte_at[64];
static MPI_Datatype type_of[64];

/* Two streams of numbers: one that all ranks share, and each rank's own. */
static unsigned long shared, own;

static int draw(unsigned long *state, int below)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (int)((*state >> 33) % (unsigned long)below);
}

/* The choices of all ranks, unless this one deviates. */
static int agreed(int below)
{
    int common = draw(&shared, below);
    return draw(&own, 8) == 0 ? draw(&own, below) : common;
}

static void make_types(void)
{
    types[0] = MPI_INT;
    types[1] = MPI_CHAR;
    types[2] = MPI_DOUBLE;
    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &types[3]));
    OK(MPI_Type_create_struct(2, (int[]){1, 3}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &types[4]));
    OK(MPI_Type_contiguous(0, MPI_INT, &types[5]));
    for (int i = 3; i < TYPES; i++)
        OK(MPI_Type_commit(&types[i]));
}

/* An operation on any datatype, which says that it was there in the first byte it may write. */
static void touch(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    if (*len > 0 && size > 0)
        *(char *)inout ^= *(char *)in;
}

struct room {
    char *start;
    size_t bytes;
};

/* Room for so many elements, and what nobody may touch on both sides. */
static struct room room(int count, MPI_Datatype type)
{
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(type, &lb, &extent));
    struct room room = {NULL, (size_t)count * (size_t)extent};
    room.start = malloc(room.bytes + 2 * GUARD);
    CHECK(room.start);
    memset(room.start, 0x5a, room.bytes + 2 * GUARD);
    memset(room.start + GUARD, 1, room.bytes);
    return room;
}

static void *data(struct room room)
{
    return room.start + GUARD;
}

static void leave(struct room room, int round, int kind)
{
    for (size_t i = 0; i < GUARD; i++) {
        if (room.start[i] != 0x5a || room.start[GUARD + room.bytes + i] != 0x5a)
            fprintf(stderr, "round %d, kind %d: ", round, kind);
        CHECK(room.start[i] == 0x5a && room.start[GUARD + room.bytes + i] == 0x5a);
    }
    free(room.start);
}

/* Counts and places of parts, which are no larger than the first number. */
static void divide(int count, MPI_Datatype type)
{
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(type, &lb, &extent));
    for (int i = 0; i < check_size; i++) {
        count_of[i] = agreed(count + 1);
        at[i] = i * count;
        byte_at[i] = (int)(i * count * extent);
        type_of[i] = type;
    }
}

static int call(int kind, void *out, void *in, int count, MPI_Datatype type, MPI_Datatype taken, int root)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    switch (kind) {
    case 0: return MPI_Bcast(in, count, taken, draw(&shared, check_size), comm);
    case 1: return MPI_Gather(out, count, type, in, count, taken, root, comm);
    case 2: return MPI_Gatherv(out, count, type, in, count_of, at, taken, root, comm);
    case 3: return MPI_Scatter(out, count, type, in, count, taken, root, comm);
    case 4: return MPI_Scatterv(out, count_of, at, type, in, count, taken, root, comm);
    case 5: return MPI_Allgather(out, count, type, in, count, taken, comm);
    case 6: return MPI_Allgatherv(out, count, type, in, count_of, at, taken, comm);
    case 7: return MPI_Alltoall(out, count, type, in, count, taken, comm);
    case 8: return MPI_Alltoallv(out, count_of, at, type, in, count_of, at, taken, comm);
    case 9: return MPI_Alltoallw(out, count_of, byte_at, type_of, in, count_of, byte_at, type_of, comm);
    case 10: return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, count, taken, comm);
    case 11: return MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, in, count_of, at, taken, comm);
    case 12: return MPI_Reduce(out, in, count, type, op, root, comm);
    case 13: return MPI_Allreduce(out, in, count, type, op, comm);
    case 14: return MPI_Scan(out, in, count, type, op, comm);
    case 15: return MPI_Exscan(out, in, count, type, op, comm);
    case 16: return MPI_Reduce_scatter(out, in, count_of, type, op, comm);
    case 17: return MPI_Reduce_scatter_block(out, in, count, type, op, comm);
    case 18: return MPI_Reduce_scatter(MPI_IN_PLACE, in, count_of, type, op, comm);
    default: return MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_INT, agreed(2) ? MPI_SUM : MPI_BXOR, comm);
    }
}

enum { KINDS = 20, STARTED = 10 };

/* The same for collectives that are started. */
static int start(int kind, void *out, void *in, int count, MPI_Datatype type, MPI_Datatype taken, int root)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request r;
    switch (kind) {
    case 0: OK(MPI_Ibcast(in, count, taken, root, comm, &r)); break;
    case 1: OK(MPI_Igatherv(out, count, type, in, count_of, at, taken, root, comm, &r)); break;
    case 2: OK(MPI_Iscatterv(out, count_of, at, type, in, count, taken, root, comm, &r)); break;
    case 3: OK(MPI_Iallgather(out, count, type, in, count, taken, comm, &r)); break;
    case 4: OK(MPI_Ialltoallv(out, count_of, at, type, in, count_of, at, taken, comm, &r)); break;
    case 5: OK(MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INT, in, count, taken, comm, &r)); break;
    case 6: OK(MPI_Ireduce(out, in, count, taken, op, root, comm, &r)); break;
    case 7: OK(MPI_Iallreduce(in, out, count, taken, op, comm, &r)); break;
    case 8: OK(MPI_Iexscan(in, out, count, taken, op, comm, &r)); break;
    default: OK(MPI_Ireduce_scatter(MPI_IN_PLACE, in, count_of, taken, op, comm, &r)); break;
    }
    return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void play(int round)
{
    int kind = draw(&shared, KINDS + STARTED), count = agreed(draw(&shared, 4) ? 9 : MOST), sum = 0;
    int gives = agreed(TYPES), other = agreed(TYPES), takes = agreed(4) ? gives : other, root = agreed(check_size);
    if ((kind >= 12 && kind < KINDS) || kind >= KINDS + 6)
        takes = gives;
    if (kind == KINDS - 1)
        takes = gives = 0;
    /* MPI_Alltoallw sends data of the types that are received, which must not lie beyond the room for them. */
    if (kind == 9)
        gives = takes;
    struct room out = room(count * check_size, types[gives]), in = room(count * check_size, types[takes]);
    divide(count, types[takes]);
    if (kind < KINDS)
        call(kind, data(out), data(in), count, types[gives], types[takes], root);
    else
        start(kind - KINDS, data(out), data(in), count, types[gives], types[takes], root);
    leave(out, round, kind);
    leave(in, round, kind);
    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == check_size * (check_size - 1) / 2);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    shared = seed * 2654435761ul;
    own = shared + (unsigned long)check_rank * 40503ul + 1;
    CHECK(check_size <= 64);
    make_types();
    OK(MPI_Op_create(touch, 1, &op));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int round = 0; round < ROUNDS; round++)
        play(round);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Op_free(&op));
    for (int i = 3; i < TYPES; i++)
        OK(MPI_Type_free(&types[i]));
    return check_end();
}
