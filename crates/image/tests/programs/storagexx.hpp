// C++'s own kinds of variables; PLACE says where they are compiled into.
#pragma once
#include <stdexcept>
#include <string>

// In all places: one variable of the rank, whoever instantiates it (a GNU unique symbol).
inline long inline_variable = 21;
template <class T> struct Templated {
    static long variable;
};
template <class T> long Templated<T>::variable = 22;
inline long &inline_function_static()
{
    static long variable = 23;
    return variable;
}

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
    ~Failure() override;
};

// What a place shows of itself.
struct View {
    std::string *constructed;
    std::string *thread_constructed;
    long *inlined, *templated, *function_static;
    void (*fail)(const std::string &);
};

View program_view();
View archive_view();
View shared_view();

// Written to by destructors.
extern void (*note)(const char *);
