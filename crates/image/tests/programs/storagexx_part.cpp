// The variables of one place: -DPLACE=program, archive or shared.
#include "storagexx.hpp"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

static std::string constructed = std::string("constructed in ") + TEXT(PLACE);
static thread_local std::string thread_constructed = std::string("thread's in ") + TEXT(PLACE);

static void fail(const std::string &why)
{
    throw Failure(std::string(TEXT(PLACE)) + " " + why);
}

View JOIN(PLACE, _view)()
{
    return {&constructed,       &thread_constructed,       &inline_variable, &Templated<int>::variable,
            &inline_function_static(), fail};
}

#ifdef OWNS_FAILURE
void (*note)(const char *) = nullptr;
Failure::~Failure() = default;

struct LibraryObject {
    ~LibraryObject()
    {
        if (note)
            note("library destructor");
    }
};
static LibraryObject library_object;
#endif
