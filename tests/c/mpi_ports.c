/* Groups that meet at ports: halves of a world, worlds that were started apart, and two processes with a socket. */
#define _GNU_SOURCE
#include "spawned.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The exchange of both sides when they have met. */
static void greet(MPI_Comm other)
{
    int one = 1, sum, remote, rank, size;
    char word[8] = "";

    OK(MPI_Comm_remote_size(other, &remote));
    OK(MPI_Comm_rank(other, &rank));
    OK(MPI_Comm_size(other, &size));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, other));
    CHECK(sum == remote);
    if (rank == 0)
        OK(MPI_Sendrecv("hello", 6, MPI_CHAR, 0, 1, word, 8, MPI_CHAR, 0, 1, other, MPI_STATUS_IGNORE));
    CHECK(rank != 0 || strcmp(word, "hello") == 0);
}

static void halves(void)
{
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    int high = check_rank >= (check_size + 1) / 2;
    MPI_Comm half, other;

    OK(MPI_Comm_split(MPI_COMM_WORLD, high, 0, &half));
    for (int round = 0; round < 3; round++) {
        if (check_rank == 0) {
            OK(MPI_Open_port(MPI_INFO_NULL, port));
            OK(MPI_Publish_name("halves", MPI_INFO_NULL, port));
        }
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (high) {
            int rank;
            OK(MPI_Comm_rank(half, &rank));
            if (rank == 0)
                OK(MPI_Lookup_name("halves", MPI_INFO_NULL, found));
            OK(MPI_Comm_connect(found, MPI_INFO_NULL, 0, half, &other));
        } else {
            OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other));
        }
        greet(other);
        OK(MPI_Comm_disconnect(&other));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (check_rank == 0) {
            OK(MPI_Unpublish_name("halves", MPI_INFO_NULL, port));
            OK(MPI_Close_port(port));
        }
    }
    OK(MPI_Comm_free(&half));
}

/* Worlds that know of each other what those say who have started both. */
static int stranger(int accepts)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm parent = parents(), other;

    if (accepts) {
        if (check_rank == 0) {
            OK(MPI_Open_port(MPI_INFO_NULL, port));
            OK(MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent));
        }
        OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other));
    } else {
        if (check_rank == 0)
            OK(MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent, MPI_STATUS_IGNORE));
        OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other));
    }
    OK(MPI_Comm_disconnect(&parent));
    greet(other);
    OK(MPI_Comm_disconnect(&other));
    OK(MPI_Finalize());
    return 0;
}

static void strangers(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm accepting = spawn(MPI_COMM_WORLD, program, "accept", 2);
    MPI_Comm connecting = spawn(MPI_COMM_WORLD, program, "connect", 3);

    if (check_rank == 0) {
        OK(MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, accepting, MPI_STATUS_IGNORE));
        OK(MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, connecting));
    }
    OK(MPI_Comm_disconnect(&accepting));
    OK(MPI_Comm_disconnect(&connecting));
}

/* Ranks 0 and 1 have a socket. */
static void join(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1;
    int listening = -1, end = -1, pid = getpid();
    MPI_Comm other;

    if (check_rank == 0)
        listening = socket(AF_UNIX, SOCK_STREAM, 0);
    OK(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    length += snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "simurgh-test-join-%d", pid);
    if (check_rank == 0)
        CHECK(bind(listening, (struct sockaddr *)&address, length) == 0 && listen(listening, 1) == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 1) {
        end = socket(AF_UNIX, SOCK_STREAM, 0);
        CHECK(connect(end, (struct sockaddr *)&address, length) == 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank > 1)
        return;
    if (check_rank == 0) {
        end = accept(listening, NULL, NULL);
        CHECK(end >= 0);
        close(listening);
    }
    OK(MPI_Comm_join(end, &other));
    close(end);
    greet(other);
    OK(MPI_Comm_disconnect(&other));
}

static void mistakes(void)
{
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
    MPI_Comm other;

    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    FAILS(MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Close_port(port));
    FAILS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    FAILS(MPI_Close_port(port), MPI_ERR_PORT);
    FAILS(MPI_Lookup_name("nobody", MPI_INFO_NULL, found), MPI_ERR_NAME);
    FAILS(MPI_Unpublish_name("nobody", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (*part(argc, argv))
        return stranger(strcmp(part(argc, argv), "accept") == 0);
    mistakes();
    if (check_size > 1) {
        halves();
        join();
    }
    strangers(argv[0]);
    return check_end();
}
