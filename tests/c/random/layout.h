/* Datatypes of one signature, with and without gaps, and where each of their elements lies. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_WIDTH = 8 };

/* The elements of a datatype: a number of equal elements. */
struct signature {
    MPI_Datatype base;
    size_t bytes;
    /* Elements that are never parted. */
    int width;
};

struct layout {
    MPI_Datatype type;
    /* The type was made for this layout and is to be freed. */
    int made;
    struct signature signature;
    /* Items of the type that hold one unit, of `width` elements. */
    int items;
    /* Elements in an item, and the position of each; extent of an item: in elements. */
    int elements, position[MAX_WIDTH], extent;
};

/* Elements that may lie before an item's origin. */
enum { LAYOUT_BEFORE = MAX_WIDTH };

struct signature signature_drawn(uint64_t seed);
struct layout layout_drawn(struct signature signature, uint64_t seed);
/* Makes the type describe what lies behind an address, from MPI_BOTTOM on. */
void layout_move(struct layout *layout, const void *address);
void layout_free(struct layout *layout);

/* The element of the buffer where element k of the data is, if the data begin at the origin. */
static inline ptrdiff_t layout_at(const struct layout *layout, long k)
{
    return k / layout->elements * layout->extent + layout->position[k % layout->elements];
}

#endif
