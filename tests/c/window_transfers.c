/* Long puts and gets, which a network may carry out without the target, beside short ones and ones that are not in one
 * piece. Each rank has an area of its own in the memory of every rank, and a copy of what it should contain. The
 * argument is the seed. */
#include "mpi_check.h"
#include <stdint.h>
#include "random/draw.h"

enum { AREA = 320000, PARTS = 4, PART = AREA / PARTS, LONG = 16 << 10, ROUNDS = 24, STRIDED = 1000, BLOCK = 20 };

enum mode { FENCE, LOCK, LOCK_ALL, REQUESTS, POST, MODES };

/* What all ranks draw alike, and what this one draws. */
static struct draw common, own;

static unsigned char *copies, *sent, *got;
static MPI_Datatype strided;
static MPI_Group everybody;

/* The area of this rank begins there in the memory of each. */
static MPI_Aint area(void)
{
    return (MPI_Aint)check_rank * AREA;
}

static int length(void)
{
    switch (drawn_below(&own, 4)) {
    case 0:
        return 1 + drawn_below(&own, 100);
    case 1:
        return LONG - 2 + drawn_below(&own, 5);
    default:
        return PART - drawn_below(&own, LONG);
    }
}

/* Puts into a part of the own area: in one piece, or with gaps at the origin or at the target. */
static void put(MPI_Win win, int target, int part, MPI_Request *request)
{
    unsigned char *data = sent + part * PART, *copy = copies + (size_t)target * AREA + part * PART;
    MPI_Aint place = area() + part * PART;
    int shape = drawn_below(&own, 4), bytes = length();
    for (int i = 0; i < PART; i++)
        data[i] = (unsigned char)drawn_below(&own, 256);
    if (shape == 0 || shape == 1) {
        MPI_Datatype from = shape == 0 ? strided : MPI_BYTE, to = shape == 0 ? MPI_BYTE : strided;
        bytes = STRIDED * BLOCK;
        OK(MPI_Put(data, shape == 0 ? 1 : bytes, from, target, place, shape == 0 ? bytes : 1, to, win));
        for (int i = 0; i < bytes; i++) {
            int with_gaps = i / BLOCK * 2 * BLOCK + i % BLOCK;
            copy[shape == 0 ? i : with_gaps] = data[shape == 0 ? with_gaps : i];
        }
        return;
    }
    if (request != NULL)
        OK(MPI_Rput(data, bytes, MPI_BYTE, target, place, bytes, MPI_BYTE, win, request));
    else
        OK(MPI_Put(data, bytes, MPI_BYTE, target, place, bytes, MPI_BYTE, win));
    memcpy(copy, data, (size_t)bytes);
}

static void put_parts(MPI_Win win, int target, enum mode mode)
{
    MPI_Request requests[PARTS];
    for (int part = 0; part < PARTS; part++) {
        requests[part] = MPI_REQUEST_NULL;
        put(win, target, part, mode == REQUESTS ? &requests[part] : NULL);
    }
    if (mode == REQUESTS) {
        OK(MPI_Waitall(PARTS, requests, MPI_STATUSES_IGNORE));
        /* From now on the data of these is the program's again; that of the others is read by a flush. */
        OK(MPI_Win_flush_local(target, win));
        memset(sent, 0, AREA);
    }
}

static void begin(MPI_Win win, int target, enum mode mode)
{
    switch (mode) {
    case FENCE:
        OK(MPI_Win_fence(0, win));
        break;
    case LOCK:
        OK(MPI_Win_lock(drawn_below(&own, 2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
        break;
    case POST:
        OK(MPI_Win_post(everybody, 0, win));
        OK(MPI_Win_start(everybody, 0, win));
        break;
    default:
        OK(MPI_Win_lock_all(0, win));
    }
}

static void end(MPI_Win win, int target, enum mode mode)
{
    switch (mode) {
    case FENCE:
        OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
        break;
    case LOCK:
        OK(MPI_Win_unlock(target, win));
        break;
    case POST:
        OK(MPI_Win_complete(win));
        OK(MPI_Win_wait(win));
        break;
    default:
        OK(MPI_Win_unlock_all(win));
    }
}

/* Reads the own area of a target, part by part, and compares it with the copy. */
static void read_back(MPI_Win win, int target, enum mode mode)
{
    MPI_Request requests[PARTS];
    begin(win, target, mode);
    for (int part = 0; part < PARTS; part++) {
        unsigned char *place = got + part * PART;
        MPI_Aint from = area() + part * PART;
        memset(place, 0, PART);
        if (mode == REQUESTS)
            OK(MPI_Rget(place, PART, MPI_BYTE, target, from, PART, MPI_BYTE, win, &requests[part]));
        else
            OK(MPI_Get(place, PART, MPI_BYTE, target, from, PART, MPI_BYTE, win));
    }
    if (mode == REQUESTS)
        OK(MPI_Waitall(PARTS, requests, MPI_STATUSES_IGNORE));
    if (mode == LOCK_ALL)
        OK(MPI_Win_flush(target, win));
    if (mode == REQUESTS || mode == LOCK_ALL)
        CHECK(memcmp(got, copies + (size_t)target * AREA, AREA) == 0);
    end(win, target, mode);
    CHECK(memcmp(got, copies + (size_t)target * AREA, AREA) == 0);
}

static void check(MPI_Win win, unsigned char *memory)
{
    size_t bytes = (size_t)check_size * AREA;
    unsigned char *expected = malloc(bytes);
    CHECK(expected != NULL);
    memset(copies, 0, bytes);
    memset(memory, 0, bytes);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < ROUNDS; round++) {
        enum mode mode = (enum mode)drawn_below(&common, MODES);
        int target = drawn_below(&own, check_size);
        begin(win, target, mode);
        put_parts(win, target, mode);
        end(win, target, mode);
        memset(sent, 1, AREA);
        read_back(win, target, (enum mode)drawn_below(&common, MODES));
    }
    OK(MPI_Alltoall(copies, AREA, MPI_BYTE, expected, AREA, MPI_BYTE, MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
    CHECK(memcmp(memory, expected, bytes) == 0);
    OK(MPI_Win_unlock(check_rank, win));
    free(expected);
}

/* Puts and gets of a few elements, each of which is waited for, and wrong ones among them, which change nothing. */
static void one_by_one(void)
{
    enum { NUMBERS = 600, TURNS = 200 };
    int64_t numbers[NUMBERS + 1], out[NUMBERS], in[NUMBERS];
    int target = (check_rank + 1) % check_size, origin = (check_rank + check_size - 1) % check_size;
    MPI_Win win;
    for (int i = 0; i <= NUMBERS; i++)
        numbers[i] = -1;
    OK(MPI_Win_create(numbers, NUMBERS * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, win));
    for (int turn = 0; turn < TURNS; turn++) {
        int first = drawn_below(&own, NUMBERS), count = drawn_below(&own, NUMBERS - first + 1);
        for (int i = 0; i < count; i++)
            out[first + i] = (int64_t)check_rank * 1000000 + turn * 1000 + first + i;
        OK(MPI_Put(out + first, count, MPI_INT64_T, target, first, count, MPI_INT64_T, win));
        OK(MPI_Win_flush(target, win));
        memset(in, 0, sizeof in);
        OK(MPI_Get(in + first, count, MPI_INT64_T, target, first, count, MPI_INT64_T, win));
        OK(MPI_Win_flush_local(target, win));
        CHECK(memcmp(in + first, out + first, (size_t)count * 8) == 0);
        OK(MPI_Put(out, 1, MPI_INT64_T, MPI_PROC_NULL, first, 1, MPI_INT64_T, win));
        FAILS(MPI_Put(out, 2, MPI_INT64_T, target, NUMBERS - 1, 2, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Put(out, 1, MPI_INT64_T, target, -1, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Get(in, 1, MPI_INT64_T, target, PTRDIFF_MAX / 4, 1, MPI_INT64_T, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Get(in, 1, MPI_INT64_T, check_size, 0, 1, MPI_INT64_T, win), MPI_ERR_RANK);
    }
    OK(MPI_Put(out, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
    OK(MPI_Win_unlock_all(win));
    FAILS(MPI_Put(out, 1, MPI_INT64_T, target, 1, 1, MPI_INT64_T, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Sendrecv(out, 1, MPI_INT64_T, target, 0, in, 1, MPI_INT64_T, origin, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_free(&win));
    CHECK(numbers[0] == in[0] && numbers[NUMBERS] == -1);
}

int main(int argc, char **argv)
{
    unsigned char *memory;
    MPI_Win win;
    check_begin(&argc, &argv);
    common.seed = (uint64_t)(argc > 1 ? atoi(argv[1]) : 1);
    own.seed = mixed(common.seed, (uint64_t)(check_rank + 1));
    size_t bytes = (size_t)check_size * AREA;
    copies = malloc(bytes);
    sent = malloc(AREA);
    got = malloc(AREA);
    CHECK(copies != NULL && sent != NULL && got != NULL);
    OK(MPI_Type_vector(STRIDED, BLOCK, 2 * BLOCK, MPI_BYTE, &strided));
    OK(MPI_Type_commit(&strided));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &everybody));

    memory = malloc(bytes);
    CHECK(memory != NULL);
    OK(MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    check(win, memory);
    OK(MPI_Win_free(&win));
    free(memory);

    OK(MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    check(win, memory);
    OK(MPI_Win_free(&win));

    one_by_one();

    OK(MPI_Group_free(&everybody));
    OK(MPI_Type_free(&strided));
    free(copies);
    free(sent);
    free(got);
    return check_end();
}
