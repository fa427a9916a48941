/* The variables of one place: -DPLACE=program, archive or shared. */
#include "storage.h"

long JOIN(PLACE, _external) = 11;
__thread long JOIN(PLACE, _thread_exported) = 14;
long JOIN(PLACE, _zero);
static long file_static = 12;
static __thread long thread_static = 15;
static long *pointer = &JOIN(PLACE, _external);

static long *function_static(void)
{
    static long variable = 13;
    return &variable;
}

struct view JOIN(PLACE, _view)(void)
{
    struct view view = {&JOIN(PLACE, _external), &file_static,   function_static(), &JOIN(PLACE, _thread_exported),
                        &thread_static,          &JOIN(PLACE, _zero), &pointer};
    return view;
}
