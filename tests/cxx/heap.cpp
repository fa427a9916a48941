// The memory of C++ programs: new and delete in all forms, containers, strings and exceptions.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mpi.h>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct alignas(64) Line {
    char bytes[100];
};

struct alignas(4096) Page {
    char bytes[5000];
};

template <typename T>
bool is_aligned(const T *block)
{
    return reinterpret_cast<std::uintptr_t>(block) % alignof(T) == 0;
}

bool forms()
{
    bool good = true;
    for (int i = 0; i < 50; i++) {
        auto line = std::make_unique<Line>();
        auto lines = std::make_unique<Line[]>(7);
        auto page = std::make_unique<Page>();
        good = good && is_aligned(line.get()) && is_aligned(lines.get()) && is_aligned(page.get());
        char *plain = new (std::nothrow) char[1000];
        delete[] plain;
        void *raw = ::operator new(333);
        ::operator delete(raw, 333);
        void *aligned = ::operator new(333, std::align_val_t(256));
        good = good && reinterpret_cast<std::uintptr_t>(aligned) % 256 == 0;
        ::operator delete(aligned, 333, std::align_val_t(256));
    }
    return good;
}

bool no_memory()
{
    volatile std::size_t most = SIZE_MAX / 4;
    try {
        char *volatile block = new char[most];
        delete[] block;
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

std::size_t containers()
{
    std::map<std::string, std::vector<double>> all;
    for (int i = 0; i < 2000; i++)
        all["the key of the entry number " + std::to_string(i)].resize(i % 97, i);
    std::size_t count = 0;
    for (const auto &entry : all)
        count += entry.second.size();
    for (int i = 0; i < 2000; i += 2)
        all.erase("the key of the entry number " + std::to_string(i));
    return count + all.size();
}

// Is destroyed with its thread.
thread_local std::vector<std::string> own;

std::size_t thrown()
{
    std::size_t length = 0;
    for (int i = 0; i < 100; i++) {
        try {
            throw std::runtime_error(std::string(static_cast<std::size_t>(i), 'x'));
        } catch (const std::exception &error) {
            length += std::string(error.what()).size();
        }
    }
    return length;
}

} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::size_t expected = 1000;
    for (int i = 0; i < 2000; i++)
        expected += static_cast<std::size_t>(i % 97);
    // Some allocators end the program when there is no memory.
    bool throws = argc < 2;
    bool good = forms() && (!throws || no_memory()) && containers() == expected && thrown() == 4950;
    std::size_t by_thread = 0;
    std::thread other([&] {
        own.assign(500, "text that is too long to be within the string itself");
        by_thread = containers();
    });
    other.join();
    good = good && by_thread == expected;
    std::printf(good ? "heap OK\n" : "heap wrong\n");
    MPI_Finalize();
    return 0;
}
