// {static object, inline, template, function static, thread_local object} x {program, archive, shared library};
// exceptions across them and across switches, iostreams, order of constructors and destructors, std::thread.
#include "storagexx.hpp"
#include "yield.h"
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

static int bad;

static void expect(bool right, const std::string &what)
{
    if (!right) {
        std::cout << "BAD " << what << std::endl;
        bad++;
    }
}

static std::vector<std::string> *notes;

struct Last {
    ~Last()
    {
        const std::vector<std::string> should{"handler", "thread_local"};
        std::puts(notes && *notes == should ? "destructors OK" : "destructors BAD");
    }
};
static Last last;

static void take_note(const char *what) { std::printf("%s OK\n", what); }

struct ThreadObject {
    int value = 5;
    ~ThreadObject()
    {
        if (notes && value == 6)
            notes->insert(notes->end(), "thread_local");
    }
};
static thread_local ThreadObject thread_object;

static void nested(const View &view, const std::string &mine)
{
    try {
        view.fail(mine);
    } catch (const Failure &outer) {
        let_others_run();
        std::string text = outer.what();
        try {
            throw 5L;
        } catch (long inner) {
            let_others_run();
            expect(inner == 5, "inner exception");
        }
        expect(text == outer.what() && text.find(mine) != std::string::npos, "outer exception");
        expect(std::uncaught_exceptions() == 0, "uncaught exceptions");
        std::exception_ptr kept = std::current_exception();
        let_others_run();
        try {
            std::rethrow_exception(kept);
        } catch (const std::runtime_error &again) {
            expect(text == again.what(), "exception again");
            return;
        }
    }
    expect(false, "no exception");
}

int main()
{
    note = take_note;
    const char *rank = std::getenv("TEST_RANK");
    const std::string mine = std::string("of ") + (rank ? rank : "-");
    const long number = 1000 * (rank ? std::atol(rank) + 1 : 1);
    const char *names[] = {"program", "archive", "shared"};
    View views[] = {program_view(), archive_view(), shared_view()};
    for (int i = 0; i < 3; i++) {
        expect(*views[i].constructed == std::string("constructed in ") + names[i], "constructor");
        expect(*views[i].thread_constructed == std::string("thread's in ") + names[i], "thread constructor");
        expect(*views[i].inlined == 21 && *views[i].templated == 22 && *views[i].function_static == 23, "initial");
        expect(views[i].inlined == &inline_variable && views[i].templated == &Templated<int>::variable, "one variable");
        expect(views[i].function_static == &inline_function_static(), "one function static");
    }
    std::cout << std::setprecision(3 + number / 1000 % 5);
    for (int round = 0; round < 20; round++) {
        inline_variable = number + round;
        Templated<int>::variable = number + round + 1;
        inline_function_static() = number + round + 2;
        for (auto &view : views)
            *view.constructed = *view.thread_constructed = mine + std::to_string(round);
        let_others_run();
        for (auto &view : views) {
            expect(*view.constructed == mine + std::to_string(round), "object");
            expect(*view.thread_constructed == mine + std::to_string(round), "thread-local object");
            expect(*view.inlined == number + round && *view.templated == number + round + 1, "inline and template");
            expect(*view.function_static == number + round + 2, "function static");
            nested(view, mine);
        }
    }
    expect(std::cout.precision() == 3 + number / 1000 % 5, "stream state");
    std::thread([&] {
        for (int i = 0; i < 3; i++) {
            View view = i == 0 ? program_view() : i == 1 ? archive_view() : shared_view();
            expect(*view.thread_constructed == std::string("thread's in ") + names[i], "second thread's object");
        }
    }).join();
    thread_object.value++;
    // Never destroyed: the last destructors look at it.
    notes = new std::vector<std::string>;
    std::atexit([] { notes->insert(notes->begin(), "handler"); });
    std::cout << "storagexx " << (bad ? "BAD" : "OK") << std::endl;
    return bad != 0;
}
