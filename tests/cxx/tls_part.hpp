// Thread-local objects of a size that the compiler is told: in the program and in each of its libraries.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

template <std::size_t Size, std::size_t Alignment> struct Block {
    alignas(Alignment) std::array<unsigned char, Size> bytes;
    // So that each thread has to construct it.
    Block() { bytes.fill(0x11); }
    bool holds(unsigned char value) const
    {
        for (unsigned char byte : bytes)
            if (byte != value)
                return false;
        return reinterpret_cast<std::uintptr_t>(this) % Alignment == 0;
    }
};

struct Part {
    bool (*holds)(unsigned char);
    void (*fill)(unsigned char);
};
