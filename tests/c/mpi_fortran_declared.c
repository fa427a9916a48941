/* Fortran's types where the compiler's options change their sizes, and the words for true and false are not C's. */
#include "fortran_types.h"

NUMBERS(integer, int64_t, REAL_VALUE, REAL_LESS)
NUMBERS(real, double, REAL_VALUE, REAL_LESS)
NUMBERS(double_precision, _Float128, REAL_VALUE, REAL_LESS)
NUMBERS(complex, complex_double, COMPLEX_VALUE, COMPLEX_LESS)
NUMBERS(double_complex, complex_quadruple, COMPLEX_VALUE, COMPLEX_LESS)
NUMBERS(single, float, REAL_VALUE, REAL_LESS)
NUMBERS(extended, long double, REAL_VALUE, REAL_LESS)

LOCATIONS(two_integer, int64_t)
LOCATIONS(two_real, double)
LOCATIONS(two_double_precision, _Float128)

LOGICALS(logical1, int8_t)
LOGICALS(logical2, int16_t)
LOGICALS(logical4, int32_t)
LOGICALS(logical8, int64_t)
LOGICALS(logical16, __int128)

/* As with gfortran's -fdefault-integer-8 and -fdefault-real-8, but without some types, and with Intel's logicals. */
static const char *declarations[][2] = {
    {"mpi_integer_size", "8"},           {"mpi_logical_size", "8"},           {"mpi_real_size", "8"},
    {"mpi_double_precision_size", "16"}, {"mpi_integer2_supported", "false"}, {"mpi_real2_supported", "false"},
    {"mpi_real16_supported", "false"},   {"mpi_real4_supported", "true"},
};

static void declare(void)
{
    MPI_Info info;
    int64_t yes = -1, no = 0, found[2];
    int known;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_integer_size", "3"));
    OK(MPI_Info_set(info, "mpi_real2_supported", "perhaps"));
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
        OK(MPI_Info_set(info, declarations[i][0], declarations[i][1]));
    OK(MPI_Abi_set_fortran_info(info));
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_set_fortran_booleans(8, &yes, &no));
    OK(MPI_Abi_get_fortran_booleans(8, &found[0], &found[1], &known));
    CHECK(known && found[0] == -1 && found[1] == 0);
}

/* A type that the compiler lacks has no size, and takes part in nothing. */
static void lacking(void)
{
    int size, length;
    MPI_Count large;
    char name[MPI_MAX_OBJECT_NAME];
    short out = 1, in = 2;
    MPI_Datatype type;
    OK(MPI_Type_size(MPI_INTEGER2, &size));
    OK(MPI_Type_size_c(MPI_INTEGER2, &large));
    CHECK(size == MPI_UNDEFINED && large == MPI_UNDEFINED);
    OK(MPI_Type_get_name(MPI_INTEGER2, name, &length));
    CHECK(!strcmp(name, "MPI_INTEGER2"));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_Sendrecv(&out, 1, MPI_INTEGER2, 0, 0, &in, 1, MPI_INTEGER2, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE),
          MPI_ERR_TYPE);
    FAILS(MPI_Allreduce(&out, &in, 1, MPI_INTEGER2, MPI_SUM, MPI_COMM_SELF), MPI_ERR_TYPE);
    FAILS(MPI_Type_contiguous(2, MPI_INTEGER2, &type), MPI_ERR_TYPE);
    CHECK(in == 2);
    FAILS(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type), MPI_ERR_ARG);
    FAILS(MPI_Type_create_f90_real(19, 10, &type), MPI_ERR_ARG);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    /* The next larger one takes the place of one that the compiler lacks. */
    OK(MPI_Type_create_f90_integer(3, &type));
    OK(MPI_Type_size(type, &size));
    CHECK(size == 4);
    OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 16, &type));
    CHECK(type == MPI_LONG_DOUBLE);
}

/* Names and handles stay what they are. */
static void handles(void)
{
    MPI_Datatype types[] = {MPI_INTEGER, MPI_REAL, MPI_COMPLEX, MPI_2REAL, MPI_LOGICAL, MPI_LOGICAL4};
    const char *names[] = {"MPI_INTEGER", "MPI_REAL", "MPI_COMPLEX", "MPI_2REAL", "MPI_LOGICAL", "MPI_LOGICAL4"};
    for (int i = 0; i < 6; i++) {
        int counts[3], combiner, length, argument;
        char name[MPI_MAX_OBJECT_NAME];
        MPI_Datatype array, inner, freed = types[i];
        OK(MPI_Type_get_name(types[i], name, &length));
        CHECK(!strcmp(name, names[i]));
        OK(MPI_Type_get_envelope(types[i], &counts[0], &counts[1], &counts[2], &combiner));
        CHECK(combiner == MPI_COMBINER_NAMED && !counts[0] && !counts[2]);
        OK(MPI_Type_contiguous(3, types[i], &array));
        OK(MPI_Type_get_contents(array, 1, 0, 1, &argument, NULL, &inner));
        CHECK(inner == types[i]);
        OK(MPI_Type_free(&array));
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
        FAILS(MPI_Type_free(&freed), MPI_ERR_TYPE);
        OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    }
    MPI_Datatype pair;
    OK(MPI_Type_get_value_index(MPI_INTEGER, MPI_INTEGER, &pair));
    CHECK(pair == MPI_2INTEGER);
}

/* A duplicate of a logical has the same words. */
static void duplicate(void)
{
    MPI_Datatype type;
    OK(MPI_Type_dup(MPI_LOGICAL, &type));
    logical8(type, -1, 0);
    OK(MPI_Type_free(&type));
}

/* The external representation has the sizes of the standard's table. */
static void external(void)
{
    struct { MPI_Datatype type; MPI_Aint size; } table[] = {
        {MPI_INTEGER, 4}, {MPI_REAL, 4}, {MPI_DOUBLE_PRECISION, 8}, {MPI_COMPLEX, 8}, {MPI_LOGICAL, 4},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        MPI_Aint size;
        OK(MPI_Pack_external_size("external32", 3, table[i].type, &size));
        CHECK(size == 3 * table[i].size);
    }
    unsigned char bytes[4];
    double third = 1.0 / 3, back;
    MPI_Aint position = 0;
    OK(MPI_Pack_external("external32", &third, 1, MPI_REAL, bytes, 4, &position));
    CHECK(bytes[0] == 0x3e && bytes[1] == 0xaa && bytes[2] == 0xaa && bytes[3] == 0xab);
    position = 0;
    OK(MPI_Unpack_external("external32", bytes, 4, &position, &back, 1, MPI_REAL));
    CHECK(back == (float)third);
}

int main(int argc, char **argv)
{
    declare();
    check_begin(&argc, &argv);
    integer(MPI_INTEGER, REAL_OPS), real(MPI_REAL, REAL_OPS);
    double_precision(MPI_DOUBLE_PRECISION, REAL_OPS);
    complex(MPI_COMPLEX, COMPLEX_OPS), double_complex(MPI_DOUBLE_COMPLEX, COMPLEX_OPS);
    single(MPI_REAL4, REAL_OPS), real(MPI_DOUBLE, REAL_OPS), extended(MPI_LONG_DOUBLE, REAL_OPS);
    two_integer(MPI_2INTEGER), two_real(MPI_2REAL), two_double_precision(MPI_2DOUBLE_PRECISION);
    logical8(MPI_LOGICAL, -1, 0);
    logical1(MPI_LOGICAL1, -1, 0), logical2(MPI_LOGICAL2, -1, 0), logical4(MPI_LOGICAL4, -1, 0);
    logical8(MPI_LOGICAL8, -1, 0), logical16(MPI_LOGICAL16, -1, 0);
    logical1(MPI_C_BOOL, 1, 0);
    lacking();
    handles();
    duplicate();
    external();
    return check_end();
}
