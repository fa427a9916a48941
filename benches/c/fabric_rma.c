/* What libfabric's tcp provider itself does with remote memory on the loopback interface, between a process on the
 * first core and one on the second, which polls: as `windows.c` with the memory of the program.
 *
 * "put_created BYTES NS", "get_created BYTES NS": a write until its data is in the remote memory, or a read.
 * "put_rate_created BYTES MB_PER_S": 64 writes, until all are there.
 *
 * Each is the best of several batches. Arguments name the kinds to measure: all if there are none.
 */
#define _GNU_SOURCE
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chosen.h"

enum { LARGEST = 1 << 20, BATCHES = 7, WINDOW = 64, NAME = 256 };

static const double BATCH_SECONDS = 0.005;
static const int SIZES[] = {8, 512, 4096, 65536, LARGEST};

/* What the other process has to know. */
struct address {
    char name[NAME];
    uint64_t key, start;
};

static struct fid_ep *endpoint;
static struct fid_cq *queue;
static struct fid_mr *registered;
static char *data, *memory;
static fi_addr_t peer;
static struct address theirs;

static void check(long outcome, const char *what)
{
    if (outcome < 0) {
        fprintf(stderr, "fabric_rma: %s: %s\n", what, fi_strerror((int)-outcome));
        exit(EXIT_FAILURE);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits for so many operations. */
static void await(int count)
{
    struct fi_cq_entry entries[16];
    while (count > 0) {
        ssize_t done = fi_cq_read(queue, entries, 16);
        if (done != -FI_EAGAIN)
            check(done, "fi_cq_read");
        if (done > 0)
            count -= (int)done;
    }
}

static void begin_put(int bytes)
{
    struct iovec local = {data, (size_t)bytes};
    struct fi_rma_iov remote = {theirs.start, (size_t)bytes, theirs.key};
    void *descriptor = fi_mr_desc(registered);
    struct fi_msg_rma message = {&local, &descriptor, 1, peer, &remote, 1, NULL, 0};
    ssize_t outcome;
    while ((outcome = fi_writemsg(endpoint, &message, FI_DELIVERY_COMPLETE | FI_COMPLETION)) == -FI_EAGAIN)
        fi_cq_read(queue, NULL, 0);
    check(outcome, "fi_writemsg");
}

static void put(int bytes)
{
    begin_put(bytes);
    await(1);
}

static void get(int bytes)
{
    ssize_t outcome;
    while ((outcome = fi_read(endpoint, data, (size_t)bytes, fi_mr_desc(registered), peer, theirs.start, theirs.key,
                              NULL)) == -FI_EAGAIN)
        fi_cq_read(queue, NULL, 0);
    check(outcome, "fi_read");
    await(1);
}

static void puts_in_flight(int bytes)
{
    for (int i = 0; i < WINDOW; i++)
        begin_put(bytes);
    await(WINDOW);
}

static double batch(void (*work)(int), int count, int bytes)
{
    double begin = now();
    for (int i = 0; i < count; i++)
        work(bytes);
    return now() - begin;
}

/* The best time of one call, in seconds. */
static double best_of(void (*work)(int), int bytes)
{
    int count = 1;
    double best = 1e9;
    while (batch(work, count, bytes) < BATCH_SECONDS)
        count *= 2;
    for (int i = 0; i < BATCHES; i++) {
        double seconds = batch(work, count, bytes);
        best = seconds < best ? seconds : best;
    }
    return best / count;
}

/* Opens an endpoint on the loopback interface, and exchanges addresses with the other process. */
static void connect_to(int other)
{
    struct fi_info *hints = fi_allocinfo(), *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fi_av_attr address_attributes = {.type = FI_AV_TABLE};
    struct fi_cq_attr queue_attributes = {.format = FI_CQ_FORMAT_CONTEXT, .wait_obj = FI_WAIT_FD};
    struct address ours = {.key = 0};
    size_t length = sizeof ours.name;
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->name = strdup("lo");
    hints->fabric_attr->prov_name = strdup("tcp");
    check(fi_getinfo(FI_VERSION(1, 15), "127.0.0.1", NULL, FI_SOURCE, hints, &info), "fi_getinfo");
    check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    check(fi_av_open(domain, &address_attributes, &addresses, NULL), "fi_av_open");
    check(fi_cq_open(domain, &queue_attributes, &queue, NULL), "fi_cq_open");
    check(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
    check(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(endpoint, &queue->fid, FI_SEND | FI_RECV), "fi_ep_bind");
    check(fi_enable(endpoint), "fi_enable");
    data = calloc(1, LARGEST);
    memory = calloc(1, LARGEST);
    if (data == NULL || memory == NULL)
        exit(EXIT_FAILURE);
    check(fi_mr_reg(domain, data, LARGEST, FI_READ | FI_WRITE, 0, 1, 0, &registered, NULL), "fi_mr_reg");
    struct fid_mr *exposed;
    check(fi_mr_reg(domain, memory, LARGEST, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 2, 0, &exposed, NULL), "fi_mr_reg");
    check(fi_getname(&endpoint->fid, ours.name, &length), "fi_getname");
    ours.key = fi_mr_key(exposed);
    ours.start = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)(uintptr_t)memory : 0;
    if (send(other, &ours, sizeof ours, 0) != sizeof ours
        || recv(other, &theirs, sizeof theirs, MSG_WAITALL) != sizeof theirs)
        exit(EXIT_FAILURE);
    if (fi_av_insert(addresses, theirs.name, 1, &peer, 0, NULL) != 1)
        exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    int ends[2];
    cpu_set_t core;
    choose(argc, argv);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return EXIT_FAILURE;
    pid_t target = fork();
    CPU_ZERO(&core);
    CPU_SET(target == 0, &core);
    sched_setaffinity(0, sizeof core, &core);
    connect_to(ends[target == 0]);
    while (target == 0)
        fi_cq_read(queue, NULL, 0);
    put(8);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        int bytes = SIZES[i];
        if (chosen("put_created"))
            printf("put_created %d %.1f\n", bytes, best_of(put, bytes) * 1e9);
        if (chosen("get_created"))
            printf("get_created %d %.1f\n", bytes, best_of(get, bytes) * 1e9);
        if (chosen("put_rate_created"))
            printf("put_rate_created %d %.1f\n", bytes, WINDOW * bytes / best_of(puts_in_flight, bytes) / 1e6);
    }
    kill(target, SIGKILL);
    waitpid(target, NULL, 0);
    return 0;
}
