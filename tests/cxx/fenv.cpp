// Each rank rounds in its own way, also where exceptions are thrown and its threads compute; ranks wander at each
// let_others_run (mpi_yield.c).
#include "../../crates/image/tests/programs/yield.h"
#include <cfenv>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <thread>

static const int modes[] = {FE_UPWARD, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD};

// Only upwards and downwards are these different from both neighbours.
template <class Number> static bool rounds_as(int mode)
{
    const volatile Number one = 1, tiny = std::numeric_limits<Number>::min();
    const volatile Number more = one + tiny, less = -one - tiny;
    return std::fegetround() == mode && (more > one) == (mode == FE_UPWARD) && (less < -one) == (mode == FE_DOWNWARD);
}

static bool is_right(int mode)
{
    return rounds_as<float>(mode) && rounds_as<double>(mode) && rounds_as<long double>(mode);
}

int main()
{
    const int rank = std::atoi(std::getenv("TEST_RANK")), mode = modes[rank % 4];
    bool right = is_right(FE_TONEAREST), in_thread = false;
    std::fesetround(mode);
    for (int round = 0; round < 100; round++) {
        try {
            let_others_run();
            throw std::runtime_error("on the way");
        } catch (const std::exception &) {
            right &= is_right(mode);
            let_others_run();
        }
        right &= is_right(mode);
    }
    std::thread([&] { in_thread = is_right(mode); }).join();
    std::cout << (right && in_thread ? "fenv OK" : "fenv BAD") << std::endl;
}
