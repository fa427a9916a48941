/* Collectives on long buffers, which are cut in pieces, shared and written past the caches; buffers begin at odd
   addresses, lengths are odd, and what lies beside the buffers stays as it is. */
#include "mpi_check.h"
#include <stdint.h>

enum { LENGTH = 400001, BIG = 3001, EDGE = 0x5a };

typedef int64_t word;

/* Room for `length` words at an address that is no multiple of their size, between two edges. */
static char *room(size_t length)
{
    char *data = malloc(length * sizeof(word) + 2);
    CHECK(data);
    memset(data, EDGE, length * sizeof(word) + 2);
    return data + 1;
}

static void drop(char *data, size_t length)
{
    CHECK(data[-1] == EDGE && data[length * sizeof(word)] == EDGE);
    free(data - 1);
}

static word get(const char *data, size_t index)
{
    word value;
    memcpy(&value, data + index * sizeof value, sizeof value);
    return value;
}

static void put(char *data, size_t index, word value)
{
    memcpy(data + index * sizeof value, &value, sizeof value);
}

/* The value of a rank, and the sum of the values of the ranks below `ranks`. */
static word item(int rank, size_t index)
{
    return (rank + 1) * (word)(index % 10007) - rank;
}

static word sum(int ranks, size_t index)
{
    word n = ranks;
    return n * (n + 1) / 2 * (word)(index % 10007) - n * (n - 1) / 2;
}

static void fill(char *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put(data, i, item(check_rank, i));
}

static void expect(const char *data, size_t length, int ranks)
{
    for (size_t i = 0; i < length; i++)
        CHECK(get(data, i) == sum(ranks, i));
}

static void reductions(MPI_Op op)
{
    char *mine = room(LENGTH), *got = room(LENGTH);
    fill(mine, LENGTH);
    OK(MPI_Allreduce(mine, got, LENGTH, MPI_INT64_T, op, MPI_COMM_WORLD));
    expect(got, LENGTH, check_size);
    fill(got, LENGTH);
    OK(MPI_Allreduce(MPI_IN_PLACE, got, LENGTH, MPI_INT64_T, op, MPI_COMM_WORLD));
    expect(got, LENGTH, check_size);
    memset(got, 0, LENGTH * sizeof(word));
    OK(MPI_Reduce(mine, got, LENGTH, MPI_INT64_T, op, check_size - 1, MPI_COMM_WORLD));
    if (check_rank == check_size - 1)
        expect(got, LENGTH, check_size);
    else
        CHECK(get(got, LENGTH - 1) == 0);
    OK(MPI_Scan(mine, got, LENGTH, MPI_INT64_T, op, MPI_COMM_WORLD));
    expect(got, LENGTH, check_rank + 1);
    fill(got, LENGTH);
    OK(MPI_Scan(MPI_IN_PLACE, got, LENGTH, MPI_INT64_T, op, MPI_COMM_WORLD));
    expect(got, LENGTH, check_rank + 1);
    OK(MPI_Exscan(mine, got, LENGTH, MPI_INT64_T, op, MPI_COMM_WORLD));
    if (check_rank > 0)
        expect(got, LENGTH, check_rank);
    int part = LENGTH / check_size;
    OK(MPI_Reduce_scatter_block(mine, got, part, MPI_INT64_T, op, MPI_COMM_WORLD));
    for (int i = 0; i < part; i++)
        CHECK(get(got, i) == sum(check_size, (size_t)part * check_rank + i));
    drop(mine, LENGTH), drop(got, LENGTH);
}

static void moves(void)
{
    int part = LENGTH / check_size, all = part * check_size, root = check_size / 2;
    char *mine = room(all), *got = room(all);
    fill(mine, all);
    OK(MPI_Alltoall(mine, part, MPI_INT64_T, got, part, MPI_INT64_T, MPI_COMM_WORLD));
    for (int i = 0; i < all; i++)
        CHECK(get(got, i) == item(i / part, (size_t)part * check_rank + i % part));
    OK(MPI_Alltoall(MPI_IN_PLACE, part, MPI_INT64_T, got, part, MPI_INT64_T, MPI_COMM_WORLD));
    for (int i = 0; i < all; i++)
        CHECK(get(got, i) == item(check_rank, i));
    OK(MPI_Allgather(mine, part, MPI_INT64_T, got, part, MPI_INT64_T, MPI_COMM_WORLD));
    for (int i = 0; i < all; i++)
        CHECK(get(got, i) == item(i / part, i % part));
    OK(MPI_Scatter(mine, part, MPI_INT64_T, got, part, MPI_INT64_T, root, MPI_COMM_WORLD));
    for (int i = 0; i < part; i++)
        CHECK(get(got, i) == item(root, (size_t)part * check_rank + i));
    OK(MPI_Gather(mine, part, MPI_INT64_T, got, part, MPI_INT64_T, root, MPI_COMM_WORLD));
    for (int i = 0; check_rank == root && i < all; i++)
        CHECK(get(got, i) == item(i / part, i % part));
    OK(MPI_Bcast(mine, all, MPI_INT64_T, root, MPI_COMM_WORLD));
    for (int i = 0; i < all; i++)
        CHECK(get(mine, i) == item(root, i));
    drop(mine, all), drop(got, all);
}

/* Sums of words, whatever the datatype: an element may be one word or many. */
static void add(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
    int size;
    OK(MPI_Type_size(*datatype, &size));
    for (size_t i = 0; i < (size_t)*len * size / sizeof(word); i++)
        put(inout, i, get(in, i) + get(inout, i));
}

/* Affine maps x -> a x + b as elements of two words: the order of composing them matters. */
static void compose(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *len; i++) {
        word a = get(in, 2 * i), b = get(in, 2 * i + 1), c = get(inout, 2 * i), d = get(inout, 2 * i + 1);
        put(inout, 2 * i, a * c % 10007), put(inout, 2 * i + 1, (a * d + b) % 10007);
    }
}

/* Elements that do not fit into the memory that partial results usually get. */
static void big_elements(MPI_Op op)
{
    MPI_Datatype big;
    OK(MPI_Type_contiguous(BIG, MPI_INT64_T, &big));
    OK(MPI_Type_commit(&big));
    char *mine = room(2 * BIG), *got = room(2 * BIG);
    fill(mine, 2 * BIG);
    OK(MPI_Allreduce(mine, got, 2, big, op, MPI_COMM_WORLD));
    expect(got, 2 * BIG, check_size);
    OK(MPI_Scan(mine, got, 2, big, op, MPI_COMM_WORLD));
    expect(got, 2 * BIG, check_rank + 1);
    OK(MPI_Allreduce(mine, got, 0, big, op, MPI_COMM_WORLD));
    OK(MPI_Type_free(&big));
    drop(mine, 2 * BIG), drop(got, 2 * BIG);
}

static void ordered(MPI_Op op)
{
    MPI_Datatype map;
    int count = 30011;
    OK(MPI_Type_contiguous(2, MPI_INT64_T, &map));
    OK(MPI_Type_commit(&map));
    char *mine = room(2 * count), *got = room(2 * count);
    for (int i = 0; i < count; i++)
        put(mine, 2 * i, (check_rank + i) % 9 + 1), put(mine, 2 * i + 1, check_rank + i % 5);
    OK(MPI_Allreduce(mine, got, count, map, op, MPI_COMM_WORLD));
    for (int i = 0; i < count; i++) {
        word a = i % 9 + 1, b = i % 5;
        for (int r = 1; r < check_size; r++)
            b = (a * (r + i % 5) + b) % 10007, a = a * ((r + i) % 9 + 1) % 10007;
        CHECK(get(got, 2 * i) == a && get(got, 2 * i + 1) == b);
    }
    OK(MPI_Type_free(&map));
    drop(mine, 2 * count), drop(got, 2 * count);
}

int main(int argc, char **argv)
{
    MPI_Op sums, maps;
    check_begin(&argc, &argv);
    OK(MPI_Op_create(add, 1, &sums));
    OK(MPI_Op_create(compose, 0, &maps));
    reductions(MPI_SUM);
    reductions(sums);
    moves();
    big_elements(sums);
    ordered(maps);
    OK(MPI_Op_free(&sums));
    OK(MPI_Op_free(&maps));
    return check_end();
}
