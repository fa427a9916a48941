/* The numbers of Fortran that have a size in their name, and those that are found by precision and range, through all
   collectives. */
#include "fortran_types.h"

NUMBERS(half, _Float16, REAL_VALUE, REAL_LESS)
NUMBERS(single, float, REAL_VALUE, REAL_LESS)
NUMBERS(twice, double, REAL_VALUE, REAL_LESS)
NUMBERS(extended, long double, REAL_VALUE, REAL_LESS)
NUMBERS(quadruple, _Float128, REAL_VALUE, REAL_LESS)
NUMBERS(integer1, int8_t, REAL_VALUE, REAL_LESS)
NUMBERS(integer2, int16_t, REAL_VALUE, REAL_LESS)
NUMBERS(integer4, int32_t, REAL_VALUE, REAL_LESS)
NUMBERS(integer8, int64_t, REAL_VALUE, REAL_LESS)
NUMBERS(integer16, __int128, REAL_VALUE, REAL_LESS)
NUMBERS(half_complex, complex_half, COMPLEX_VALUE, COMPLEX_LESS)
NUMBERS(single_complex, complex_float, COMPLEX_VALUE, COMPLEX_LESS)
NUMBERS(twice_complex, complex_double, COMPLEX_VALUE, COMPLEX_LESS)
NUMBERS(extended_complex, complex_extended, COMPLEX_VALUE, COMPLEX_LESS)
NUMBERS(quadruple_complex, complex_quadruple, COMPLEX_VALUE, COMPLEX_LESS)

LOGICALS(logical1, int8_t)
LOGICALS(logical2, int16_t)
LOGICALS(logical4, int32_t)
LOGICALS(logical8, int64_t)
LOGICALS(logical16, __int128)

static MPI_Datatype real_of(int p, int r)
{
    MPI_Datatype type;
    OK(MPI_Type_create_f90_real(p, r, &type));
    return type;
}

static MPI_Datatype complex_of(int p, int r)
{
    MPI_Datatype type;
    OK(MPI_Type_create_f90_complex(p, r, &type));
    return type;
}

static MPI_Datatype integer_of(int r)
{
    MPI_Datatype type;
    OK(MPI_Type_create_f90_integer(r, &type));
    return type;
}

static MPI_Datatype of_size(int class, int size)
{
    MPI_Datatype type;
    OK(MPI_Type_match_size(class, size, &type));
    return type;
}

/* The digits of a sum and of a product are all there: 113 bits of them, or 64. */
static void precision(void)
{
    _Float128 tiny = 1, third = 1 / (_Float128)3, sum, product;
    for (int i = 0; i < 110; i++)
        tiny /= 2;
    _Float128 part = check_rank ? tiny : 1;
    OK(MPI_Allreduce(&part, &sum, 1, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD));
    if (check_size < 8)
        CHECK(sum == 1 + (check_size - 1) * tiny);
    product = 3;
    OK(MPI_Reduce_local(&third, &product, 1, MPI_REAL16, MPI_PROD));
    CHECK(product == third * 3);
    long double least = 1, extended = 1;
    for (int i = 0; i < 63; i++)
        least /= 2;
    OK(MPI_Reduce_local(&least, &extended, 1, real_of(18, MPI_UNDEFINED), MPI_SUM));
    CHECK(extended == 1 + least && extended > 1);
    /* Halves are rounded after each operation, to the even one. */
    _Float16 large = 2048, one = 1;
    OK(MPI_Reduce_local(&one, &large, 1, MPI_REAL2, MPI_SUM));
    CHECK(large == 2048);
}

/* Operations that the standard does not define on a type are refused. */
static void undefined_operations(void)
{
    struct { MPI_Datatype type; MPI_Op op; } wrong[] = {
        {MPI_COMPLEX, MPI_MAX},    {MPI_COMPLEX32, MPI_MIN}, {MPI_REAL2, MPI_BAND},     {MPI_REAL16, MPI_LAND},
        {MPI_LOGICAL, MPI_SUM},    {MPI_LOGICAL8, MPI_BOR},  {MPI_LOGICAL1, MPI_MAX},   {MPI_INTEGER, MPI_LAND},
        {MPI_INTEGER16, MPI_LXOR}, {MPI_CHARACTER, MPI_MAX}, {MPI_2INTEGER, MPI_SUM},   {MPI_REAL, MPI_MINLOC},
        {MPI_BYTE, MPI_SUM},       {MPI_WCHAR, MPI_MIN},     {MPI_2REAL, MPI_MAX},      {MPI_PACKED, MPI_BOR},
    };
    char a[64] = {0}, b[64] = {0};
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        FAILS(MPI_Allreduce(a, b, 1, wrong[i].type, wrong[i].op, MPI_COMM_SELF), MPI_ERR_OP);
    MPI_Datatype kind = complex_of(6, 30);
    FAILS(MPI_Allreduce(a, b, 1, kind, MPI_MAX, MPI_COMM_SELF), MPI_ERR_OP);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

/* Whether the constructor is told again, and gives the same datatype. */
static void constructors(void)
{
    int counts[3], combiner, arguments[2];
    MPI_Datatype made[] = {real_of(15, 300), complex_of(MPI_UNDEFINED, 30), integer_of(12)};
    int expected[3][4] = {{2, MPI_COMBINER_F90_REAL, 15, 300},
                          {2, MPI_COMBINER_F90_COMPLEX, MPI_UNDEFINED, 30},
                          {1, MPI_COMBINER_F90_INTEGER, 12, 12}};
    CHECK(made[0] == real_of(15, 300) && made[1] == complex_of(MPI_UNDEFINED, 30) && made[2] == integer_of(12));
    CHECK(made[0] != real_of(15, 301) && made[2] != integer_of(13) && made[0] != complex_of(15, 300));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Type_get_envelope(made[i], &counts[0], &counts[1], &counts[2], &combiner));
        CHECK(counts[0] == expected[i][0] && !counts[1] && !counts[2] && combiner == expected[i][1]);
        OK(MPI_Type_get_contents(made[i], 2, 0, 0, arguments, NULL, NULL));
        CHECK(arguments[0] == expected[i][2] && arguments[counts[0] - 1] == expected[i][3]);
        MPI_Datatype array, inner;
        OK(MPI_Type_contiguous(3, made[i], &array));
        OK(MPI_Type_get_contents(array, 1, 0, 1, arguments, NULL, &inner));
        CHECK(inner == made[i]);
        OK(MPI_Type_free(&array));
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    half(MPI_REAL2, REAL_OPS), half(of_size(MPI_TYPECLASS_REAL, 2), REAL_OPS);
    single(MPI_REAL, REAL_OPS), single(MPI_REAL4, REAL_OPS), single(real_of(6, 37), REAL_OPS);
    twice(MPI_DOUBLE_PRECISION, REAL_OPS), twice(MPI_REAL8, REAL_OPS), twice(real_of(7, 30), REAL_OPS);
    extended(MPI_LONG_DOUBLE, REAL_OPS), extended(real_of(18, 4931), REAL_OPS);
    quadruple(MPI_REAL16, REAL_OPS), quadruple(real_of(33, 4931), REAL_OPS);
    quadruple(of_size(MPI_TYPECLASS_REAL, 16), REAL_OPS);
    integer1(MPI_INTEGER1, REAL_OPS), integer1(integer_of(2), REAL_OPS);
    integer2(MPI_INTEGER2, REAL_OPS), integer2(integer_of(4), REAL_OPS);
    integer4(MPI_INTEGER, REAL_OPS), integer4(MPI_INTEGER4, REAL_OPS), integer4(integer_of(9), REAL_OPS);
    integer8(MPI_INTEGER8, REAL_OPS), integer8(integer_of(18), REAL_OPS);
    integer16(MPI_INTEGER16, REAL_OPS), integer16(integer_of(38), REAL_OPS);
    half_complex(MPI_COMPLEX4, COMPLEX_OPS);
    single_complex(MPI_COMPLEX, COMPLEX_OPS), single_complex(MPI_COMPLEX8, COMPLEX_OPS);
    twice_complex(MPI_DOUBLE_COMPLEX, COMPLEX_OPS), twice_complex(MPI_COMPLEX16, COMPLEX_OPS);
    twice_complex(complex_of(15, MPI_UNDEFINED), COMPLEX_OPS);
    extended_complex(complex_of(18, 4931), COMPLEX_OPS);
    quadruple_complex(MPI_COMPLEX32, COMPLEX_OPS), quadruple_complex(complex_of(33, 10), COMPLEX_OPS);
    logical1(MPI_LOGICAL1, 1, 0), logical2(MPI_LOGICAL2, 1, 0), logical4(MPI_LOGICAL4, 1, 0);
    logical4(MPI_LOGICAL, 1, 0), logical8(MPI_LOGICAL8, 1, 0), logical16(MPI_LOGICAL16, 1, 0);
    precision();
    undefined_operations();
    constructors();
    return check_end();
}
