/* A scheduling policy of one's own: even ranks live on one half of the virtual processors, odd ranks on the other.
 *
 *     cc -shared -fPIC -I PREFIX/include policy.c -o policy.so
 *     mpiexec -n 8 --policy ./policy.so ./a.out
 *
 * It suits a program whose even ranks compute and whose odd ranks do input and output for them: neither kind waits for
 * a processor that the other one uses. An idle processor helps only those of its own half, the nearest first.
 */
#include <simurgh_policy.h>

static size_t first_of_half(const struct simurgh_machine *machine, size_t half) {
    return half * machine->vps / 2;
}

static size_t half_of(const struct simurgh_machine *machine, size_t vp) {
    return vp >= first_of_half(machine, 1);
}

static size_t place(const struct simurgh_machine *machine, size_t index, size_t count) {
    size_t half = index % 2, first = first_of_half(machine, half);
    size_t processors = first_of_half(machine, half + 1) - first;
    size_t ranks = (count + 1 - half) / 2;
    if (processors == 0)
        return 0;
    /* In blocks, so that neighbours share a processor. */
    return first + index / 2 * processors / ranks;
}

static size_t victims(const struct simurgh_machine *machine, size_t vp, size_t *victims) {
    size_t found = 0;
    for (size_t other = 0; other < machine->vps; other++) {
        if (other == vp || half_of(machine, other) != half_of(machine, vp))
            continue;
        size_t at = found++;
        for (; at > 0; at--) {
            if (machine->distance(machine, vp, victims[at - 1]) <= machine->distance(machine, vp, other))
                break;
            victims[at] = victims[at - 1];
        }
        victims[at] = other;
    }
    return found;
}

const struct simurgh_policy simurgh_policy = {
    .version = SIMURGH_POLICY_VERSION,
    .name = "halves",
    .place = place,
    .victims = victims,
};
