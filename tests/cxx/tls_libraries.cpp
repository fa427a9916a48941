// Thread-local objects of a program and of two libraries, in all threads of all ranks.
#include "tls_part.hpp"
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

Part first();
Part second();

static thread_local Block<SIZE, ALIGNMENT> block;

static Part own()
{
    return {[](unsigned char value) { return block.holds(value); },
            [](unsigned char value) { block.bytes.fill(value); }};
}

// Streams, exceptions and strings use what C++ and C keep for each thread.
static bool use_libraries(int number)
{
    std::ostringstream text;
    text << "number " << number;
    try {
        throw std::runtime_error(text.str());
    } catch (const std::exception &error) {
        return error.what() == "number " + std::to_string(number);
    }
}

static bool check(int rank)
{
    Part parts[] = {own(), first(), second()};
    bool right = true;
    for (auto &part : parts)
        right &= part.holds(0x11);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 3; i++)
            parts[i].fill(static_cast<unsigned char>(16 * rank + 3 * round + i));
        right &= use_libraries(round);
        for (int i = 0; i < 3; i++)
            right &= parts[i].holds(static_cast<unsigned char>(16 * rank + 3 * round + i));
    }
    return right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool right = check(rank), threads = false;
    std::thread([&] { threads = check(rank); }).join();
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << (right && threads ? "tls OK" : "tls BAD") << std::endl;
    MPI_Finalize();
}
