/* Programs that several ranks spawn at the same time start at the same time: a child, which is a process,
 * initialises MPI when all others are there, too. The argument is a directory, in which each child makes a file. */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How many files are there. */
static int there(const char *directory)
{
    int files = 0;
    DIR *open = opendir(directory);

    while (readdir(open))
        files++;
    closedir(open);
    return files - 2;
}

/* Waits, before it uses MPI, until all children are there. */
static void child(const char *directory, int children)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%d", directory, (int)getpid());
    close(open(path, O_CREAT | O_WRONLY, 0600));
    while (there(directory) < children)
        usleep(1000);
}

int main(int argc, char **argv)
{
    int rank, size, mine = 0, sum;
    char number[16];
    char *arguments[] = {argv[1], number, NULL};
    MPI_Comm parent, children;

    if (argc > 2)
        child(argv[1], atoi(argv[2]));
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parent != MPI_COMM_NULL) {
        MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(number, sizeof number, "%d", 2 * size);
    MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
    MPI_Reduce(NULL, &mine, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);
    MPI_Comm_disconnect(&children);
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("the sum is %d\n", sum);
    MPI_Finalize();
    return 0;
}
