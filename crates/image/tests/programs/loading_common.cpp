// A library with a variable that exists once in a process, however many libraries bring it, in whatever scopes.
inline int &common()
{
    static int counter;
    return counter;
}

extern "C" int count_common()
{
    return ++common();
}
