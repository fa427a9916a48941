/* Packing: in the representation of the machine, and in the external one. */
#include "mpi_check.h"
#include <complex.h>
#include <stddef.h>

static void native(void)
{
    int matrix[10][10], column[10], size, position = 0;
    char buffer[100];
    MPI_Datatype type;
    MPI_Count large_size, large_position = 0;
    OK(MPI_Type_vector(10, 1, 10, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    for (int i = 0; i < 100; i++)
        matrix[i / 10][i % 10] = i;
    OK(MPI_Pack_size(1, type, MPI_COMM_WORLD, &size));
    CHECK(size == 40);
    OK(MPI_Pack_size_c(1, type, MPI_COMM_WORLD, &large_size));
    CHECK(large_size == 40);
    OK(MPI_Pack(&matrix[0][3], 1, type, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
    CHECK(position == 40);
    OK(MPI_Pack(&matrix[5][0], 10, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
    CHECK(position == 80);
    /* A packed buffer is sent as it is, and received as what is in it. */
    char got[100] = {0};
    MPI_Status status;
    OK(MPI_Sendrecv(buffer, position, MPI_PACKED, check_rank, 0, got, sizeof got, MPI_PACKED, check_rank, 0,
                    MPI_COMM_WORLD, &status));
    position = 0;
    OK(MPI_Unpack(got, 80, &position, column, 10, MPI_INT, MPI_COMM_WORLD));
    for (int i = 0; i < 10; i++)
        CHECK(column[i] == 10 * i + 3);
    OK(MPI_Unpack(got, 80, &position, &matrix[0][9], 1, type, MPI_COMM_WORLD));
    CHECK(position == 80);
    for (int i = 0; i < 10; i++)
        CHECK(matrix[i][9] == 50 + i && matrix[i][8] == 10 * i + 8);
    OK(MPI_Pack_c(&matrix[0][3], 1, type, buffer, sizeof buffer, &large_position, MPI_COMM_WORLD));
    CHECK(large_position == 40);
    large_position = 4;
    OK(MPI_Unpack_c(buffer, 40, &large_position, column, 9, MPI_INT, MPI_COMM_WORLD));
    CHECK(large_position == 40 && column[0] == 13 && column[8] == 93);

    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    position = 70;
    CHECK(MPI_Pack(matrix, 10, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE);
    CHECK(position == 70);
    CHECK(MPI_Unpack(buffer, 100, &position, column, 10, MPI_INT, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE);
    position = -1;
    CHECK(MPI_Pack(matrix, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD) == MPI_ERR_ARG);
    CHECK(MPI_Pack(matrix, 1, MPI_INT, buffer, sizeof buffer, NULL, MPI_COMM_WORLD) == MPI_ERR_ARG);
    OK(MPI_Type_free(&type));
    OK(MPI_Type_contiguous(1 << 30, MPI_INT, &type));
    OK(MPI_Type_commit(&type));
    CHECK(MPI_Pack_size(1, type, MPI_COMM_WORLD, &size) == MPI_ERR_VALUE_TOO_LARGE);
    OK(MPI_Pack_size_c(1, type, MPI_COMM_WORLD, &large_size));
    CHECK(large_size == (MPI_Count)1 << 32);
    OK(MPI_Type_free(&type));
}

static void external(void)
{
    struct record { char letter; long number; double value; long double precise; float complex pair; } in[3], out[3];
    MPI_Datatype type, fields[] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_FLOAT_COMPLEX};
    int lengths[] = {1, 1, 1, 1, 1};
    MPI_Aint places[] = {offsetof(struct record, letter), offsetof(struct record, number),
                         offsetof(struct record, value), offsetof(struct record, precise),
                         offsetof(struct record, pair)};
    MPI_Aint size, position = 0;
    MPI_Count large_size, large_position = 0;
    unsigned char buffer[200], again[200];
    OK(MPI_Type_create_struct(5, lengths, places, fields, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Pack_external_size("external32", 3, type, &size));
    CHECK(size == 3 * (1 + 4 + 8 + 16 + 8));
    OK(MPI_Pack_external_size_c("external32", 3, type, &large_size));
    CHECK(large_size == size);
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (int i = 0; i < 3; i++)
        in[i] = (struct record){'x' + i, -5 - i, 0.1 * i, 1.0L / 3 + i, i + 2.0f * I};
    OK(MPI_Pack_external("external32", in, 3, type, buffer, sizeof buffer, &position));
    CHECK(position == size);
    const unsigned char expected[] = {'x', 0xff, 0xff, 0xff, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xfd, 0x55, 0x55};
    CHECK(!memcmp(buffer, expected, sizeof expected));
    OK(MPI_Pack_external_c("external32", in, 3, type, again, sizeof again, &large_position));
    CHECK(large_position == size && !memcmp(buffer, again, size));
    position = 0;
    OK(MPI_Unpack_external("external32", buffer, size, &position, out, 3, type));
    CHECK(position == size);
    for (int i = 0; i < 3; i++)
        CHECK(out[i].letter == in[i].letter && out[i].number == in[i].number && out[i].value == in[i].value &&
              out[i].precise == in[i].precise && out[i].pair == in[i].pair);
    memset(out, 0, sizeof out);
    large_position = size / 3;
    OK(MPI_Unpack_external_c("external32", buffer, size, &large_position, out, 1, type));
    CHECK(out[0].letter == 'y' && out[0].precise == in[1].precise && large_position == 2 * size / 3);
    CHECK(MPI_Pack_external_size("internal", 1, type, &size) == MPI_ERR_ARG);
    position = 0;
    CHECK(MPI_Pack_external("external32", in, 3, type, buffer, 100, &position) == MPI_ERR_TRUNCATE);
    OK(MPI_Type_free(&type));

    /* Many numbers, in more than one go. */
    static int numbers[1000], copies[1000];
    static unsigned char packed[4000];
    for (int i = 0; i < 1000; i++)
        numbers[i] = i * 77777;
    position = 0;
    OK(MPI_Pack_external("external32", numbers, 1000, MPI_INT, packed, sizeof packed, &position));
    for (int i = 0; i < 1000; i++)
        for (int byte = 0; byte < 4; byte++)
            CHECK(packed[4 * i + byte] == (unsigned char)(numbers[i] >> (24 - 8 * byte)));
    position = 0;
    OK(MPI_Unpack_external("external32", packed, sizeof packed, &position, copies, 1000, MPI_INT));
    CHECK(!memcmp(numbers, copies, sizeof numbers));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    native();
    external();
    return check_end();
}
