/* A library with thread-local variables of its own. */
#include "room.h"

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

struct step JOIN(PLACE, _step)(void)
{
    return (struct step){is_filled, fill, is_aligned};
}
