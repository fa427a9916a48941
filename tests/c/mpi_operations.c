/* Reductions: each predefined operation on each type it is defined on, operations of the program, all collectives. */
#include "mpi_check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

/* Small values, so that no sum or product of them leaves the narrowest type: rank r brings (r + i) % 3. */
#define VALUE(r, i) (((r) + (i)) % 3)

enum { N = 37 };

/* The first `many` operations on one C type; results are computed in long. */
#define ARITHMETIC(function, ctype)                                                                    \
    static void function(MPI_Datatype type, int many)                                                 \
    {                                                                                                 \
        MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND,                                \
                        MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};                              \
        ctype out[N], in[N];                                                                          \
        for (int o = 0; o < many; o++) {                                                              \
            for (int i = 0; i < N; i++)                                                               \
                out[i] = (ctype)VALUE(check_rank, i);                                                 \
            OK(MPI_Allreduce(out, in, N, type, ops[o], MPI_COMM_WORLD));                              \
            for (int i = 0; i < N; i++) {                                                             \
                long result = VALUE(0, i);                                                            \
                for (int r = 1; r < check_size; r++) {                                                \
                    long next = VALUE(r, i);                                                          \
                    switch (o) {                                                                      \
                    case 0: result += next; break;                                                    \
                    case 1: result *= next; break;                                                    \
                    case 2: result = next < result ? next : result; break;                            \
                    case 3: result = next > result ? next : result; break;                            \
                    case 4: result &= next; break;                                                    \
                    case 5: result |= next; break;                                                    \
                    case 6: result ^= next; break;                                                    \
                    case 7: result = result && next; break;                                           \
                    case 8: result = result || next; break;                                           \
                    case 9: result = !result != !next; break;                                         \
                    }                                                                                 \
                }                                                                                     \
                if (o >= 7)                                                                           \
                    CHECK(!in[i] == !result);                                                         \
                else                                                                                  \
                    CHECK(in[i] == (ctype)result);                                                    \
            }                                                                                         \
        }                                                                                             \
    }

ARITHMETIC(on_char, char)
ARITHMETIC(on_i8, int8_t)
ARITHMETIC(on_u8, uint8_t)
ARITHMETIC(on_i16, int16_t)
ARITHMETIC(on_u16, uint16_t)
ARITHMETIC(on_i32, int32_t)
ARITHMETIC(on_u32, uint32_t)
ARITHMETIC(on_i64, int64_t)
ARITHMETIC(on_u64, uint64_t)
ARITHMETIC(on_float, float)
ARITHMETIC(on_double, double)
ARITHMETIC(on_long_double, long double)

static void numbers(void)
{
    /* The standard: all ten on C integers, none of the last three on other integers, the first four on reals. */
    enum { C = 10, OTHER = 7, REAL = 4 };
    on_i8(MPI_SIGNED_CHAR, C), on_i8(MPI_INT8_T, C), on_i8(MPI_INTEGER1, OTHER);
    on_u8(MPI_UNSIGNED_CHAR, C), on_u8(MPI_UINT8_T, C);
    on_i16(MPI_SHORT, C), on_i16(MPI_INT16_T, C), on_i16(MPI_INTEGER2, OTHER);
    on_u16(MPI_UNSIGNED_SHORT, C), on_u16(MPI_UINT16_T, C);
    on_i32(MPI_INT, C), on_i32(MPI_INT32_T, C), on_i32(MPI_INTEGER, OTHER), on_i32(MPI_INTEGER4, OTHER);
    on_u32(MPI_UNSIGNED, C), on_u32(MPI_UINT32_T, C);
    on_i64(MPI_LONG, C), on_i64(MPI_LONG_LONG, C), on_i64(MPI_INT64_T, C), on_i64(MPI_INTEGER8, OTHER);
    /* Not the standard's, but usual: logical operations on these, which are integers. */
    on_i64(MPI_AINT, C), on_i64(MPI_COUNT, C), on_i64(MPI_OFFSET, C);
    on_u64(MPI_UNSIGNED_LONG, C), on_u64(MPI_UNSIGNED_LONG_LONG, C), on_u64(MPI_UINT64_T, C);
    on_float(MPI_FLOAT, REAL), on_float(MPI_REAL, REAL), on_float(MPI_REAL4, REAL);
    on_double(MPI_DOUBLE, REAL), on_double(MPI_DOUBLE_PRECISION, REAL), on_double(MPI_REAL8, REAL);
    on_long_double(MPI_LONG_DOUBLE, REAL);

    /* Not the standard's, but usual: char is an integer, of the sign that it has here. */
    on_char(MPI_CHAR, C);
    char sign = (char)(check_rank % 2 ? -1 : 1), least, most;
    OK(MPI_Allreduce(&sign, &least, 1, MPI_CHAR, MPI_MIN, MPI_COMM_WORLD));
    CHECK(least == (check_size > 1 && (char)-1 < 0 ? (char)-1 : 1));
    most = 1;
    OK(MPI_Reduce_local(&sign, &most, 1, MPI_CHAR, MPI_MAX));
    CHECK(most == (sign > 1 ? sign : 1));

    double complex z = 1 + check_rank * I, sum, expected = check_size + check_size * (check_size - 1) / 2 * I;
    OK(MPI_Allreduce(&z, &sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == expected);
    float complex f = I, product;
    OK(MPI_Allreduce(&f, &product, 1, MPI_C_FLOAT_COMPLEX, MPI_PROD, MPI_COMM_WORLD));
    float complex power[] = {1, I, -1, -I};
    CHECK(product == power[check_size % 4]);
    bool yes = check_rank == 0, any, all;
    OK(MPI_Allreduce(&yes, &any, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD));
    OK(MPI_Allreduce(&yes, &all, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD));
    CHECK(any && all == (check_size == 1));
    unsigned char byte = (unsigned char)(1 << check_rank % 8), bits;
    OK(MPI_Allreduce(&byte, &bits, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD));
    CHECK(bits == (check_size >= 8 ? 255 : (1 << check_size) - 1));
}

#define LOCATIONS(ctype, type)                                                                     \
    do {                                                                                           \
        struct { ctype value; int index; } out = {(ctype)((check_rank + 1) / 2), check_rank}, in;  \
        OK(MPI_Allreduce(&out, &in, 1, type, MPI_MINLOC, MPI_COMM_WORLD));                         \
        CHECK(in.value == 0 && in.index == 0);                                                     \
        OK(MPI_Allreduce(&out, &in, 1, type, MPI_MAXLOC, MPI_COMM_WORLD));                         \
        CHECK(in.value == (ctype)(check_size / 2));                                                \
        CHECK(in.index == (check_size == 1 ? 0 : check_size % 2 ? check_size - 2 : check_size - 1)); \
    } while (0)

static void locations(void)
{
    LOCATIONS(float, MPI_FLOAT_INT);
    LOCATIONS(double, MPI_DOUBLE_INT);
    LOCATIONS(long, MPI_LONG_INT);
    LOCATIONS(int, MPI_2INT);
    LOCATIONS(short, MPI_SHORT_INT);
    LOCATIONS(long double, MPI_LONG_DOUBLE_INT);
}

/* 2 x 2 matrices modulo a prime: associative, not commutative. */
typedef struct { int m[4]; } matrix;
enum { PRIME = 10007 };
static MPI_Datatype matrix_type;
static int called;

static matrix times(matrix a, matrix b)
{
    const int p = PRIME;
    return (matrix){{(a.m[0] * b.m[0] + a.m[1] * b.m[2]) % p, (a.m[0] * b.m[1] + a.m[1] * b.m[3]) % p,
                     (a.m[2] * b.m[0] + a.m[3] * b.m[2]) % p, (a.m[2] * b.m[1] + a.m[3] * b.m[3]) % p}};
}

static matrix matrix_of(int rank, int i)
{
    return (matrix){{1 + rank, (2 + i) % PRIME, 3, (5 + rank * i) % PRIME}};
}

static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
    CHECK(*type == matrix_type); /* the caller's own handle */
    matrix *a = in, *b = inout;
    for (int i = 0; i < *len; i++)
        b[i] = times(a[i], b[i]);
    called++;
}

static void multiply_large(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    int n = (int)*len;
    multiply(in, inout, &n, type);
}

static matrix expected(int first, int last, int i)
{
    matrix result = matrix_of(first, i);
    for (int r = first + 1; r <= last; r++)
        result = times(result, matrix_of(r, i));
    return result;
}

static int same(matrix a, matrix b)
{
    return !memcmp(&a, &b, sizeof a);
}

static void matrices(MPI_Op op, int n)
{
    int last = check_size - 1;
    matrix *out = malloc(n * sizeof *out), *in = malloc(n * sizeof *in);
    for (int place = 0; place < 2; place++) {
        for (int i = 0; i < n; i++)
            out[i] = in[i] = matrix_of(check_rank, i);
        OK(MPI_Allreduce(place ? MPI_IN_PLACE : out, in, n, matrix_type, op, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(same(in[i], expected(0, last, i)));
        for (int root = 0; root < check_size; root += 1 + last / 2) {
            for (int i = 0; i < n; i++)
                in[i] = out[i];
            OK(MPI_Reduce(place && check_rank == root ? MPI_IN_PLACE : out, in, n, matrix_type, op, root,
                          MPI_COMM_WORLD));
            for (int i = 0; i < n; i++)
                CHECK(same(in[i], check_rank == root ? expected(0, last, i) : out[i]));
        }
        for (int i = 0; i < n; i++)
            in[i] = out[i];
        OK(MPI_Scan(place ? MPI_IN_PLACE : out, in, n, matrix_type, op, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(same(in[i], expected(0, check_rank, i)));
        for (int i = 0; i < n; i++)
            in[i] = out[i];
        OK(MPI_Exscan(place ? MPI_IN_PLACE : out, in, n, matrix_type, op, MPI_COMM_WORLD));
        for (int i = 0; check_rank && i < n; i++)
            CHECK(same(in[i], expected(0, check_rank - 1, i)));
    }
    free(out);
    free(in);
}

static void scattered(MPI_Op op, int n)
{
    int total = n * check_size, last = check_size - 1, uneven = 0, before = 0;
    int *counts = malloc(check_size * sizeof *counts);
    for (int r = 0; r < check_size; r++) {
        counts[r] = r % 2 ? 0 : n;
        before += r < check_rank ? counts[r] : 0;
        uneven += counts[r];
    }
    matrix *out = malloc(total * sizeof *out), *in = malloc(total * sizeof *in);
    for (int place = 0; place < 2; place++) {
        for (int i = 0; i < total; i++)
            out[i] = in[i] = matrix_of(check_rank, i);
        OK(MPI_Reduce_scatter_block(place ? MPI_IN_PLACE : out, in, n, matrix_type, op, MPI_COMM_WORLD));
        for (int i = 0; i < n; i++)
            CHECK(same(in[i], expected(0, last, check_rank * n + i)));
        for (int i = 0; i < uneven; i++)
            in[i] = out[i];
        OK(MPI_Reduce_scatter(place ? MPI_IN_PLACE : out, in, counts, matrix_type, op, MPI_COMM_WORLD));
        for (int i = 0; i < counts[check_rank]; i++)
            CHECK(same(in[i], expected(0, last, before + i)));
    }
    free(counts);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    numbers();
    locations();
    MPI_Op op, large;
    int commutes;
    OK(MPI_Type_contiguous(4, MPI_INT, &matrix_type));
    OK(MPI_Type_commit(&matrix_type));
    OK(MPI_Op_create(multiply, 0, &op));
    OK(MPI_Op_create_c(multiply_large, 0, &large));
    OK(MPI_Op_commutative(op, &commutes));
    CHECK(!commutes);
    OK(MPI_Op_commutative(MPI_SUM, &commutes));
    CHECK(commutes);
    for (int n = 1; n < 20000; n = n * 9 + 1) {
        matrices(op, n);
        matrices(large, n);
    }
    scattered(op, 1);
    scattered(op, 50);
    /* Some rank has called the functions: which one may depend on who comes last. */
    OK(MPI_Allreduce(MPI_IN_PLACE, &called, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(check_size == 1 || called);

    matrix a = matrix_of(1, 2), b = matrix_of(3, 4), c = b;
    OK(MPI_Reduce_local(&a, &c, 1, matrix_type, op));
    CHECK(same(c, times(a, b)));
    int x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
    OK(MPI_Reduce_local(x, y, 3, MPI_INT, MPI_SUM));
    CHECK(y[0] == 11 && y[2] == 33);
    OK(MPI_Op_free(&op));
    OK(MPI_Op_free(&large));
    CHECK(op == MPI_OP_NULL);
    OK(MPI_Type_free(&matrix_type));

    /* Sums of doubles are the same each time, whatever the order of arrival. */
    double part = 1.0 / (check_rank + 3), first, again;
    OK(MPI_Allreduce(&part, &first, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < 100; i++) {
        OK(MPI_Allreduce(&part, &again, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
        CHECK(again == first);
    }
    return check_end();
}
