/* A policy that makes use of what ranks are about: those about the network run first, and those about I/O go on on
 * virtual processors of their own. */
#include <simurgh_policy.h>

static void purposes(struct simurgh_purposes *purposes, size_t io_vps)
{
    purposes->network_first = 1;
    purposes->io_processors = io_vps;
}

const struct simurgh_policy simurgh_policy = {
    .version = SIMURGH_POLICY_VERSION,
    .name = "attentive",
    .purposes = purposes,
};
