/* Files that the system does not let grow, or be written at all. The arguments are what is the matter, and the names of
 * a file that is not there and of one that is, if there is one. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A device, or a limit, of so many bytes; each rank has more. */
enum { ROOM = 1 << 20, BLOCK = 5000, EACH = 2 * ROOM / BLOCK * BLOCK };

static const char *name;
static char *data, *got;

static char byte_at(int rank, int i)
{
    return (char)(rank * 31 + i % 251 + 1);
}

static MPI_File open_with(int amode)
{
    MPI_File f;
    OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &f));
    return f;
}

/* What was said to be written of this rank's data, from an offset on, is there. */
static void is_there(MPI_File f, MPI_Offset at, MPI_Status *status)
{
    int count, now;
    OK(MPI_Get_count(status, MPI_BYTE, &count));
    CHECK(0 <= count && count <= EACH);
    OK(MPI_File_read_at(f, at, got, count, MPI_BYTE, status));
    OK(MPI_Get_count(status, MPI_BYTE, &now));
    CHECK(now == count && memcmp(data, got, (size_t)count) == 0);
}

/* Blocks of all ranks in turn. */
static void take_turns(MPI_File f)
{
    MPI_Datatype block, tile;
    OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block));
    OK(MPI_Type_create_resized(block, 0, (MPI_Aint)check_size * BLOCK, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_File_set_view(f, (MPI_Offset)check_rank * BLOCK, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&block));
    OK(MPI_Type_free(&tile));
}

/* No rank's data fits, and every rank is told, however it writes. */
static void together(MPI_File f, int class)
{
    MPI_Request request;
    take_turns(f);
    FAILS(MPI_File_write_at_all(f, 0, data, EACH, MPI_BYTE, MPI_STATUS_IGNORE), class);
    OK(MPI_File_iwrite_at_all(f, 0, data, EACH, MPI_BYTE, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), class);
    OK(MPI_File_write_all_begin(f, data, EACH, MPI_BYTE));
    FAILS(MPI_File_write_all_end(f, data, MPI_STATUS_IGNORE), class);
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    FAILS(MPI_File_write_ordered(f, data, EACH, MPI_BYTE, MPI_STATUS_IGNORE), class);
    /* The last rank alone has data that does not fit. */
    int last = check_rank == check_size - 1;
    FAILS(MPI_File_write_at_all(f, last ? ROOM : 0, data, last ? EACH : 10, MPI_BYTE, MPI_STATUS_IGNORE), class);
}

/* All ranks at the same time, but each by itself: the same for each. */
static void beside_each_other(MPI_File f, int class)
{
    MPI_Status status;
    MPI_Request requests[2];
    OK(MPI_File_set_size(f, 0));
    take_turns(f);
    FAILS(MPI_File_write_at(f, 0, data, EACH, MPI_BYTE, &status), class);
    is_there(f, 0, &status);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_iwrite_at(f, 0, data, EACH, MPI_BYTE, &requests[0]));
    OK(MPI_File_iwrite_at(f, EACH, data, EACH, MPI_BYTE, &requests[1]));
    FAILS(MPI_Wait(&requests[0], &status), class);
    FAILS(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), class);
    is_there(f, 0, &status);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

/* Each rank by itself, short and long: an error, and what was written before it is there. */
static void alone(MPI_File f, int class)
{
    MPI_Status status;
    MPI_Request request;
    OK(MPI_File_set_size(f, 0));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int turn = 0; turn < check_size; turn++) {
        if (turn == check_rank) {
            FAILS(MPI_File_write_at(f, 100, data, EACH, MPI_BYTE, &status), class);
            is_there(f, 100, &status);
            OK(MPI_File_iwrite_at(f, 100, data, EACH, MPI_BYTE, &request));
            FAILS(MPI_Wait(&request, &status), class);
            is_there(f, 100, &status);
            FAILS(MPI_File_write_at(f, ROOM, data, 10, MPI_BYTE, MPI_STATUS_IGNORE), class);
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* When there is room again, all goes on. */
static void go_on(MPI_File f)
{
    MPI_Status status;
    MPI_Offset size;
    OK(MPI_File_set_size(f, 0));
    OK(MPI_File_write_at_all(f, check_rank * 1000, data, 1000, MPI_BYTE, &status));
    is_there(f, check_rank * 1000, &status);
    OK(MPI_File_sync(f));
    OK(MPI_File_get_size(f, &size));
    CHECK(size == check_size * 1000);
    OK(MPI_File_close(&f));
    CHECK(access(name, F_OK) != 0);
}

static void without_room(int class)
{
    MPI_File f = open_with(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    FAILS(MPI_File_preallocate(f, 4 * ROOM), class);
    together(f, class);
    beside_each_other(f, class);
    alone(f, class);
    go_on(f);
}

/* A limit of the process: the kernel would end it by a signal if it were not seen before. */
static void limited(void)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = ROOM;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD)); /* ranks of one process have one limit */
    MPI_File f = open_with(MPI_MODE_RDWR | MPI_MODE_CREATE);
    FAILS(MPI_File_set_size(f, ROOM + 1), MPI_ERR_QUOTA);
    OK(MPI_File_set_size(f, ROOM));
    OK(MPI_File_close(&f));
    without_room(MPI_ERR_QUOTA);
}

/* The file that is there may be read, and nothing else. */
static void only_readable(const char *known, int class)
{
    MPI_File f;
    char bytes[6];
    MPI_Status status;
    int count;
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f), class);
    FAILS(MPI_File_open(MPI_COMM_WORLD, known, MPI_MODE_WRONLY, MPI_INFO_NULL, &f), class);
    FAILS(MPI_File_delete(known, MPI_INFO_NULL), class);
    OK(MPI_File_open(MPI_COMM_WORLD, known, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
    OK(MPI_File_read_at_all(f, 0, bytes, 6, MPI_BYTE, &status));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == 5 && memcmp(bytes, "known", 5) == 0);
    FAILS(MPI_File_write_at_all(f, 0, bytes, 1, MPI_BYTE, &status), MPI_ERR_READ_ONLY);
    OK(MPI_File_close(&f));
    /* The file cannot be deleted, and is closed all the same. */
    OK(MPI_File_open(MPI_COMM_WORLD, known, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
    FAILS(MPI_File_close(&f), class);
}

/* A filter in all threads of the process, by which calls that not all systems allow fail with an error number. Returns
 * whether filters are allowed. */
static int forbid_calls(unsigned error)
{
#define FORBIDDEN BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)
#define FORBID(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), FORBIDDEN
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        FORBID(SYS_fallocate),
        FORBID(SYS_openat2),
        FORBID(SYS_copy_file_range),
        FORBID(SYS_fstatfs),
        FORBID(SYS_fsync),
        FORBID(SYS_io_uring_setup),
        /* Locks of parts of files. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLKW, 0, 1),
        FORBIDDEN,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/* Room is made by zeros where the system's own call is forbidden. What cannot be done is an error at every rank, and
 * what was written before is there. */
static void filtered(unsigned error, int class)
{
    MPI_Status status;
    MPI_Offset size;
    MPI_File f = open_with(MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset own = (MPI_Offset)check_rank * ROOM;
    int allowed;
    OK(MPI_File_write_at_all(f, own, data, 1000, MPI_BYTE, &status));
    for (int turn = 0; turn < check_size; turn++) {
        allowed = turn != check_rank || forbid_calls(error);
        OK(MPI_Allreduce(MPI_IN_PLACE, &allowed, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
        if (!allowed) {
            if (check_rank == 0)
                printf("no filters\n");
            OK(MPI_File_close(&f));
            return;
        }
    }
    MPI_Offset room = (MPI_Offset)check_size * ROOM + 12345;
    OK(MPI_File_preallocate(f, room));
    OK(MPI_File_get_size(f, &size));
    CHECK(size == room);
    struct stat facts;
    CHECK(stat(name, &facts) == 0 && facts.st_blocks * 512LL >= room / 4096 * 4096);
    is_there(f, own, &status);
    OK(MPI_File_write_at_all(f, own + 1000, data + 1000, 1000, MPI_BYTE, &status));
    FAILS(MPI_File_sync(f), class);
    OK(MPI_File_set_atomicity(f, 1));
    FAILS(MPI_File_write_at(f, own, got, 2000, MPI_BYTE, MPI_STATUS_IGNORE), class);
    FAILS(MPI_File_write_at_all(f, own, got, 2000, MPI_BYTE, MPI_STATUS_IGNORE), class);
    OK(MPI_File_set_atomicity(f, 0));
    OK(MPI_File_read_at_all(f, own, got, 2000, MPI_BYTE, &status));
    CHECK(memcmp(data, got, 2000) == 0);
    OK(MPI_File_read_at(f, room - 345, got, 345, MPI_BYTE, &status));
    for (int i = 0; i < 345; i++)
        CHECK(got[i] == 0);
    OK(MPI_File_close(&f));
}

/* The job ends, and says why. */
static void fatal(void)
{
    MPI_File f = open_with(MPI_MODE_RDWR | MPI_MODE_CREATE);
    OK(MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL));
    MPI_File_write_at_all(f, (MPI_Offset)check_rank * EACH, data, EACH, MPI_BYTE, MPI_STATUS_IGNORE);
    CHECK(!"reached");
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc >= 3);
    name = argv[2];
    data = malloc(EACH);
    got = malloc(EACH);
    for (int i = 0; i < EACH; i++)
        data[i] = byte_at(check_rank, i);
    if (strcmp(argv[1], "full") == 0)
        without_room(MPI_ERR_NO_SPACE);
    else if (strcmp(argv[1], "limited") == 0)
        limited();
    else if (strcmp(argv[1], "read-only") == 0)
        only_readable(argv[3], MPI_ERR_READ_ONLY);
    else if (strcmp(argv[1], "denied") == 0)
        only_readable(argv[3], MPI_ERR_ACCESS);
    else if (strcmp(argv[1], "EPERM") == 0)
        filtered(EPERM, MPI_ERR_ACCESS);
    else if (strcmp(argv[1], "ENOSYS") == 0)
        filtered(ENOSYS, MPI_ERR_IO);
    else
        fatal();
    free(data);
    free(got);
    return check_end();
}
