/* Ranks say what their phases are about, by a control variable and by an info key. Counts of virtual processors by
 * domain add up. Needs two ranks on two virtual processors, and one for I/O. */
#include <unistd.h>

#include "mpi_check.h"

static MPI_T_cvar_handle purpose, place;

static MPI_T_cvar_handle control(const char *name)
{
    int index, count;
    MPI_T_cvar_handle handle;
    OK(MPI_T_cvar_get_index(name, &index));
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK(count == 1);
    return handle;
}

/* The values of a performance variable now, or since the start of its handle; returns how many there are. */
static int values(const char *name, int class, unsigned long *room)
{
    int index, count;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    OK(MPI_T_pvar_get_index(name, class, &index));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK(count >= 1 && count <= 16);
    if (class == MPI_T_PVAR_CLASS_LEVEL) {
        OK(MPI_T_pvar_read(session, handle, room));
    } else {
        OK(MPI_T_pvar_start(session, handle));
        for (int i = 0; i < 100; i++) {
            /* A rank that waits for long leaves its virtual processor to others. */
            if (i == 50 && check_rank == 1)
                usleep(5000);
            OK(MPI_Sendrecv(NULL, 0, MPI_INT, 1 - check_rank, 0, NULL, 0, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
        }
        OK(MPI_T_pvar_read(session, handle, room));
    }
    OK(MPI_T_pvar_session_free(&session));
    return count;
}

static unsigned long about(int which)
{
    unsigned long counts[16];
    CHECK(values("ranks_by_purpose", MPI_T_PVAR_CLASS_LEVEL, counts) == 3);
    CHECK(counts[0] + counts[1] + counts[2] == 2);
    return counts[which];
}

static int number(MPI_T_cvar_handle handle)
{
    int value;
    OK(MPI_T_cvar_read(handle, &value));
    return value;
}

static unsigned long vp(void)
{
    unsigned long value;
    OK(MPI_T_cvar_read(place, &value));
    return value;
}

static void wish(const char *key, const char *value)
{
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    OK(MPI_Comm_set_info(MPI_COMM_SELF, info));
    OK(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    int provided, io = 2, network = 1, none = 7, *data = calloc(1 << 20, sizeof(int));
    unsigned long counts[16], sum = 0;
    check_begin(&argc, &argv);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    purpose = control("purpose");
    place = control("virtual_processor");
    CHECK(number(purpose) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* By the control variable. */
    OK(MPI_T_cvar_write(purpose, &network));
    CHECK(number(purpose) == 1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(about(1) == 2);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_T_cvar_write(purpose, &none) == MPI_T_ERR_INVALID && number(purpose) == 1);
    OK(MPI_T_cvar_write(purpose, &io));
    CHECK(vp() == 2);

    /* By an info key; what makes no sense is ignored. */
    wish("simurgh_purpose", "compute");
    CHECK(number(purpose) == 0 && vp() < 2);
    wish("simurgh_purpose", "io");
    wish("simurgh_purpose", "leisure");
    CHECK(number(purpose) == 2 && vp() == 2);
    wish("simurgh_purpose", "compute");
    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* A rank that waits for the receiver of a long message is about the network. */
    if (check_rank == 0) {
        OK(MPI_Ssend(data, 1 << 20, MPI_INT, 1, 1, MPI_COMM_WORLD));
        CHECK(number(purpose) == 0);
    } else {
        for (int flag; about(1) != 1;)
            OK(MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Recv(data, 1 << 20, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* So is one that waits for several such messages, or for any of them. */
    for (int any = 0; any < 2; any++) {
        MPI_Request requests[3] = {MPI_REQUEST_NULL};
        int done = 0;
        if (check_rank == 0) {
            OK(MPI_Issend(data, 1 << 20, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]));
            OK(MPI_Irecv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, &requests[2]));
            if (any)
                OK(MPI_Waitany(3, requests, &done, MPI_STATUS_IGNORE));
            CHECK(done == any);
            OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
            CHECK(number(purpose) == 0);
        } else {
            for (int flag; about(1) != 1;)
                OK(MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            OK(MPI_Recv(data, 1 << 20, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Send(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }

    /* One that waits for a file is about I/O. */
    MPI_File file;
    char path[64];
    snprintf(path, sizeof path, "/tmp/simurgh-purposes-%d-%d", (int)getpid(), check_rank);
    OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    if (check_rank == 0) {
        for (int flag = 0; !flag;) {
            OK(MPI_File_write_at(file, 0, data, 1 << 20, MPI_INT, MPI_STATUS_IGNORE));
            OK(MPI_Iprobe(1, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        }
        OK(MPI_Recv(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        for (int flag; about(2) != 1;)
            OK(MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Send(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD));
    }
    OK(MPI_File_close(&file));

    /* So is one that waits for others in a collective call of a file, or for what it has begun there. */
    snprintf(path, sizeof path, "/tmp/simurgh-purposes-%d", (int)getpid());
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                     &file));
    for (int way = 0; way < 4; way++) {
        MPI_Request request;
        if (check_rank == 1)
            for (int flag; about(2) != 1;)
                OK(MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        if (way == 0) {
            OK(MPI_File_write_at_all(file, 0, data, 4, MPI_INT, MPI_STATUS_IGNORE));
        } else if (way == 1) {
            OK(MPI_File_iread_at_all(file, 0, data, 4, MPI_INT, &request));
            OK(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
        } else if (way == 2) {
            OK(MPI_File_write_at_all_begin(file, 0, data, 4, MPI_INT));
            OK(MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE));
        } else {
            OK(MPI_File_sync(file));
        }
        CHECK(number(purpose) == 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_File_close(&file));

    /* The virtual processors of all packages have switched. */
    int packages = values("package_switches", MPI_T_PVAR_CLASS_COUNTER, counts);
    for (int i = 0; i < packages; i++)
        sum += counts[i];
    CHECK(sum > 0);
    CHECK(values("l3cache_compute_time", MPI_T_PVAR_CLASS_TIMER, counts) >= packages && counts[0] > 0);
    OK(MPI_T_finalize());
    free(data);
    return check_end();
}
