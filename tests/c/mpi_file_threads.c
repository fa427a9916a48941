/* A rank whose processor nobody else wants moves long data by itself, also when it waits for what it has
 * posted just now. Only what goes on beside it takes an I/O thread. The argument is the name of a file. */
#include "mpi_check.h"
#include <dirent.h>
#include <unistd.h>

enum { LONG = 4 << 20 };

/* The I/O threads of this process, by their name. */
static int io_threads(void)
{
    DIR *threads = opendir("/proc/self/task");
    int found = 0;
    CHECK(threads != NULL);
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *comm = fopen(path, "r");
        if (comm == NULL)
            continue;
        found += fgets(name, sizeof name, comm) != NULL && strcmp(name, "io\n") == 0;
        fclose(comm);
    }
    closedir(threads);
    return found;
}

/* The bytes that the calling thread has written so far; -1 if the system does not say. */
static long long written(void)
{
    char line[64];
    long long bytes = -1;
    FILE *io = fopen("/proc/thread-self/io", "r");
    while (io != NULL && fgets(line, sizeof line, io) != NULL)
        sscanf(line, "wchar: %lld", &bytes);
    if (io != NULL)
        fclose(io);
    return bytes;
}

/* A rank that waits for writes which no thread has begun makes them. A thread may be faster, so it tries again. */
static void waits_by_writing(MPI_File f, MPI_Offset own, const char *data)
{
    enum { PARTS = 4, PART = LONG / PARTS, TRIES = 500 };
    for (int i = 0; i < TRIES; i++) {
        MPI_Request requests[PARTS];
        long long before = written();
        for (int k = 0; k < PARTS; k++)
            OK(MPI_File_iwrite_at(f, own + k * PART, data + k * PART, PART, MPI_BYTE, &requests[k]));
        OK(MPI_Waitall(PARTS, requests, MPI_STATUSES_IGNORE));
        if (before < 0 || written() >= before + LONG)
            return;
    }
    CHECK(!"the rank has always waited for a thread");
}

int main(int argc, char **argv)
{
    MPI_File f;
    MPI_Request request;
    check_begin(&argc, &argv);
    CHECK(argc == 2);
    char *data = calloc(1, LONG), *got = malloc(LONG);
    memset(data, check_rank + 1, LONG);
    MPI_Offset own = (MPI_Offset)check_rank * LONG;
    OK(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &f));
    OK(MPI_File_write_at(f, own, data, LONG, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at(f, own, got, LONG, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(memcmp(data, got, LONG) == 0);
    OK(MPI_File_write_at_all(f, own, data, LONG, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_read_at_all(f, own, got, LONG, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(io_threads() == 0);
    OK(MPI_File_iwrite_at(f, own, data, LONG, MPI_BYTE, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    /* It has its name a moment after it has begun. */
    for (int i = 0; i < 10000 && io_threads() == 0; i++)
        usleep(1000);
    CHECK(io_threads() > 0);
    memset(data, check_rank + 2, LONG);
    waits_by_writing(f, own, data);
    OK(MPI_File_read_at(f, own, got, LONG, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK(memcmp(data, got, LONG) == 0);
    OK(MPI_File_close(&f));
    free(data);
    free(got);
    return check_end();
}
