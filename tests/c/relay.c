/* A switch with delay: each Ethernet frame that comes in at one of the interfaces goes out, so many milliseconds later,
   at that of its receiver, or at all others if nobody knows that one yet. Says "up" when it has begun; ends with its
   parent. usage: relay MILLISECONDS INTERFACE... */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORTS_MAX = 16, KNOWN_MAX = 64, FRAME_MAX = 66000, QUEUE_MAX = 64 << 20 };

/* A frame on its way, behind the kernel's word on what is left to be done to it: checksums and segments. */
struct frame {
    struct frame *next;
    int64_t due;
    int from;
    size_t length;
    unsigned char bytes[];
};

static int sockets[PORTS_MAX], ports;
static struct { unsigned char address[ETH_ALEN]; int port; } known[KNOWN_MAX];
static int known_count;
static struct frame *first, **last = &first;
static size_t queued;

static void fail(const char *what)
{
    fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int open_port(const char *name)
{
    int on = 1, fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
    unsigned index = if_nametoindex(name);
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = index};
    struct packet_mreq all = {.mr_ifindex = index, .mr_type = PACKET_MR_PROMISC};
    int room = 4 << 20;
    if (fd < 0 || !index || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on)
        || setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on)
        || bind(fd, (struct sockaddr *)&address, sizeof address)
        || setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all))
        fail(name);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room);
    return fd;
}

static int find(const unsigned char *address)
{
    for (int i = 0; i < known_count; i++)
        if (!memcmp(known[i].address, address, ETH_ALEN))
            return known[i].port;
    return -1;
}

static void learn(const unsigned char *address, int port)
{
    if (find(address) < 0 && known_count < KNOWN_MAX) {
        memcpy(known[known_count].address, address, ETH_ALEN);
        known[known_count++].port = port;
    }
}

static void take(int port, int64_t delay)
{
    static unsigned char bytes[FRAME_MAX];
    ssize_t length;
    while ((length = recv(sockets[port], bytes, sizeof bytes, 0)) > 0) {
        struct frame *frame;
        /* A sender of more than fits is slowed down by loss, as behind any switch. */
        if (queued + (size_t)length > QUEUE_MAX || !(frame = malloc(sizeof *frame + (size_t)length)))
            continue;
        *frame = (struct frame){.due = now() + delay, .from = port, .length = (size_t)length};
        memcpy(frame->bytes, bytes, (size_t)length);
        learn(bytes + sizeof(struct virtio_net_hdr) + ETH_ALEN, port);
        queued += frame->length;
        *last = frame;
        last = &frame->next;
    }
}

static void pass_on(const struct frame *frame)
{
    int to = find(frame->bytes + sizeof(struct virtio_net_hdr));
    for (int port = 0; port < ports; port++)
        if (port != frame->from && (to < 0 || to == port))
            /* One that finds no room is lost. */
            (void)!send(sockets[port], frame->bytes, frame->length, 0);
}

int main(int argc, char **argv)
{
    int64_t delay = argc > 1 ? atoll(argv[1]) * 1000000 : 0;
    struct pollfd polls[PORTS_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 2; i < argc && ports < PORTS_MAX; i++, ports++) {
        sockets[ports] = open_port(argv[i]);
        polls[ports] = (struct pollfd){.fd = sockets[ports], .events = POLLIN};
    }
    puts("up");
    fflush(stdout);
    for (;;) {
        struct timespec wait = {0, 0};
        int64_t left = first ? first->due - now() : 0;
        if (left > 0)
            wait = (struct timespec){left / 1000000000, left % 1000000000};
        if (ppoll(polls, (nfds_t)ports, first ? &wait : NULL, NULL) < 0 && errno != EINTR)
            fail("poll");
        for (int port = 0; port < ports; port++)
            take(port, delay);
        while (first && first->due <= now()) {
            struct frame *frame = first;
            pass_on(frame);
            if (!(first = frame->next))
                last = &first;
            queued -= frame->length;
            free(frame);
        }
    }
}
