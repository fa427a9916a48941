/* Predefined and derived datatypes: sizes, extents, and messages from one layout to another. */
#include "mpi_check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

static void sizes(void)
{
    struct { MPI_Datatype type; int size; } table[] = {
        {MPI_CHAR, 1}, {MPI_SIGNED_CHAR, 1}, {MPI_UNSIGNED_CHAR, 1}, {MPI_BYTE, 1}, {MPI_PACKED, 1},
        {MPI_SHORT, sizeof(short)}, {MPI_UNSIGNED_SHORT, sizeof(short)}, {MPI_INT, sizeof(int)},
        {MPI_UNSIGNED, sizeof(int)}, {MPI_LONG, sizeof(long)}, {MPI_UNSIGNED_LONG, sizeof(long)},
        {MPI_LONG_LONG, sizeof(long long)}, {MPI_LONG_LONG_INT, sizeof(long long)},
        {MPI_UNSIGNED_LONG_LONG, sizeof(long long)}, {MPI_FLOAT, sizeof(float)}, {MPI_DOUBLE, sizeof(double)},
        {MPI_LONG_DOUBLE, sizeof(long double)}, {MPI_WCHAR, sizeof(wchar_t)}, {MPI_C_BOOL, sizeof(bool)},
        {MPI_INT8_T, 1}, {MPI_INT16_T, 2}, {MPI_INT32_T, 4}, {MPI_INT64_T, 8},
        {MPI_UINT8_T, 1}, {MPI_UINT16_T, 2}, {MPI_UINT32_T, 4}, {MPI_UINT64_T, 8},
        {MPI_AINT, sizeof(MPI_Aint)}, {MPI_COUNT, sizeof(MPI_Count)}, {MPI_OFFSET, sizeof(MPI_Offset)},
        {MPI_C_FLOAT_COMPLEX, sizeof(float complex)}, {MPI_C_DOUBLE_COMPLEX, sizeof(double complex)},
        {MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double complex)}, {MPI_INTEGER, 4}, {MPI_REAL, 4},
        {MPI_DOUBLE_PRECISION, 8}, {MPI_COMPLEX, 8}, {MPI_DOUBLE_COMPLEX, 16}, {MPI_LOGICAL, 4},
        {MPI_CHARACTER, 1}, {MPI_INTEGER1, 1}, {MPI_INTEGER2, 2}, {MPI_INTEGER4, 4}, {MPI_INTEGER8, 8},
        {MPI_REAL4, 4}, {MPI_REAL8, 8}, {MPI_FLOAT_INT, 8}, {MPI_DOUBLE_INT, 12}, {MPI_LONG_INT, 12},
        {MPI_SHORT_INT, 6}, {MPI_2INT, 8},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int size;
        MPI_Count large;
        OK(MPI_Type_size(table[i].type, &size));
        OK(MPI_Type_size_c(table[i].type, &large));
        CHECK(size == table[i].size && large == size);
    }
    struct { double value; int index; } pair;
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(MPI_DOUBLE_INT, &lb, &extent));
    CHECK(lb == 0 && extent == sizeof pair);
    OK(MPI_Type_get_true_extent(MPI_DOUBLE_INT, &lb, &extent));
    CHECK(lb == 0 && extent == 12);
}

static void columns(void)
{
    enum { N = 100 };
    static double a[N][N], b[N][N], line[N];
    MPI_Datatype column, row;
    MPI_Status status;
    MPI_Aint lb, extent;
    int size, count, elements;
    OK(MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_Type_contiguous(N, MPI_DOUBLE, &row));
    OK(MPI_Type_commit(&row));
    OK(MPI_Type_size(column, &size));
    OK(MPI_Type_get_extent(column, &lb, &extent));
    CHECK(size == N * 8 && lb == 0 && extent == ((N - 1) * N + 1) * 8);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i * N + j + check_rank * 1e6, b[i][j] = -1;
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    double from = left * 1e6;

    /* Column to row. */
    OK(MPI_Sendrecv(&a[0][3], 1, column, right, 0, &b[7][0], 1, row, left, 0, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, row, &count));
    OK(MPI_Get_elements(&status, row, &elements));
    CHECK(count == 1 && elements == N);
    for (int i = 0; i < N; i++)
        CHECK(b[7][i] == i * N + 3 + from);
    CHECK(b[6][N - 1] == -1 && b[8][0] == -1);
    /* Row to column, in the element types of the row. */
    OK(MPI_Sendrecv(&a[5][0], N, MPI_DOUBLE, right, 0, &b[0][9], 1, column, left, 0, MPI_COMM_WORLD, &status));
    for (int i = 0; i < N; i++)
        CHECK(b[i][9] == 5 * N + i + from);
    CHECK(b[0][8] == -1 && b[0][10] == -1);
    /* Column to column, through nonblocking calls; the type is freed while it is in use. */
    MPI_Request requests[2];
    OK(MPI_Irecv(&b[0][50], 1, column, left, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(&a[0][60], 1, column, right, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Type_free(&column));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK(b[i][50] == i * N + 60 + from);
    /* Part of a row: whole elements, and not a whole row. */
    OK(MPI_Sendrecv(&a[5][0], 3, MPI_DOUBLE, right, 0, line, 1, row, left, 0, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, row, &count));
    OK(MPI_Get_elements(&status, row, &elements));
    CHECK(count == MPI_UNDEFINED && elements == 3 && line[2] == 5 * N + 2 + from);
    OK(MPI_Type_free(&row));
    CHECK(row == MPI_DATATYPE_NULL);
}

static void nested(void)
{
    MPI_Datatype block, blocks, padded;
    int out[60], in[60];
    OK(MPI_Type_vector(2, 3, 5, MPI_INT, &block));
    OK(MPI_Type_create_hvector(2, 1, 15 * sizeof(int), block, &blocks));
    OK(MPI_Type_contiguous(2, blocks, &padded));
    OK(MPI_Type_commit(&padded));
    OK(MPI_Type_free(&block));
    OK(MPI_Type_free(&blocks));
    for (int i = 0; i < 60; i++)
        out[i] = i, in[i] = -1;
    MPI_Request request;
    OK(MPI_Isend(out, 24, MPI_INT, check_rank, 3, MPI_COMM_WORLD, &request));
    OK(MPI_Recv(in, 1, padded, check_rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    int next = 0, extent = 15 + 8;
    for (int copy = 0; copy < 2; copy++)
        for (int outer = 0; outer < 2; outer++)
            for (int inner = 0; inner < 2; inner++)
                for (int i = 0; i < 3; i++)
                    CHECK(in[copy * extent + outer * 15 + inner * 5 + i] == next++);
    for (int i = 0, untouched = 0; i < 60; i++)
        CHECK((untouched += in[i] == -1) <= 36);
    OK(MPI_Type_free(&padded));
}

static void handles(void)
{
    MPI_Datatype pair, dup;
    char name[MPI_MAX_OBJECT_NAME];
    int length, size, value = check_rank, got = -1;
    OK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0 && length == 17);
    /* Of two names of a datatype, the one that other MPIs return. */
    OK(MPI_Type_get_name(MPI_LONG_LONG, name, &length));
    CHECK(!strcmp(name, "MPI_LONG_LONG_INT"));
    OK(MPI_Type_get_name(MPI_C_FLOAT_COMPLEX, name, &length));
    CHECK(!strcmp(name, "MPI_C_COMPLEX") && length == 13);
    OK(MPI_Type_get_name(MPI_DOUBLE, name, &length));
    CHECK(!strcmp(name, "MPI_DOUBLE") && length == 10);
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_get_name(pair, name, &length));
    CHECK(length == 0 && !*name);
    OK(MPI_Type_commit(&pair));
    OK(MPI_Type_dup(pair, &dup));
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_size(dup, &size));
    CHECK(size == 2 * sizeof(int));
    OK(MPI_Type_free(&dup));
    OK(MPI_Type_dup(MPI_INT, &dup)); /* a predefined one: the duplicate can be freed */
    OK(MPI_Sendrecv(&value, 1, dup, check_rank, 0, &got, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(got == check_rank);
    OK(MPI_Type_free(&dup));
    CHECK(dup == MPI_DATATYPE_NULL);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    sizes();
    columns();
    nested();
    handles();
    return check_end();
}
