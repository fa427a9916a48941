/* Constructors of datatypes: what they lay out, and what they say about themselves. */
#include "mpi_check.h"
#include <stdint.h>

enum { LENGTH = 4096, MARK = -1 };

static int numbers[LENGTH], copies[LENGTH];

/* Sends `count` elements of `type` to itself as plain integers and checks where they came from. */
static void expect_offsets(MPI_Datatype type, int count, const int *offsets, int length)
{
    int size;
    OK(MPI_Type_size(type, &size));
    CHECK(size * count == length * (int)sizeof(int));
    for (int i = 0; i < LENGTH; i++)
        numbers[i] = i, copies[i] = MARK;
    OK(MPI_Type_commit(&type));
    OK(MPI_Sendrecv(numbers + 100, count, type, check_rank, 5, copies, length, MPI_INT, check_rank, 5, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    for (int i = 0; i < length; i++)
        CHECK(copies[i] == 100 + offsets[i]);
    CHECK(copies[length] == MARK);
    /* And back: only what the datatype describes is written. */
    for (int i = 0; i < LENGTH; i++)
        copies[i] = MARK;
    OK(MPI_Sendrecv(numbers, length, MPI_INT, check_rank, 5, copies + 100, count, type, check_rank, 5, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    for (int i = 0; i < length; i++) {
        CHECK(copies[100 + offsets[i]] == i);
        copies[100 + offsets[i]] = MARK;
    }
    for (int i = 0; i < LENGTH; i++)
        CHECK(copies[i] == MARK);
}

static void expect_bounds(MPI_Datatype type, MPI_Aint lb, MPI_Aint extent, MPI_Aint true_lb, MPI_Aint true_extent)
{
    MPI_Aint a, b;
    MPI_Count c, d;
    OK(MPI_Type_get_extent(type, &a, &b));
    CHECK(a == lb && b == extent);
    OK(MPI_Type_get_extent_c(type, &c, &d));
    CHECK(c == lb && d == extent);
    OK(MPI_Type_get_true_extent(type, &a, &b));
    CHECK(a == true_lb && b == true_extent);
    OK(MPI_Type_get_true_extent_c(type, &c, &d));
    CHECK(c == true_lb && d == true_extent);
}

/* Combiner and arguments of a datatype that the narrow interface has made. */
static void expect_contents(MPI_Datatype type, int combiner, int ni, const int *is, int na, const MPI_Aint *as, int nd,
                            const MPI_Datatype *ds)
{
    int i, a, d, c, integers[64];
    MPI_Aint addresses[64];
    MPI_Datatype types[64];
    OK(MPI_Type_get_envelope(type, &i, &a, &d, &c));
    CHECK(i == ni && a == na && d == nd && c == combiner);
    OK(MPI_Type_get_contents(type, i, a, d, integers, addresses, types));
    CHECK(!memcmp(integers, is, ni * sizeof *is));
    for (int k = 0; k < na; k++)
        CHECK(addresses[k] == as[k]);
    for (int k = 0; k < nd; k++)
        CHECK(types[k] == ds[k]);
    MPI_Count li, la, ll, ld;
    OK(MPI_Type_get_envelope_c(type, &li, &la, &ll, &ld, &c));
    CHECK(li == ni && la == na && ll == 0 && ld == nd && c == combiner);
}

/* The same of one that the large interface has made. */
static void expect_large_contents(MPI_Datatype type, int combiner, int ni, const int *is, int nc, const MPI_Count *cs,
                                  int nd, const MPI_Datatype *ds)
{
    MPI_Count i, a, l, d, counts[64];
    MPI_Datatype types[64];
    int c, integers[64], n;
    OK(MPI_Type_get_envelope_c(type, &i, &a, &l, &d, &c));
    CHECK(i == ni && a == 0 && l == nc && d == nd && c == combiner);
    OK(MPI_Type_get_contents_c(type, i, a, l, d, integers, NULL, counts, types));
    for (int k = 0; k < ni; k++)
        CHECK(integers[k] == is[k]);
    for (int k = 0; k < nc; k++)
        CHECK(counts[k] == cs[k]);
    for (int k = 0; k < nd; k++)
        CHECK(types[k] == ds[k]);
    CHECK(MPI_Type_get_envelope(type, &n, &n, &n, &n) == MPI_ERR_TYPE);
}

#define INTS(...) (int[]){__VA_ARGS__}
#define AINTS(...) (MPI_Aint[]){__VA_ARGS__}
#define COUNTS(...) (MPI_Count[]){__VA_ARGS__}
#define TYPES(...) (MPI_Datatype[]){__VA_ARGS__}

static void regular(void)
{
    MPI_Datatype type;
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    expect_offsets(type, 2, INTS(0, 1, 2, 3, 4, 5), 6);
    expect_contents(type, MPI_COMBINER_CONTIGUOUS, 1, INTS(3), 0, NULL, 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous_c(3, MPI_INT, &type));
    expect_offsets(type, 2, INTS(0, 1, 2, 3, 4, 5), 6);
    expect_large_contents(type, MPI_COMBINER_CONTIGUOUS, 0, NULL, 1, COUNTS(3), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));

    int strided[] = {0, 1, 5, 6, 7, 8, 12, 13};
    OK(MPI_Type_vector(2, 2, 5, MPI_INT, &type));
    expect_offsets(type, 2, strided, 8);
    expect_bounds(type, 0, 28, 0, 28);
    expect_contents(type, MPI_COMBINER_VECTOR, 3, INTS(2, 2, 5), 0, NULL, 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_vector_c(2, 2, 5, MPI_INT, &type));
    expect_offsets(type, 2, strided, 8);
    expect_large_contents(type, MPI_COMBINER_VECTOR, 0, NULL, 3, COUNTS(2, 2, 5), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector(2, 2, 20, MPI_INT, &type));
    expect_offsets(type, 2, strided, 8);
    expect_contents(type, MPI_COMBINER_HVECTOR, 2, INTS(2, 2), 1, AINTS(20), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hvector_c(2, 2, 20, MPI_INT, &type));
    expect_offsets(type, 2, strided, 8);
    expect_large_contents(type, MPI_COMBINER_HVECTOR, 0, NULL, 3, COUNTS(2, 2, 20), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_vector(3, 1, -4, MPI_INT, &type));
    expect_offsets(type, 1, INTS(0, -4, -8), 3);
    expect_bounds(type, -32, 36, -32, 36);
    OK(MPI_Type_free(&type));

    OK(MPI_Type_create_resized(MPI_INT, -4, 12, &type));
    expect_offsets(type, 3, INTS(0, 3, 6), 3);
    expect_bounds(type, -4, 12, 0, 4);
    expect_contents(type, MPI_COMBINER_RESIZED, 0, NULL, 2, AINTS(-4, 12), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_resized_c(MPI_INT, -4, 12, &type));
    expect_offsets(type, 3, INTS(0, 3, 6), 3);
    expect_large_contents(type, MPI_COMBINER_RESIZED, 0, NULL, 2, COUNTS(-4, 12), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
}

static void irregular(void)
{
    MPI_Datatype type;
    int indexed[] = {4, 5, 0, 9, 10, 11}, blocks[] = {7, 8, 1, 2, 20, 21};
    OK(MPI_Type_indexed(4, INTS(2, 1, 0, 3), INTS(4, 0, 50, 9), MPI_INT, &type));
    expect_offsets(type, 1, indexed, 6);
    expect_bounds(type, 0, 48, 0, 48);
    expect_contents(type, MPI_COMBINER_INDEXED, 9, INTS(4, 2, 1, 0, 3, 4, 0, 50, 9), 0, NULL, 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_indexed_c(4, COUNTS(2, 1, 0, 3), COUNTS(4, 0, 50, 9), MPI_INT, &type));
    expect_offsets(type, 1, indexed, 6);
    expect_large_contents(type, MPI_COMBINER_INDEXED, 0, NULL, 9, COUNTS(4, 2, 1, 0, 3, 4, 0, 50, 9), 1,
                          TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed(4, INTS(2, 1, 0, 3), AINTS(16, 0, 200, 36), MPI_INT, &type));
    expect_offsets(type, 1, indexed, 6);
    expect_contents(type, MPI_COMBINER_HINDEXED, 5, INTS(4, 2, 1, 0, 3), 4, AINTS(16, 0, 200, 36), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_c(4, COUNTS(2, 1, 0, 3), COUNTS(16, 0, 200, 36), MPI_INT, &type));
    expect_offsets(type, 1, indexed, 6);
    expect_large_contents(type, MPI_COMBINER_HINDEXED, 0, NULL, 9, COUNTS(4, 2, 1, 0, 3, 16, 0, 200, 36), 1,
                          TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_indexed_block(3, 2, INTS(7, 1, 20), MPI_INT, &type));
    expect_offsets(type, 1, blocks, 6);
    expect_bounds(type, 4, 84, 4, 84);
    expect_contents(type, MPI_COMBINER_INDEXED_BLOCK, 5, INTS(3, 2, 7, 1, 20), 0, NULL, 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_indexed_block_c(3, 2, COUNTS(7, 1, 20), MPI_INT, &type));
    expect_offsets(type, 1, blocks, 6);
    expect_large_contents(type, MPI_COMBINER_INDEXED_BLOCK, 0, NULL, 5, COUNTS(3, 2, 7, 1, 20), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_block(3, 2, AINTS(28, 4, 80), MPI_INT, &type));
    expect_offsets(type, 1, blocks, 6);
    expect_contents(type, MPI_COMBINER_HINDEXED_BLOCK, 2, INTS(3, 2), 3, AINTS(28, 4, 80), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_hindexed_block_c(3, 2, COUNTS(28, 4, 80), MPI_INT, &type));
    expect_offsets(type, 1, blocks, 6);
    expect_large_contents(type, MPI_COMBINER_HINDEXED_BLOCK, 0, NULL, 5, COUNTS(3, 2, 28, 4, 80), 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
}

static void structs(void)
{
    struct record { char letter; double value; int list[3]; } records[4], got[4];
    MPI_Datatype type, pair, nested;
    MPI_Datatype fields[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    MPI_Status status;
    int count;
    OK(MPI_Type_create_struct(3, INTS(1, 1, 3), AINTS(0, 8, 16), fields, &type));
    expect_bounds(type, 0, sizeof(struct record), 0, 28);
    expect_contents(type, MPI_COMBINER_STRUCT, 4, INTS(3, 1, 1, 3), 3, AINTS(0, 8, 16), 3, fields);
    OK(MPI_Type_commit(&type));
    memset(got, 0x55, sizeof got);
    for (int i = 0; i < 4; i++)
        records[i] = (struct record){'a' + i, i / 4.0, {i, 2 * i, 3 * i}};
    OK(MPI_Sendrecv(records, 4, type, check_rank, 0, got, 4, type, check_rank, 0, MPI_COMM_WORLD, &status));
    for (int i = 0; i < 4; i++) {
        CHECK(got[i].letter == 'a' + i && got[i].value == i / 4.0 && got[i].list[2] == 3 * i);
        CHECK(((char *)&got[i])[3] == 0x55 && ((char *)&got[i])[28] == 0x55);
    }
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == 4);
    OK(MPI_Get_elements(&status, type, &count));
    CHECK(count == 20);
    /* One record, and a letter and a value of the next. */
    MPI_Count many;
    OK(MPI_Status_set_elements(&status, type, 7));
    OK(MPI_Get_elements_c(&status, type, &many));
    CHECK(many == 7);
    OK(MPI_Get_count(&status, type, &count));
    CHECK(count == MPI_UNDEFINED);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == 21 + 9);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_struct_c(3, COUNTS(1, 1, 3), COUNTS(0, 8, 16), fields, &type));
    expect_bounds(type, 0, sizeof(struct record), 0, 28);
    expect_large_contents(type, MPI_COMBINER_STRUCT, 0, NULL, 7, COUNTS(3, 1, 1, 3, 0, 8, 16), 3, fields);

    /* Nested, with absolute addresses. */
    MPI_Aint place[2];
    OK(MPI_Get_address(&records[2], &place[0]));
    OK(MPI_Get_address(&numbers[5], &place[1]));
    OK(MPI_Type_create_struct(2, INTS(1, 2), place, TYPES(type, MPI_INT), &nested));
    OK(MPI_Type_commit(&nested));
    numbers[5] = 55, numbers[6] = 66;
    struct { char bytes[21]; int last[2]; } __attribute__((packed)) flat;
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, nested, check_rank, 0, &flat, 29, MPI_BYTE, check_rank, 0, MPI_COMM_WORLD, &status));
    CHECK(flat.bytes[0] == 'c' && flat.last[0] == 55 && flat.last[1] == 66);
    OK(MPI_Type_free(&nested));

    /* Bounds that were set outweigh those that were found. */
    OK(MPI_Type_create_resized(MPI_INT, -8, 16, &pair));
    OK(MPI_Type_create_struct(2, INTS(1, 1), AINTS(0, 40), TYPES(pair, MPI_DOUBLE), &nested));
    expect_bounds(nested, -8, 16, 0, 48);
    OK(MPI_Type_free(&nested));
    OK(MPI_Type_free(&pair));

    OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &nested));
    expect_bounds(nested, 0, 0, 0, 0);
    OK(MPI_Type_free(&nested));
    OK(MPI_Type_free(&type));
}

static void arrays(void)
{
    MPI_Datatype type;
    int c_order[] = {1 * 6 + 2, 1 * 6 + 3, 1 * 6 + 4, 2 * 6 + 2, 2 * 6 + 3, 2 * 6 + 4};
    OK(MPI_Type_create_subarray(2, INTS(4, 6), INTS(2, 3), INTS(1, 2), MPI_ORDER_C, MPI_INT, &type));
    expect_offsets(type, 1, c_order, 6);
    expect_bounds(type, 0, 96, 32, 36);
    expect_contents(type, MPI_COMBINER_SUBARRAY, 8, INTS(2, 4, 6, 2, 3, 1, 2, MPI_ORDER_C), 0, NULL, 1, TYPES(MPI_INT));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_create_subarray_c(2, COUNTS(6, 4), COUNTS(3, 2), COUNTS(2, 1), MPI_ORDER_FORTRAN, MPI_INT, &type));
    expect_offsets(type, 1, c_order, 6);
    expect_large_contents(type, MPI_COMBINER_SUBARRAY, 2, INTS(2, MPI_ORDER_FORTRAN), 6, COUNTS(6, 4, 3, 2, 2, 1), 1,
                          TYPES(MPI_INT));
    OK(MPI_Type_free(&type));

    /* 5 x 7 elements on a grid of 2 x 3: blocks of rows, columns in turn by twos. */
    for (int rank = 0; rank < 6; rank++) {
        int offsets[35], length = 0, row = rank / 3, column = rank % 3;
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 7; j++)
                if (i / 3 == row && j / 2 % 3 == column)
                    offsets[length++] = i * 7 + j;
        OK(MPI_Type_create_darray(6, rank, 2, INTS(5, 7), INTS(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC),
                                  INTS(MPI_DISTRIBUTE_DFLT_DARG, 2), INTS(2, 3), MPI_ORDER_C, MPI_INT, &type));
        expect_offsets(type, 1, offsets, length);
        MPI_Aint lb, extent;
        OK(MPI_Type_get_extent(type, &lb, &extent));
        CHECK(lb == 0 && extent == 35 * sizeof(int));
        expect_contents(type, MPI_COMBINER_DARRAY, 12,
                        INTS(6, rank, 2, 5, 7, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2,
                             2, 3, MPI_ORDER_C),
                        0, NULL, 1, TYPES(MPI_INT));
        OK(MPI_Type_free(&type));
        OK(MPI_Type_create_darray_c(6, rank, 2, COUNTS(5, 7), INTS(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC),
                                    INTS(MPI_DISTRIBUTE_DFLT_DARG, 2), INTS(2, 3), MPI_ORDER_C, MPI_INT, &type));
        expect_offsets(type, 1, offsets, length);
        expect_large_contents(type, MPI_COMBINER_DARRAY, 10,
                              INTS(6, rank, 2, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2,
                                   2, 3, MPI_ORDER_C),
                              2, COUNTS(5, 7), 1, TYPES(MPI_INT));
        OK(MPI_Type_free(&type));
    }
}

static void duplicates(void)
{
    MPI_Datatype type, dup, types[1];
    int i, a, d, c, value = 7, got = 0;
    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
    OK(MPI_Type_dup(type, &dup));
    /* Not committed: nor was the first. */
    CHECK(MPI_Send(numbers, 1, dup, check_rank, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
    OK(MPI_Type_commit(&dup));
    CHECK(MPI_Send(numbers, 1, type, check_rank, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
    OK(MPI_Type_get_envelope(dup, &i, &a, &d, &c));
    CHECK(i == 0 && a == 0 && d == 1 && c == MPI_COMBINER_DUP);
    /* A derived datatype comes back under a new handle, which is the caller's to free. */
    OK(MPI_Type_get_contents(dup, 0, 0, 1, NULL, NULL, types));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_get_envelope(types[0], &i, &a, &d, &c));
    CHECK(i == 3 && c == MPI_COMBINER_VECTOR);
    OK(MPI_Type_free(&types[0]));
    OK(MPI_Type_free(&dup));
    CHECK(MPI_Type_get_contents(MPI_INT, 0, 0, 0, NULL, NULL, NULL) == MPI_ERR_TYPE);
    OK(MPI_Type_get_envelope(MPI_INT, &i, &a, &d, &c));
    CHECK(i == 0 && a == 0 && d == 0 && c == MPI_COMBINER_NAMED);
    OK(MPI_Type_dup(MPI_INT, &dup));
    OK(MPI_Type_get_contents(dup, 0, 0, 1, NULL, NULL, types));
    CHECK(types[0] == MPI_INT && dup != MPI_INT);
    OK(MPI_Allreduce(&value, &got, 1, dup, MPI_MAX, MPI_COMM_SELF));
    CHECK(got == 7);
    OK(MPI_Type_free(&dup));

    char name[MPI_MAX_OBJECT_NAME];
    int length;
    OK(MPI_Type_contiguous(2, MPI_INT, &type));
    OK(MPI_Type_set_name(type, "two integers"));
    OK(MPI_Type_dup(type, &dup));
    OK(MPI_Type_get_name(type, name, &length));
    CHECK(!strcmp(name, "two integers") && length == 12);
    OK(MPI_Type_get_name(dup, name, &length));
    CHECK(!*name && length == 0);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_free(&dup));
    OK(MPI_Type_set_name(MPI_SHORT, "small"));
    OK(MPI_Type_get_name(MPI_SHORT, name, &length));
    CHECK(!strcmp(name, "small"));
}

static void kinds(void)
{
    MPI_Datatype real, again, complex, integer, pair, named;
    int size, i, a, d, c, arguments[2];
    OK(MPI_Type_create_f90_real(15, 307, &real));
    OK(MPI_Type_create_f90_real(15, 307, &again));
    CHECK(real == again);
    OK(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &again));
    CHECK(real != again);
    OK(MPI_Type_size(real, &size));
    CHECK(size == 8);
    OK(MPI_Type_get_envelope(real, &i, &a, &d, &c));
    CHECK(i == 2 && a == 0 && d == 0 && c == MPI_COMBINER_F90_REAL);
    OK(MPI_Type_get_contents(real, 2, 0, 0, arguments, NULL, NULL));
    CHECK(arguments[0] == 15 && arguments[1] == 307);
    double x = 1.5, y = 2, sum = 0;
    OK(MPI_Allreduce(&x, &sum, 1, real, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == 1.5 * check_size);
    OK(MPI_Reduce_local(&x, &y, 1, real, MPI_PROD));
    CHECK(y == 3);
    again = real;
    CHECK(MPI_Type_free(&again) == MPI_ERR_TYPE && again == real);
    OK(MPI_Type_create_f90_complex(6, 30, &complex));
    OK(MPI_Type_size(complex, &size));
    CHECK(size == 8);
    OK(MPI_Type_get_envelope(complex, &i, &a, &d, &c));
    CHECK(i == 2 && c == MPI_COMBINER_F90_COMPLEX);
    OK(MPI_Type_create_f90_integer(10, &integer));
    OK(MPI_Type_size(integer, &size));
    CHECK(size == 8);
    OK(MPI_Type_get_envelope(integer, &i, &a, &d, &c));
    CHECK(i == 1 && c == MPI_COMBINER_F90_INTEGER);
    CHECK(MPI_Type_create_f90_integer(99, &integer) == MPI_ERR_ARG);
    CHECK(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &real) == MPI_ERR_ARG);

    OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &real));
    CHECK(real == MPI_REAL8);
    OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &integer));
    CHECK(integer == MPI_INTEGER2);
    OK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &complex));
    CHECK(complex == MPI_COMPLEX16);
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &real) == MPI_ERR_ARG);

    OK(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    CHECK(pair == MPI_DOUBLE_INT);
    OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT64_T, &pair));
    OK(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT64_T, &again));
    CHECK(pair == again && pair != MPI_DATATYPE_NULL);
    OK(MPI_Type_get_envelope(pair, &i, &a, &d, &c));
    CHECK(i == 0 && a == 0 && d == 2 && c == MPI_COMBINER_VALUE_INDEX);
    MPI_Datatype both[2];
    OK(MPI_Type_get_contents(pair, 0, 0, 2, NULL, NULL, both));
    CHECK(both[0] == MPI_FLOAT && both[1] == MPI_INT64_T);
    struct { float value; int64_t index; } mine = {(float)(check_rank % 3), check_rank + ((int64_t)1 << 40)}, best;
    OK(MPI_Allreduce(&mine, &best, 1, pair, MPI_MAXLOC, MPI_COMM_WORLD));
    int winner = check_size < 3 ? check_size - 1 : 2;
    CHECK(best.value == winner && best.index == winner + ((int64_t)1 << 40));
    CHECK(MPI_Type_free(&again) == MPI_ERR_TYPE);
    OK(MPI_Type_get_value_index(MPI_BYTE, MPI_INT, &named));
    CHECK(named == MPI_DATATYPE_NULL);
}

static void mistakes(void)
{
    MPI_Datatype type;
    MPI_Datatype null = MPI_DATATYPE_NULL;
    CHECK(MPI_Type_contiguous(-1, MPI_INT, &type) == MPI_ERR_COUNT);
    CHECK(MPI_Type_vector(2, -1, 3, MPI_INT, &type) == MPI_ERR_ARG);
    CHECK(MPI_Type_vector(2, 1, 3, null, &type) == MPI_ERR_TYPE);
    CHECK(MPI_Type_indexed(2, NULL, INTS(1, 2), MPI_INT, &type) == MPI_ERR_ARG);
    CHECK(MPI_Type_create_struct(1, INTS(1), AINTS(0), &null, &type) == MPI_ERR_TYPE);
    CHECK(MPI_Type_create_subarray(1, INTS(4), INTS(3), INTS(2), MPI_ORDER_C, MPI_INT, &type) == MPI_ERR_ARG);
    CHECK(MPI_Type_create_subarray(1, INTS(4), INTS(3), INTS(0), 77, MPI_INT, &type) == MPI_ERR_ARG);
    CHECK(MPI_Type_create_darray(2, 2, 1, INTS(4), INTS(MPI_DISTRIBUTE_BLOCK), INTS(MPI_DISTRIBUTE_DFLT_DARG), INTS(2),
                                 MPI_ORDER_C, MPI_INT, &type) == MPI_ERR_ARG);
    CHECK(MPI_Type_create_darray(2, 0, 1, INTS(4), INTS(MPI_DISTRIBUTE_BLOCK), INTS(1), INTS(2), MPI_ORDER_C, MPI_INT,
                                 &type) == MPI_ERR_ARG);
    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &type));
    CHECK(MPI_Type_get_contents(type, 2, 0, 1, numbers, NULL, &null) == MPI_ERR_ARG);
    OK(MPI_Type_free(&type));
    CHECK(type == MPI_DATATYPE_NULL);
    CHECK(MPI_Type_free(&type) == MPI_ERR_TYPE);
    type = MPI_DOUBLE;
    CHECK(MPI_Type_free(&type) == MPI_ERR_TYPE);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    regular();
    irregular();
    structs();
    arrays();
    duplicates();
    kinds();
    mistakes();
    return check_end();
}
