/* Each rank registers itself as LLVM's OpenMP library does: it makes a file that is named after its process, writes its
 * name into it, and reads the file back. It must find its own name, however many ranks do so at once. Files with other
 * names are those of all ranks. */
#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LENGTH = 128, ROUNDS = 20 };

static int rank, size;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "rank %d: %s:%d: not so: %s (%s)\n", rank, __FILE__, __LINE__, \
                    #condition, strerror(errno));                                          \
            MPI_Abort(MPI_COMM_WORLD, 99);                                                 \
        }                                                                                  \
    } while (0)

typedef int open_function(const char *, int, mode_t);

static int open_file(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

static void register_once(open_function *open_one, const char *folder)
{
    char name[64], text[LENGTH];
    snprintf(name, sizeof name, "%s/__KMP_REGISTERED_LIB_%d_%d", folder, (int)getpid(), (int)getuid());
    snprintf(text, sizeof text, "the copy of rank %d", rank);
    int file = open_one(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    CHECK(file >= 0);
    CHECK(ftruncate(file, LENGTH) == 0);
    char *data = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(data != MAP_FAILED);
    CHECK(data[0] == 0);
    strcpy(data, text);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(strcmp(data, text) == 0);
    CHECK(munmap(data, LENGTH) == 0 && close(file) == 0);
}

/* All ranks open the object that rank 0 has made. */
static void share(void)
{
    char name[64];
    snprintf(name, sizeof name, "/openmp_registration_%d", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    int file = rank == 0 ? shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600) : -1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        file = shm_open(name, O_RDWR, 0600);
    CHECK(file >= 0);
    CHECK(close(file) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK(shm_unlink(name) == 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char of_processes[64];
    for (int round = 0; round < ROUNDS; round++) {
        register_once(shm_open, "");
        register_once(open_file, "/tmp");
        /* What processes have made under their names goes away; ranks that are threads have made none. */
        snprintf(of_processes, sizeof of_processes, "/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
        MPI_Barrier(MPI_COMM_WORLD);
        shm_unlink(of_processes);
        snprintf(of_processes, sizeof of_processes, "/tmp/__KMP_REGISTERED_LIB_%d_%d", (int)getpid(), (int)getuid());
        unlink(of_processes);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    share();
    if (rank == 0)
        printf("passed with %d ranks\n", size);
    MPI_Finalize();
    return 0;
}
