/* Ranks that wait at ports to which nobody comes. The argument says how: "accept", rank 0 accepts and the others wait
 * for it; "connect", as it connects; "parted", the first after programs that they have started have gone; "gone", then
 * it waits for a message instead. With "late" all is well, though all wait but the one that connects late. "returns"
 * connects with MPI_ERRORS_RETURN, and gives up after some time: the one that a further argument says, if there is one;
 * "fatal" does so with an error that ends the job. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void start_and_part(char *program)
{
    MPI_Comm children;
    char *arguments[] = {"child", NULL};

    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
}

static void meet(const char *port, int accepts)
{
    MPI_Comm other;

    if (accepts)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    MPI_Barrier(other);
    MPI_Comm_disconnect(&other);
}

/* Connects where nobody accepts. */
static void give_up(const char *port, const char *seconds)
{
    int code, class = MPI_SUCCESS;
    MPI_Comm other;
    MPI_Info info = MPI_INFO_NULL;

    if (seconds) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "timeout", seconds);
    }
    code = MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &other);
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_PORT)
        MPI_Abort(MPI_COMM_WORLD, 99);
    if (seconds)
        MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    int rank, size;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (strcmp(argv[1], "parted") == 0 || strcmp(argv[1], "gone") == 0)
        start_and_part(argv[0]);
    if (strcmp(argv[1], "late") == 0 && rank == size - 1) {
        usleep(300000);
        meet(port, 0);
    } else if (rank == 0 && strcmp(argv[1], "gone") == 0) {
        MPI_Recv(port, 1, MPI_CHAR, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0 && strcmp(argv[1], "returns") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        give_up(port, argc > 2 ? argv[2] : NULL);
    } else if (rank == 0 && strcmp(argv[1], "fatal") == 0) {
        give_up(port, argv[2]);
    } else if (rank == 0) {
        meet(port, strcmp(argv[1], "connect") != 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("met");
    MPI_Finalize();
    return 0;
}
