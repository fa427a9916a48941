/* A manager that starts others again and again, and parts from them: nothing of them is left. */
#include "spawned.h"

#include <dirent.h>
#include <unistd.h>

/* Open descriptors of a process. */
static int descriptors(int process)
{
    int number = 0;
    char path[64];
    DIR *directory;

    snprintf(path, sizeof path, "/proc/%d/fd", process);
    directory = opendir(path);
    CHECK(directory != NULL);
    while (readdir(directory))
        number++;
    closedir(directory);
    return number;
}

/* Mappings of this process. */
static int mappings(void)
{
    int number = 0, byte;
    FILE *file = fopen("/proc/self/maps", "r");

    CHECK(file != NULL);
    while ((byte = getc(file)) != EOF)
        number += byte == '\n';
    fclose(file);
    return number;
}

/* Memory of this process, in KiB. */
static long memory(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 50;
    int fds = 0, launcher = 0, maps = 0;
    long kib = 0;
    MPI_Comm parent;

    check_begin(&argc, &argv);
    OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        OK(MPI_Comm_disconnect(&parent));
        OK(MPI_Finalize());
        return 0;
    }
    for (int round = 0; round < rounds; round++) {
        MPI_Comm child = spawn(MPI_COMM_WORLD, argv[0], "0", 1);
        OK(MPI_Comm_disconnect(&child));
        if (round == rounds / 2) {
            fds = descriptors(getpid());
            launcher = descriptors(getppid());
            maps = mappings();
            kib = memory();
        }
    }
    /* Some may be about to go when they are counted. */
    CHECK(descriptors(getpid()) <= fds + 8);
    CHECK(descriptors(getppid()) <= launcher + 8);
    CHECK(mappings() <= maps + 16);
    long grown = memory() - kib, started = rounds - rounds / 2;
    if (started >= 200)
        printf("%ld bytes for each\n", grown * 1024 / started);
    /* What is known of a host takes more than that while it is there. Less can be told of many only. */
    CHECK(grown <= (started < 200 ? 4096 : started < 500 ? started * 2 : started * 7 / 8));
    return check_end();
}
