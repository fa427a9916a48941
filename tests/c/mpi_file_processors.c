/* Starts I/O threads with nonblocking writes, and prints on how many processors those of its process may run. The
 * arguments are the name of a file, and the number of processors that is expected: a rank may have written all by
 * itself before a thread has run, which then has neither its name nor its processors. */
#define _GNU_SOURCE
#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 1 << 22, WRITES = 4 };

/* Threads begin within so many seconds, however loaded the machine is. */
static const double LONGEST = 10;

/* The number of processors of each thread called "io"; 0 if there is none, -1 if they differ. */
static int processors_of_io_threads(void)
{
    int found = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(threads));) {
        char path[300], name[32] = "";
        cpu_set_t set;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        if (fgets(name, sizeof name, file) && strcmp(name, "io\n") == 0 &&
            sched_getaffinity(atoi(entry->d_name), sizeof set, &set) == 0) {
            found = found && found != CPU_COUNT(&set) ? -1 : CPU_COUNT(&set);
        }
        fclose(file);
    }
    closedir(threads);
    return found;
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Request requests[WRITES];
    int rank;
    char *data = calloc(WRITES, LENGTH);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int i = 0; i < WRITES; i++) {
        MPI_Offset place = (MPI_Offset)(rank * WRITES + i) * LENGTH;
        MPI_File_iwrite_at(file, place, data + (size_t)i * LENGTH, LENGTH, MPI_BYTE, &requests[i]);
    }
    MPI_Waitall(WRITES, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    int expected = atoi(argv[2]), found;
    double begin = MPI_Wtime();
    while ((found = processors_of_io_threads()) != expected && MPI_Wtime() - begin < LONGEST)
        usleep(1000);
    printf("%d processors\n", found);
    MPI_File_close(&file);
    MPI_Finalize();
    free(data);
    return 0;
}
