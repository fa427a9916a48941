/* Two jobs whose first processes have a socket between them. Arguments: "listen" or "call", and a name for the socket
 * that no other has. */
#define _GNU_SOURCE
#include "universe.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static int connected(int listens, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1;
    int end = socket(AF_UNIX, SOCK_STREAM, 0), listening = end;

    length += snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
    if (!listens) {
        while (connect(end, (struct sockaddr *)&address, length) != 0)
            usleep(1000);
        return end;
    }
    CHECK(bind(listening, (struct sockaddr *)&address, length) == 0 && listen(listening, 1) == 0);
    end = accept(listening, NULL, NULL);
    CHECK(end >= 0);
    close(listening);
    return end;
}

int main(int argc, char **argv)
{
    int listens = argc > 1 && strcmp(argv[1], "listen") == 0;
    MPI_Comm other;

    check_begin(&argc, &argv);
    if (check_rank == 0 && argc > 2) {
        int end = connected(listens, argv[2]);
        for (int round = 0; round < 3; round++) {
            char byte = 0;
            OK(MPI_Comm_join(end, &other));
            CHECK(other != MPI_COMM_NULL);
            talk(other, listens);
            OK(MPI_Comm_disconnect(&other));
            /* The socket is as it was. */
            CHECK(write(end, "x", 1) == 1 && read(end, &byte, 1) == 1 && byte == 'x');
        }
        close(end);
    }
    return check_end();
}
