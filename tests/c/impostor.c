/* Takes the place of hosts on libfabric's tcp;ofi_rxm (1.17) of this machine, as any user can: a connect request of 56
 * bytes claims the port of the host for which it is taken, and the connection with that one is closed.
 *
 * impostor short|swallow|one-way|relay|forge|replay FIRST SECOND: the ports at which two hosts expect packets.
 *
 * - short: connects to either in the name of the other a dozen times, or until one has ended, and leaves.
 * - swallow: takes up all that comes; one-way: but for what the first host sends.
 * - relay: passes it on; forge: and writes FALS where TRUE stands; replay: and passes the first packet on twice.
 *
 * Says "in place" when both have taken it for the other one; "left" when it has gone, which ends it. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECT = 0, ACCEPTED = 1, TIMES = 12, TRIES = 200, REFUSED = -1, GONE = -2 };

/* How connections of libfabric's tcp begin, and what rxm says with that. */
struct control {
    uint8_t version, type;
    uint16_t length;
    uint32_t zero;
    uint64_t numbers[2];
    uint64_t byte_order;
};

struct request {
    struct control control;
    uint8_t version, endianness, control_version, operation_version;
    uint16_t port;
    uint8_t flow_control, padding;
    uint32_t eager_limit, receives;
    uint64_t connection;
};

struct answer {
    struct control control;
    uint64_t connection;
    uint64_t rest;
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* A connection to a host in the name of the one at another port; REFUSED, or GONE if the host has ended. `index` is
 * what each calls the other, as told to the host and by it. */
static int take_place(int port, int claimed, uint32_t *index)
{
    static uint64_t process = 1 << 20;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0)
        fail("socket");
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) {
        if (errno != ECONNREFUSED)
            fail("connect");
        close(connection);
        return GONE;
    }
    struct request request = {
        .control = {.version = 3, .type = CONNECT, .length = htons(24), .byte_order = 1},
        .version = 1,
        .endianness = 2,
        .control_version = 4,
        .operation_version = 3,
        .port = claimed,
        .eager_limit = 16384,
        .receives = 1024,
        .connection = ++process << 32 | *index,
    };
    if (sizeof request != 56)
        fail("request");
    struct pollfd wait = {.fd = connection, .events = POLLIN};
    struct answer answer;
    if (send(connection, &request, sizeof request, MSG_NOSIGNAL) == sizeof request
        && poll(&wait, 1, 2000) == 1 && read(connection, &answer, sizeof answer) == sizeof answer
        && answer.control.type == ACCEPTED) {
        *index = (uint32_t)answer.connection;
        return connection;
    }
    close(connection);
    return REFUSED;
}

static int is_open(int connection)
{
    char byte;
    return recv(connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Connections to both, each of which takes this for the other one. */
static void take_both(const int ports[2], int connections[2])
{
    uint32_t called = 0;
    connections[1] = -1;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        /* The second host's name for the first, then the other way round, then with the right number. */
        int before = take_place(ports[1], ports[0], &called);
        if (before < 0)
            continue;
        uint32_t other = called;
        connections[0] = take_place(ports[0], ports[1], &other);
        close(before);
        if (connections[0] < 0)
            continue;
        uint32_t again = other;
        connections[1] = take_place(ports[1], ports[0], &again);
        usleep(50000);
        if (connections[1] >= 0 && again == called && is_open(connections[0]) && is_open(connections[1]))
            return;
        close(connections[0]);
        if (connections[1] >= 0)
            close(connections[1]);
    }
    fprintf(stderr, "they do not take this for each other\n");
    exit(1);
}

static void pass_on(int connection, const char *data, ssize_t length)
{
    while (length > 0) {
        ssize_t written = write(connection, data, length);
        if (written < 0)
            exit(0);
        data += written;
        length -= written;
    }
}

static void forge(char *data, ssize_t length)
{
    for (ssize_t at = 0; at + 4 <= length; at++)
        if (!memcmp(data + at, "TRUE", 4))
            memcpy(data + at, "FALS", 4);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *kind = argv[1];
    const int ports[2] = {atoi(argv[2]), atoi(argv[3])};
    if (!strcmp(kind, "short")) {
        int has_harmed = 0;
        for (int time = 0; time < TIMES; time++) {
            uint32_t index = 0;
            int connection = take_place(ports[time % 2], ports[1 - time % 2], &index);
            has_harmed |= connection != REFUSED;
            if (connection == GONE)
                break;
            close(connection);
        }
        if (!has_harmed)
            return 1;
        printf("left\n");
        return 0;
    }
    int connections[2];
    take_both(ports, connections);
    printf("in place\n");
    fflush(stdout);
    struct pollfd waits[2] = {{.fd = connections[0], .events = POLLIN}, {.fd = connections[1], .events = POLLIN}};
    for (int is_first = 1;;) {
        if (poll(waits, 2, -1) < 0)
            fail("poll");
        for (int side = 0; side < 2; side++) {
            static char data[1 << 16];
            ssize_t length = waits[side].revents ? read(connections[side], data, sizeof data) : 0;
            if (waits[side].revents && length <= 0)
                return 0;
            if (length <= 0 || !strcmp(kind, "swallow") || (side && !strcmp(kind, "one-way")))
                continue;
            if (!strcmp(kind, "forge"))
                forge(data, length);
            pass_on(connections[1 - side], data, length);
            if (!strcmp(kind, "replay") && is_first)
                pass_on(connections[1 - side], data, length);
            is_first = 0;
        }
    }
}
