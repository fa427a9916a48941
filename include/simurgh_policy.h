/* Scheduling policies as shared libraries, for `mpiexec --policy ./mine.so`.
 *
 * A policy says on which virtual processor each rank starts, which others an idle virtual processor asks for work,
 * which virtual processors drive the network, and what comes of what ranks are about. It is a shared library that
 * defines the object `simurgh_policy`:
 *
 *     const struct simurgh_policy simurgh_policy = {
 *         .version = SIMURGH_POLICY_VERSION,
 *         .name = "mine",
 *         .place = place,
 *     };
 *
 *     cc -shared -fPIC -I PREFIX/include mine.c -o mine.so
 *
 * Where a function is NULL, the policy `wq` decides. The functions are called while a process of the job starts, one at
 * a time, before its ranks begin. They must not call MPI.
 */
#ifndef SIMURGH_POLICY_H
#define SIMURGH_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. A library with a policy of version 1, which had no `purposes`, is accepted as well;
 * one of any other version is refused. */
#define SIMURGH_POLICY_VERSION 2

/* Hardware that cores share, from the widest to the narrowest. */
enum simurgh_domain {
    SIMURGH_DOMAIN_MACHINE,
    SIMURGH_DOMAIN_PACKAGE,
    SIMURGH_DOMAIN_NUMA,
    SIMURGH_DOMAIN_L3,
    SIMURGH_DOMAIN_L2,
    SIMURGH_DOMAIN_CORE
};

/* The virtual processors of a process, which are numbered from 0, and their cores. */
struct simurgh_machine {
    /* The number of virtual processors that run ranks. */
    size_t vps;
    /* The distance of two virtual processors: how many levels up in the hierarchy of the hardware their cores meet. It
     * is 0 on the same core. */
    size_t (*distance)(const struct simurgh_machine *machine, size_t vp, size_t other);
    /* A number for the hardware of this kind around a virtual processor: the lowest of the virtual processors that have
     * their cores there. If the machine has none of this kind, the next wider kind counts. */
    size_t (*domain)(const struct simurgh_machine *machine, enum simurgh_domain kind, size_t vp);
    /* For the functions above. */
    const void *topology;
};

/* Which virtual processors drive the network. */
struct simurgh_driving {
    /* The number of virtual processors that do nothing else, besides those that run ranks. */
    size_t dedicated;
    /* Whether those that run ranks drive it, too (0 or 1). */
    int by_others;
    /* Whether the dedicated ones have cores of their own, on which they may poll all the time (0 or 1). */
    int has_cores;
};

/* What comes of what ranks are about: at each moment a rank computes, is about the network (it waits for the other side
 * of a long message), or is about I/O (it waits for a file). The library notes that by itself, and programs can say
 * it. */
struct simurgh_purposes {
    /* Whether a rank that is about the network runs before the others of its virtual processor as soon as what it
     * waits for has happened (0 or 1). */
    int network_first;
    /* The number of virtual processors, besides those that run ranks and without cores of their own, on which ranks go
     * on that say that they are about I/O. With 0 they stay where they are, as do ranks that are bound. */
    size_t io_processors;
};

struct simurgh_policy {
    /* SIMURGH_POLICY_VERSION */
    uint32_t version;
    /* The policy's name in reports. */
    const char *name;
    /* Returns the virtual processor on which the rank with this index, of `count` ranks in the process, starts, modulo
     * their number. */
    size_t (*place)(const struct simurgh_machine *machine, size_t index, size_t count);
    /* Writes the virtual processors that `vp` asks for work when it is idle to `victims`, which has room for
     * `machine->vps`, in order of preference, and returns how many they are. */
    size_t (*victims)(const struct simurgh_machine *machine, size_t vp, size_t *victims);
    /* Changes who drives the network between processes. At first `driving` is what `wq` does: whoever waits.
     * `network_vps` is the value of --network-vps. */
    void (*driving)(struct simurgh_driving *driving, size_t network_vps);
    /* Changes what comes of what ranks are about. At first `purposes` is what `wq` does: nothing. `io_vps` is the
     * value of --io-vps. */
    void (*purposes)(struct simurgh_purposes *purposes, size_t io_vps);
};

/* What the library with the policy defines. */
extern const struct simurgh_policy simurgh_policy;

#ifdef __cplusplus
}
#endif

#endif
