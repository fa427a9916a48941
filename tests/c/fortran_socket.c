/* A connected socket for two ranks of a Fortran program: one listens, the other one connects. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int test_process_number(void);
int test_socket(int listens, int number);

/* A number that no other process of this machine has. */
int test_process_number(void)
{
    return (int)getpid();
}

/* The number says which two ranks belong together. */
int test_socket(int listens, int number)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + 1;
    int end = socket(AF_UNIX, SOCK_STREAM, 0), listening = end;

    length += snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "simurgh-fortran-%d", number);
    if (!listens) {
        while (connect(end, (struct sockaddr *)&address, length) != 0)
            usleep(1000);
        return end;
    }
    if (bind(listening, (struct sockaddr *)&address, length) != 0 || listen(listening, 1) != 0)
        return -1;
    end = accept(listening, NULL, NULL);
    close(listening);
    return end;
}
