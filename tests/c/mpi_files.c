/* What the functions for files do: opening, sizes, views, pointers, representations, errors. The argument is the name
 * of a file that is not there. */
#include "mpi_check.h"
#include <sys/stat.h>
#include <unistd.h>

static const char *name;

static MPI_File open_with(int amode)
{
    MPI_File f;
    OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &f));
    return f;
}

static void modes(void)
{
    MPI_File f = MPI_FILE_NULL;
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_ERR_NO_SUCH_FILE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &f), MPI_ERR_AMODE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE, MPI_INFO_NULL, &f), MPI_ERR_AMODE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, "/", MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_ERR_BAD_FILE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, "", MPI_MODE_RDONLY, MPI_INFO_NULL, &f), MPI_ERR_BAD_FILE);
    if (check_size > 1)
        FAILS(MPI_File_open(MPI_COMM_WORLD, name, check_rank ? MPI_MODE_RDWR | MPI_MODE_CREATE : MPI_MODE_RDONLY,
                            MPI_INFO_NULL, &f),
              MPI_ERR_NOT_SAME);
    FAILS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    f = open_with(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL);
    int amode, result;
    OK(MPI_File_get_amode(f, &amode));
    CHECK(amode == (MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL));
    MPI_Group group, world;
    OK(MPI_File_get_group(f, &group));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_compare(group, world, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
    CHECK(MPI_File_f2c(MPI_File_c2f(f)) == f && MPI_File_fromint(MPI_File_toint(f)) == f);
    CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL);
    MPI_Info info;
    char value[64];
    int flag, length = sizeof value;
    OK(MPI_File_get_info(f, &info));
    OK(MPI_Info_get_string(info, "cb_buffer_size", &length, value, &flag));
    CHECK(flag && atoi(value) > 0);
    OK(MPI_Info_set(info, "cb_buffer_size", "65536"));
    OK(MPI_File_set_info(f, info));
    OK(MPI_Info_free(&info));
    OK(MPI_File_get_info(f, &info));
    length = sizeof value;
    OK(MPI_Info_get_string(info, "cb_buffer_size", &length, value, &flag));
    CHECK(flag && atoi(value) == 65536);
    OK(MPI_Info_set(info, "cb_nodes", "1"));
    OK(MPI_Info_set(info, "collective_buffering", "false"));
    OK(MPI_File_set_info(f, info));
    OK(MPI_Info_free(&info));
    OK(MPI_File_get_info(f, &info));
    length = sizeof value;
    OK(MPI_Info_get_string(info, "cb_nodes", &length, value, &flag));
    CHECK(flag && atoi(value) == 1);
    length = sizeof value;
    OK(MPI_Info_get_string(info, "romio_cb_write", &length, value, &flag));
    CHECK(flag && strcmp(value, "disable") == 0);
    OK(MPI_Info_free(&info));

    MPI_Offset size;
    OK(MPI_File_set_size(f, 1000));
    OK(MPI_File_get_size(f, &size));
    CHECK(size == 1000);
    OK(MPI_File_preallocate(f, 5000));
    OK(MPI_File_get_size(f, &size));
    CHECK(size == 5000);
    OK(MPI_File_preallocate(f, 10));
    OK(MPI_File_get_size(f, &size));
    CHECK(size == 5000);
    FAILS(MPI_File_set_size(f, -1), MPI_ERR_ARG);
    if (check_size > 1)
        FAILS(MPI_File_set_size(f, check_rank), MPI_ERR_NOT_SAME);
    OK(MPI_File_set_size(f, 12));
    OK(MPI_File_close(&f));
    CHECK(f == MPI_FILE_NULL);
    FAILS(MPI_File_close(&f), MPI_ERR_FILE);
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &f),
          MPI_ERR_FILE_EXISTS);

    /* Who appends begins at the end. */
    f = open_with(MPI_MODE_WRONLY | MPI_MODE_APPEND);
    OK(MPI_File_get_position(f, &size));
    CHECK(size == 12);
    OK(MPI_File_get_position_shared(f, &size));
    CHECK(size == 12);
    FAILS(MPI_File_read_at(f, 0, value, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    FAILS(MPI_File_read_at_all(f, 0, value, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    OK(MPI_File_close(&f));
    f = open_with(MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN);
    FAILS(MPI_File_write_at(f, 0, value, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    MPI_Request request = MPI_REQUEST_NULL;
    FAILS(MPI_File_iwrite(f, value, 1, MPI_BYTE, &request), MPI_ERR_READ_ONLY);
    FAILS(MPI_File_write_all(f, value, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    FAILS(MPI_File_write_ordered(f, value, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    OK(MPI_File_close(&f));
}

static void positions(void)
{
    MPI_File f = open_with(MPI_MODE_RDWR);
    MPI_Offset at;
    int data[8] = {0};
    MPI_Datatype every_other, type, etype;
    MPI_Status status;
    int count;
    OK(MPI_Type_vector(1, 1, 1, MPI_INT, &type));
    OK(MPI_Type_create_resized(type, 0, 8, &every_other));
    OK(MPI_Type_free(&type));
    OK(MPI_Type_commit(&every_other));
    OK(MPI_File_set_size(f, 30));
    OK(MPI_File_set_view(f, 4, MPI_INT, every_other, "native", MPI_INFO_NULL));
    OK(MPI_File_get_byte_offset(f, 3, &at));
    CHECK(at == 28);
    OK(MPI_File_seek(f, 0, MPI_SEEK_END));
    OK(MPI_File_get_position(f, &at));
    CHECK(at == 4);
    OK(MPI_File_seek(f, -2, MPI_SEEK_CUR));
    OK(MPI_File_read(f, data, 8, MPI_INT, &status));
    OK(MPI_Get_elements(&status, MPI_BYTE, &count));
    CHECK(count == 6);
    FAILS(MPI_File_seek(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    FAILS(MPI_File_seek(f, 0, 77), MPI_ERR_ARG);
    FAILS(MPI_File_read_at(f, -1, data, 1, MPI_INT, &status), MPI_ERR_ARG);
    FAILS(MPI_File_read_at(f, 0, data, 1, MPI_SHORT, &status), MPI_ERR_ARG);
    char representation[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(f, &at, &etype, &type, representation));
    CHECK(at == 4 && etype == MPI_INT && strcmp(representation, "native") == 0);
    int integers, addresses, types, combiner;
    OK(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    CHECK(combiner == MPI_COMBINER_RESIZED);
    OK(MPI_Type_free(&type));
    FAILS(MPI_File_set_view(f, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_DISP);
    FAILS(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_DISP);
    FAILS(MPI_File_set_view(f, 0, MPI_INT, MPI_SHORT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    FAILS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "nonsense", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);
    if (check_size > 1)
        FAILS(MPI_File_set_view(f, 0, check_rank ? MPI_INT : MPI_SHORT, check_rank ? MPI_INT : MPI_SHORT, "native",
                                MPI_INFO_NULL),
              MPI_ERR_NOT_SAME);
    OK(MPI_Type_free(&every_other));
    OK(MPI_File_close(&f));
}

/* Every rank writes records with the shared pointer; all of them are there, each once. */
static void shared(void)
{
    enum { EACH = 7 };
    MPI_File f = open_with(MPI_MODE_RDWR);
    MPI_Offset at;
    MPI_Status status;
    MPI_Request requests[2];
    OK(MPI_File_set_size(f, 0));
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int i = 0; i < EACH - 2; i++) {
        int record = check_rank * EACH + i;
        OK(MPI_File_write_shared(f, &record, 1, MPI_INT, &status));
    }
    int last[2] = {check_rank * EACH + EACH - 2, check_rank * EACH + EACH - 1};
    OK(MPI_File_iwrite_shared(f, &last[0], 1, MPI_INT, &requests[0]));
    OK(MPI_File_iwrite_shared_c(f, &last[1], 1, MPI_INT, &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_get_position_shared(f, &at));
    CHECK(at == EACH * check_size);
    int *seen = calloc((size_t)(EACH * check_size), sizeof *seen), record;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    for (int i = 0; i < EACH; i++) {
        if (i % 2) {
            OK(MPI_File_iread_shared(f, &record, 1, MPI_INT, requests));
            OK(MPI_Wait(requests, MPI_STATUS_IGNORE));
        } else
            OK(MPI_File_read_shared(f, &record, 1, MPI_INT, &status));
        CHECK(record >= 0 && record < EACH * check_size);
        seen[record]++;
    }
    OK(MPI_Allreduce(MPI_IN_PLACE, seen, EACH * check_size, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < EACH * check_size; i++)
        CHECK(seen[i] == 1);
    free(seen);

    /* Rank r writes r + 1 numbers, in the order of ranks. */
    int *own = malloc((size_t)(check_rank + 1) * sizeof *own), total = check_size * (check_size + 1) / 2;
    for (int i = 0; i <= check_rank; i++)
        own[i] = check_rank * (check_rank + 1) / 2 + i;
    OK(MPI_File_seek_shared(f, 3, MPI_SEEK_SET));
    OK(MPI_File_write_ordered(f, own, check_rank + 1, MPI_INT, &status));
    OK(MPI_File_write_ordered_begin(f, own, check_rank + 1, MPI_INT));
    OK(MPI_File_write_ordered_end(f, own, &status));
    OK(MPI_File_sync(f));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    int *all = malloc(2 * (size_t)total * sizeof *all), count;
    OK(MPI_File_read_at(f, 3, all, 2 * total, MPI_INT, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK(count == 2 * total);
    for (int i = 0; i < 2 * total; i++)
        CHECK(all[i] == i % total);
    OK(MPI_File_seek_shared(f, -total, MPI_SEEK_CUR));
    memset(own, 0, (size_t)(check_rank + 1) * sizeof *own);
    OK(MPI_File_read_ordered(f, own, check_rank + 1, MPI_INT, &status));
    CHECK(own[check_rank] == check_rank * (check_rank + 1) / 2 + check_rank);
    OK(MPI_File_seek_shared(f, 3, MPI_SEEK_SET));
    OK(MPI_File_read_ordered_begin(f, own, check_rank + 1, MPI_INT));
    FAILS(MPI_File_read_ordered_begin(f, own, check_rank + 1, MPI_INT), MPI_ERR_OTHER);
    FAILS(MPI_File_read_all_end(f, own, &status), MPI_ERR_OTHER);
    OK(MPI_File_read_ordered_end(f, own, &status));
    CHECK(own[0] == check_rank * (check_rank + 1) / 2);
    free(own);
    free(all);
    OK(MPI_File_close(&f));

    f = open_with(MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    FAILS(MPI_File_write(f, &record, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_write_at(f, 0, &record, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_get_position(f, &at), MPI_ERR_UNSUPPORTED_OPERATION);
    OK(MPI_File_write_ordered(f, &record, 1, MPI_INT, &status));
    OK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    MPI_Datatype etype, filetype;
    char representation[MPI_MAX_DATAREP_STRING];
    OK(MPI_File_get_view(f, &at, &etype, &filetype, representation));
    CHECK(at == (MPI_Offset)sizeof record * check_size);
    OK(MPI_File_close(&f));
}

/* Bytes of numbers in a representation of the program: they are reversed. */
static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    MPI_Aint lb;
    CHECK(*(int *)state == 77);
    return MPI_Type_get_extent(type, &lb, extent);
}

static int reverse(void *to, const void *from, long long count)
{
    for (long long i = 0; i < count * 4; i++)
        ((char *)to)[i] = ((const char *)from)[i / 4 * 4 + 3 - i % 4];
    return MPI_SUCCESS;
}

static int decode(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
    CHECK(type == MPI_INT && position == 0 && *(int *)state == 77);
    return reverse(user, file, count);
}

static int encode(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
    CHECK(type == MPI_INT && position == 0 && *(int *)state == 77);
    return reverse(file, user, count);
}

static int decode_large(void *user, MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position, void *state)
{
    (void)type, (void)position, (void)state;
    return reverse(user, file, count);
}

static int refuse(void *user, MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position, void *state)
{
    (void)user, (void)type, (void)count, (void)file, (void)position, (void)state;
    return MPI_ERR_OTHER;
}

static void representations(void)
{
    static int state = 77;
    MPI_File f = open_with(MPI_MODE_RDWR);
    MPI_Status status;
    MPI_Aint extent;
    int number = 0x01020304 + check_rank, got = 0;
    unsigned char bytes[8];
    long large = -5 - check_rank, same = 0;
    OK(MPI_File_set_size(f, 0));
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    OK(MPI_File_get_type_extent(f, MPI_INT, &extent));
    CHECK(extent == 4);
    OK(MPI_File_get_type_extent(f, MPI_LONG, &extent));
    CHECK(extent == 4);
    OK(MPI_File_write_at_all(f, check_rank, &number, 1, MPI_INT, &status));
    OK(MPI_File_sync(f));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_read_at(f, check_rank, &got, 1, MPI_INT, &status));
    CHECK(got == number);
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_read_at(f, 4 * check_rank, bytes, 4, MPI_BYTE, &status));
    CHECK(bytes[0] == 1 && bytes[1] == 2 && bytes[2] == 3 && bytes[3] == 4 + check_rank);
    OK(MPI_File_set_view(f, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(f, check_rank, &large, 1, MPI_LONG, &status));
    OK(MPI_File_read_at_all(f, check_rank, &same, 1, MPI_LONG, &status));
    CHECK(same == large);
    MPI_Offset at;
    OK(MPI_File_get_byte_offset(f, 3, &at));
    CHECK(at == 12);
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));

    OK(MPI_Register_datarep("reversed", decode, encode, extent_of, &state));
    FAILS(MPI_Register_datarep("reversed", decode, encode, extent_of, &state), MPI_ERR_DUP_DATAREP);
    FAILS(MPI_Register_datarep("native", decode, encode, extent_of, &state), MPI_ERR_DUP_DATAREP);
    OK(MPI_Register_datarep_c("refused", decode_large, refuse, extent_of, &state));
    OK(MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, &state));
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "reversed", MPI_INFO_NULL));
    OK(MPI_File_write_at(f, check_rank, &number, 1, MPI_INT, &status));
    OK(MPI_File_write_at_all(f, check_rank, &number, 1, MPI_INT, &status));
    MPI_Request request;
    got = 0;
    OK(MPI_File_iread_at(f, check_rank, &got, 1, MPI_INT, &request));
    OK(MPI_Wait(&request, &status));
    CHECK(got == number);
    got = 0;
    OK(MPI_File_read_at_all(f, check_rank, &got, 1, MPI_INT, &status));
    CHECK(got == number);
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_read_at_all(f, 4 * check_rank, bytes, 4, MPI_BYTE, &status));
    CHECK(bytes[0] == 1 && bytes[3] == 4 + check_rank);
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "refused", MPI_INFO_NULL));
    got = 0;
    OK(MPI_File_read_at(f, check_rank, &got, 1, MPI_INT, &status));
    CHECK(got == number);
    FAILS(MPI_File_write_at(f, check_rank, &number, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
    OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL));
    OK(MPI_File_write_at_all(f, check_rank, &number, 1, MPI_INT, &status));
    OK(MPI_File_close(&f));
}

static int told, told_code;
static MPI_File told_file;

static void tell(MPI_File *file, int *code, ...)
{
    told++;
    told_code = *code;
    told_file = *file;
}

static void error_handlers(void)
{
    MPI_File f = open_with(MPI_MODE_RDONLY);
    MPI_Errhandler handler, got;
    char byte;
    OK(MPI_File_get_errhandler(f, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    OK(MPI_File_create_errhandler(tell, &handler));
    OK(MPI_File_set_errhandler(f, handler));
    CHECK(MPI_File_write_at(f, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_ERR_READ_ONLY);
    CHECK(told == 1 && told_code == MPI_ERR_READ_ONLY && told_file == f);
    OK(MPI_File_call_errhandler(f, MPI_ERR_IO));
    CHECK(told == 2 && told_code == MPI_ERR_IO);
    OK(MPI_File_set_errhandler(f, MPI_ERRORS_RETURN));
    OK(MPI_File_close(&f));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    CHECK(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f) == MPI_ERR_NO_SUCH_FILE);
    CHECK(told == 3 && told_file == MPI_FILE_NULL);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler));
}

/* A device on which there is never room: what one rank meets is an error at all. */
static void full(void)
{
    MPI_File f;
    MPI_Errhandler handler;
    MPI_Request request;
    char data[100] = {0};
    OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
    int before = told, count = check_rank == check_size - 1 ? 100 : 0;
    OK(MPI_File_create_errhandler(tell, &handler));
    OK(MPI_File_set_errhandler(f, handler));
    OK(MPI_Errhandler_free(&handler));
    FAILS(MPI_File_write_at_all(f, 0, data, count, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK(told == before + 1 && told_file == f);
    FAILS(MPI_File_write_at(f, 0, data, 100, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    OK(MPI_File_iwrite_at(f, 0, data, 100, MPI_BYTE, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK(told == before + 3 && told_file == f && request == MPI_REQUEST_NULL);
    OK(MPI_File_write_at_all_begin(f, 0, data, count, MPI_BYTE));
    FAILS(MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    FAILS(MPI_File_write_ordered(f, data, count, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    OK(MPI_File_close(&f));
}

/* More than goes through one buffer, with computation meanwhile. */
static void long_ones(void)
{
    enum { NUMBERS = 1 << 19 };
    MPI_File f = open_with(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Request request;
    MPI_Status status;
    MPI_Count count;
    long long *numbers = malloc(NUMBERS * sizeof *numbers);
    if (check_size > 8) {
        free(numbers);
        OK(MPI_File_close(&f));
        return;
    }
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (long long)i * (check_rank + 1);
    OK(MPI_File_set_view(f, (MPI_Offset)check_rank * NUMBERS * 8, MPI_LONG_LONG, MPI_LONG_LONG, "native",
                         MPI_INFO_NULL));
    OK(MPI_File_iwrite_c(f, numbers, NUMBERS, MPI_LONG_LONG, &request));
    double sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum += (double)numbers[i];
    CHECK(sum > 0);
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count_c(&status, MPI_LONG_LONG, &count));
    CHECK(count == NUMBERS);
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    OK(MPI_File_read_at_all_c(f, 0, numbers, NUMBERS, MPI_LONG_LONG, &status));
    for (int i = 0; i < NUMBERS; i++)
        CHECK(numbers[i] == (long long)i * (check_rank + 1));
    /* Every n-th block of each rank, by windows. */
    MPI_Datatype block, tile;
    OK(MPI_Type_contiguous(100, MPI_LONG_LONG, &block));
    OK(MPI_Type_create_resized(block, 0, 800 * (MPI_Aint)check_size, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_free(&block));
    OK(MPI_File_set_view(f, 800 * (MPI_Offset)check_rank, MPI_LONG_LONG, tile, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(f, numbers, NUMBERS / 100 * 100, MPI_LONG_LONG, &status));
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    OK(MPI_File_read_at_all(f, 0, numbers, NUMBERS / 100 * 100, MPI_LONG_LONG, &status));
    for (int i = 0; i < NUMBERS / 100 * 100; i++)
        CHECK(numbers[i] == (long long)i * (check_rank + 1));
    /* The same blocks, each rank by itself, while others do so, too. */
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] -= check_rank;
    OK(MPI_File_write_at(f, 0, numbers, NUMBERS / 200 * 100, MPI_LONG_LONG, &status));
    OK(MPI_File_iwrite_at(f, NUMBERS / 200 * 100, numbers + NUMBERS / 200 * 100, NUMBERS / 200 * 100, MPI_LONG_LONG,
                          &request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_Get_count_c(&status, MPI_LONG_LONG, &count));
    CHECK(count == NUMBERS / 200 * 100);
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    OK(MPI_File_read_at(f, 0, numbers, NUMBERS / 200 * 200, MPI_LONG_LONG, &status));
    for (int i = 0; i < NUMBERS / 200 * 200; i++)
        CHECK(numbers[i] == (long long)i * (check_rank + 1) - check_rank);
    OK(MPI_Type_free(&tile));
    free(numbers);
    OK(MPI_File_close(&f));
    CHECK(access(name, F_OK) != 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 2);
    name = argv[1];
    modes();
    positions();
    shared();
    representations();
    error_handlers();
    full();
    long_ones();
    return check_end();
}
