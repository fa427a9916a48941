#include "element.h"

#include "draw.h"
#include "failure.h"

#include <complex.h>
#include <stdbool.h>

#define BIT(op) (1u << (op))

enum {
    ARITHMETIC = BIT(SUM) | BIT(PROD) | BIT(MAX) | BIT(MIN),
    LOGICAL = BIT(LAND) | BIT(LOR) | BIT(LXOR),
    BITWISE = BIT(BAND) | BIT(BOR) | BIT(BXOR),
    INTEGER = ARITHMETIC | LOGICAL | BITWISE,
    INDEXED = BIT(MAXLOC) | BIT(MINLOC),
    USER = BIT(USER_SUM) | BIT(USER_CHAIN),
};

/* Integers wrap around. Logical operations see zero often. */
#define INTEGERS(NAME, T)                                                                       \
    static void NAME##_value(enum op op, uint64_t key, void *at)                                \
    {                                                                                           \
        *(T *)at = (T)(BIT(op) & LOGICAL && key % 3 == 0 ? 0 : key >> 7);                        \
    }                                                                                           \
    static void NAME##_combine(enum op op, void *left, const void *right)                       \
    {                                                                                           \
        T a = *(T *)left, b = *(const T *)right;                                                \
        uint64_t wide = 0;                                                                      \
        switch (op) {                                                                           \
        case SUM: wide = (uint64_t)a + (uint64_t)b; break;                                      \
        case PROD: wide = (uint64_t)a * (uint64_t)b; break;                                     \
        case MAX: wide = (uint64_t)(a > b ? a : b); break;                                      \
        case MIN: wide = (uint64_t)(a < b ? a : b); break;                                      \
        case LAND: wide = a != 0 && b != 0; break;                                              \
        case LOR: wide = a != 0 || b != 0; break;                                               \
        case LXOR: wide = (a != 0) != (b != 0); break;                                          \
        case BAND: wide = (uint64_t)(a & b); break;                                             \
        case BOR: wide = (uint64_t)(a | b); break;                                              \
        case BXOR: wide = (uint64_t)(a ^ b); break;                                             \
        default: failure("no operation on integers");                                           \
        }                                                                                       \
        *(T *)left = (T)wide;                                                                   \
    }                                                                                           \
    static int NAME##_same(const void *a, const void *b)                                        \
    {                                                                                           \
        return *(const T *)a == *(const T *)b;                                                  \
    }

/* Small whole numbers, and signs for products: any order of the ranks gives the same. Their sums have 11 bits. */
#define FLOATING(NAME, T)                                                                       \
    static void NAME##_value(enum op op, uint64_t key, void *at)                                \
    {                                                                                           \
        int most = sizeof(T) == 2 ? 7 : 100, number = (int)(key % (2 * most + 1)) - most;       \
        *(T *)at = (T)(op == PROD ? (key & 1 ? 1 : -1) : number);                               \
    }                                                                                           \
    static void NAME##_combine(enum op op, void *left, const void *right)                       \
    {                                                                                           \
        T a = *(T *)left, b = *(const T *)right;                                                \
        *(T *)left = op == SUM ? a + b : op == PROD ? a * b : op == MAX ? (a > b ? a : b) : (a < b ? a : b); \
    }                                                                                           \
    static int NAME##_same(const void *a, const void *b)                                        \
    {                                                                                           \
        return *(const T *)a == *(const T *)b;                                                  \
    }

#define COMPLEX(NAME, T)                                                                        \
    static void NAME##_value(enum op op, uint64_t key, void *at)                                \
    {                                                                                           \
        static const T complex units[] = {1, -1, I, -I};                                                \
        *(T complex *)at = op == PROD ? units[key % 4] : (int)(key % 201) - 100 + (int)(key / 256 % 99) * I; \
    }                                                                                           \
    static void NAME##_combine(enum op op, void *left, const void *right)                       \
    {                                                                                           \
        T complex a = *(T complex *)left, b = *(const T complex *)right;                        \
        *(T complex *)left = op == SUM ? a + b : a * b;                                         \
    }                                                                                           \
    static int NAME##_same(const void *a, const void *b)                                        \
    {                                                                                           \
        return *(const T complex *)a == *(const T complex *)b;                                  \
    }

/* Values that are often equal, so that the index decides. */
#define INDEXED(NAME, T)                                                                        \
    struct NAME {                                                                               \
        T value;                                                                                \
        int index;                                                                              \
    };                                                                                          \
    static void NAME##_value(enum op op, uint64_t key, void *at)                                \
    {                                                                                           \
        (void)op;                                                                               \
        struct NAME *pair = at;                                                                 \
        pair->value = (T)(key % 5);                                                             \
        pair->index = (int)(key / 5 % 100000) - 50000;                                          \
    }                                                                                           \
    static void NAME##_combine(enum op op, void *left, const void *right)                       \
    {                                                                                           \
        struct NAME *a = left;                                                                  \
        const struct NAME *b = right;                                                           \
        if (op == MAXLOC ? b->value > a->value : b->value < a->value)                           \
            *a = *b;                                                                            \
        else if (b->value == a->value && b->index < a->index)                                   \
            a->index = b->index;                                                                \
    }                                                                                           \
    static int NAME##_same(const void *a, const void *b)                                        \
    {                                                                                           \
        const struct NAME *x = a, *y = b;                                                       \
        return x->value == y->value && x->index == y->index;                                    \
    }

#define INTEGER_TYPES(X)                                                                        \
    X(int8, int8_t, MPI_INT8_T, INTEGER)                                                        \
    X(int16, int16_t, MPI_INT16_T, INTEGER)                                                     \
    X(int32, int32_t, MPI_INT32_T, INTEGER)                                                     \
    X(int64, int64_t, MPI_INT64_T, INTEGER)                                                     \
    X(uint8, uint8_t, MPI_UINT8_T, INTEGER)                                                     \
    X(uint16, uint16_t, MPI_UINT16_T, INTEGER)                                                  \
    X(uint32, uint32_t, MPI_UINT32_T, INTEGER)                                                  \
    X(uint64, uint64_t, MPI_UINT64_T, INTEGER)                                                  \
    X(signed_char, signed char, MPI_SIGNED_CHAR, INTEGER)                                       \
    X(unsigned_short, unsigned short, MPI_UNSIGNED_SHORT, INTEGER)                              \
    X(int, int, MPI_INT, INTEGER)                                                               \
    X(long, long, MPI_LONG, INTEGER)                                                            \
    X(unsigned_long_long, unsigned long long, MPI_UNSIGNED_LONG_LONG, INTEGER)                  \
    X(byte, unsigned char, MPI_BYTE, BITWISE)                                                   \
    X(c_bool, bool, MPI_C_BOOL, LOGICAL)                                                        \
    X(aint, MPI_Aint, MPI_AINT, ARITHMETIC | BITWISE)                                           \
    X(offset, MPI_Offset, MPI_OFFSET, ARITHMETIC | BITWISE)                                     \
    X(count, MPI_Count, MPI_COUNT, ARITHMETIC | BITWISE)

#define FLOATING_TYPES(X)                                                                       \
    X(real2, _Float16, MPI_REAL2, ARITHMETIC)                                                   \
    X(float, float, MPI_FLOAT, ARITHMETIC)                                                      \
    X(double, double, MPI_DOUBLE, ARITHMETIC)                                                   \
    X(long_double, long double, MPI_LONG_DOUBLE, ARITHMETIC)

#define COMPLEX_TYPES(X)                                                                        \
    X(float_complex, float, MPI_C_FLOAT_COMPLEX, BIT(SUM) | BIT(PROD))                          \
    X(double_complex, double, MPI_C_DOUBLE_COMPLEX, BIT(SUM) | BIT(PROD))                       \
    X(long_double_complex, long double, MPI_C_LONG_DOUBLE_COMPLEX, BIT(SUM) | BIT(PROD))

#define INDEXED_TYPES(X)                                                                        \
    X(float_int, float, MPI_FLOAT_INT, INDEXED)                                                 \
    X(double_int, double, MPI_DOUBLE_INT, INDEXED)                                              \
    X(long_int, long, MPI_LONG_INT, INDEXED)                                                    \
    X(two_int, int, MPI_2INT, INDEXED)                                                          \
    X(short_int, short, MPI_SHORT_INT, INDEXED)                                                 \
    X(long_double_int, long double, MPI_LONG_DOUBLE_INT, INDEXED)

#define AS_INTEGERS(NAME, T, TYPE, OPS) INTEGERS(NAME, T)
#define AS_FLOATING(NAME, T, TYPE, OPS) FLOATING(NAME, T)
#define AS_COMPLEX(NAME, T, TYPE, OPS) COMPLEX(NAME, T)
#define AS_INDEXED(NAME, T, TYPE, OPS) INDEXED(NAME, T)
INTEGER_TYPES(AS_INTEGERS)
FLOATING_TYPES(AS_FLOATING)
COMPLEX_TYPES(AS_COMPLEX)
INDEXED_TYPES(AS_INDEXED)

/* A map x -> a x + b; to do one after the other is associative, but not commutative. */
struct map {
    uint32_t a, b;
};

static void map_value(enum op op, uint64_t key, void *at)
{
    (void)op;
    *(struct map *)at = (struct map){(uint32_t)key | 1, (uint32_t)(key >> 32)};
}

static void map_combine(enum op op, void *left, const void *right)
{
    struct map *a = left;
    const struct map *b = right;
    if (op == USER_SUM)
        *a = (struct map){a->a + b->a, a->b + b->b};
    else
        *a = (struct map){a->a * b->a, a->a * b->b + a->b};
}

static int map_same(const void *a, const void *b)
{
    const struct map *x = a, *y = b;
    return x->a == y->a && x->b == y->b;
}

/* The function that MPI calls: `right` becomes `left op right`, element by element; gaps are left alone. */
static void maps(enum op op, char *left, char *right, MPI_Count count, MPI_Datatype type)
{
    MPI_Count lower, extent;
    OK(MPI_Type_get_extent_c(type, &lower, &extent));
    for (MPI_Count i = 0; i < count; i++) {
        struct map result = *(struct map *)(left + i * extent);
        map_combine(op, &result, right + i * extent);
        *(struct map *)(right + i * extent) = result;
    }
}

static void user_sum(void *left, void *right, int *count, MPI_Datatype *type)
{
    maps(USER_SUM, left, right, *count, *type);
}

static void user_chain(void *left, void *right, MPI_Count *count, MPI_Datatype *type)
{
    maps(USER_CHAIN, left, right, *count, *type);
}

#define ENTRY(NAME, T, TYPE, OPS) \
    {#NAME, TYPE, 0, sizeof(T), sizeof(T), OPS, NAME##_value, NAME##_combine, NAME##_same},
#define COMPLEX_ENTRY(NAME, T, TYPE, OPS) ENTRY(NAME, T complex, TYPE, OPS)
#define INDEXED_ENTRY(NAME, T, TYPE, OPS) ENTRY(NAME, struct NAME, TYPE, OPS)

static const struct element elements[] = {
    INTEGER_TYPES(ENTRY)
    FLOATING_TYPES(ENTRY)
    COMPLEX_TYPES(COMPLEX_ENTRY)
    INDEXED_TYPES(INDEXED_ENTRY)
};

static struct element map_element(struct draw *draw)
{
    struct element element = {"map", MPI_DATATYPE_NULL, 1, sizeof(struct map), sizeof(struct map), USER, map_value,
                              map_combine, map_same};
    MPI_Datatype tight;
    OK(MPI_Type_contiguous(2, MPI_UINT32_T, &tight));
    element.extent += sizeof(uint32_t) * drawn_below(draw, 4);
    OK(MPI_Type_create_resized(tight, 0, (MPI_Aint)element.extent, &element.type));
    OK(MPI_Type_commit(&element.type));
    OK(MPI_Type_free(&tight));
    return element;
}

struct element element_drawn(uint64_t seed, enum op *op)
{
    struct draw draw = {.seed = seed};
    int known = sizeof elements / sizeof *elements, which = drawn_below(&draw, known * 5 / 4);
    struct element element = which < known ? elements[which] : map_element(&draw);
    do
        *op = drawn_below(&draw, OPS);
    while (!(element.ops & BIT(*op)));
    return element;
}

void element_free(struct element *element)
{
    if (element->made)
        OK(MPI_Type_free(&element->type));
    element->made = 0;
}

MPI_Op op_handle(enum op op)
{
    static const MPI_Op predefined[] = {
        [SUM] = MPI_SUM,   [PROD] = MPI_PROD, [MAX] = MPI_MAX,   [MIN] = MPI_MIN,       [LAND] = MPI_LAND,
        [LOR] = MPI_LOR,   [LXOR] = MPI_LXOR, [BAND] = MPI_BAND, [BOR] = MPI_BOR,       [BXOR] = MPI_BXOR,
        [MAXLOC] = MPI_MAXLOC, [MINLOC] = MPI_MINLOC,
    };
    MPI_Op handle;
    if (op_is_predefined(op))
        return predefined[op];
    if (op == USER_SUM)
        OK(MPI_Op_create(user_sum, 1, &handle));
    else
        OK(MPI_Op_create_c(user_chain, 0, &handle));
    return handle;
}

int op_is_predefined(enum op op)
{
    return op != USER_SUM && op != USER_CHAIN;
}
