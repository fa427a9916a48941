/* Accesses to two files, as tools see them: all of the rank's, and those to one file. The arguments are the names of
 * the files. */
#include "mpi_check.h"

enum { KINDS = 4, READ = 0, WRITE, READ_ALL, WRITE_ALL, BYTES = 300000 };

static MPI_T_pvar_session session;

static MPI_T_pvar_handle handle_of(const char *name, int class, MPI_File *file)
{
    MPI_T_pvar_handle handle;
    int index, count, bind;
    OK(MPI_T_pvar_get_index(name, class, &index));
    OK(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL));
    CHECK(bind == (file ? MPI_T_BIND_MPI_FILE : MPI_T_BIND_NO_OBJECT));
    OK(MPI_T_pvar_handle_alloc(session, index, file, &handle, &count));
    CHECK(count == KINDS);
    return handle;
}

static void expect(MPI_T_pvar_handle handle, unsigned long read, unsigned long written, unsigned long read_all,
                   unsigned long written_all)
{
    unsigned long values[KINDS], expected[KINDS] = {read, written, read_all, written_all};
    OK(MPI_T_pvar_read(session, handle, values));
    for (int kind = 0; kind < KINDS; kind++)
        CHECK(values[kind] == expected[kind]);
}

static MPI_File open_file(const char *name)
{
    MPI_File f;
    OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &f));
    return f;
}

int main(int argc, char **argv)
{
    static char data[BYTES];
    unsigned long times[KINDS];
    MPI_Request request;
    check_begin(&argc, &argv);
    CHECK(argc == 3);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0}));
    OK(MPI_T_pvar_session_create(&session));
    MPI_File one = open_file(argv[1]), other = open_file(argv[2]);
    MPI_T_pvar_handle calls = handle_of("files_accesses", MPI_T_PVAR_CLASS_COUNTER, NULL);
    MPI_T_pvar_handle bytes = handle_of("files_bytes", MPI_T_PVAR_CLASS_AGGREGATE, NULL);
    MPI_T_pvar_handle calls_of_one = handle_of("file_accesses", MPI_T_PVAR_CLASS_COUNTER, &one);
    MPI_T_pvar_handle bytes_of_one = handle_of("file_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &one);
    MPI_T_pvar_handle bytes_of_other = handle_of("file_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &other);
    MPI_T_pvar_handle time_of_one = handle_of("file_time", MPI_T_PVAR_CLASS_TIMER, &one);
    MPI_T_pvar_handle time = handle_of("files_time", MPI_T_PVAR_CLASS_TIMER, NULL);
    MPI_File null = MPI_FILE_NULL;
    int index;
    OK(MPI_T_pvar_get_index("file_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &index));
    CHECK(MPI_T_pvar_handle_alloc(session, index, &null, &calls, NULL) == MPI_T_ERR_INVALID);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));

    MPI_Offset own = (MPI_Offset)check_rank * BYTES;
    OK(MPI_File_write_at_all(one, own, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_iwrite_at(one, own, data, BYTES, MPI_BYTE, &request)); /* by an I/O thread */
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_write_at(other, own, data, 10, MPI_BYTE, MPI_STATUS_IGNORE)); /* at once */
    OK(MPI_File_iread_at_all(one, own, data, 100, MPI_BYTE, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(one, (MPI_Offset)check_size * BYTES - 7, data, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_File_read_at(one, 0, data, 5, MPI_BYTE, MPI_STATUS_IGNORE)); /* not counted */

    expect(calls, 1, 2, 1, 1);
    expect(bytes, 7, BYTES + 10, 100, BYTES);
    expect(calls_of_one, 1, 1, 1, 1);
    expect(bytes_of_one, 7, BYTES, 100, BYTES);
    expect(bytes_of_other, 0, 10, 0, 0);
    OK(MPI_T_pvar_read(session, time_of_one, times));
    for (int kind = 0; kind < KINDS; kind++)
        CHECK(times[kind] > 0 && times[kind] < 1000000000000);
    unsigned long written = times[WRITE];
    OK(MPI_T_pvar_read(session, time, times));
    CHECK(times[WRITE] > written);
    OK(MPI_File_close(&one));
    expect(bytes_of_one, 7, BYTES, 100, BYTES); /* the handle keeps what it has seen */
    OK(MPI_File_close(&other));
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    return check_end();
}
