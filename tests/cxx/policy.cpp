// A policy in C++.
#include <cstddef>
#include <simurgh_policy.h>

static std::size_t place(const simurgh_machine *machine, std::size_t index, std::size_t) {
    return index % machine->vps;
}

const struct simurgh_policy simurgh_policy = {SIMURGH_POLICY_VERSION, "cyclic", place, nullptr, nullptr, nullptr};
