// The least in C++: a private stream and an exception.
#include <iostream>
#include <stdexcept>

int main()
{
    try {
        throw std::runtime_error("OK");
    } catch (const std::exception &error) {
        std::cout << "stream " << error.what() << std::endl;
    }
}
