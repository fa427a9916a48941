#include "layout.h"

#include "draw.h"
#include "failure.h"

struct signature signature_drawn(uint64_t seed)
{
    static const struct {
        MPI_Datatype type;
        size_t bytes;
    } bases[] = {
        {MPI_BYTE, 1}, {MPI_CHAR, 1}, {MPI_SHORT, 2}, {MPI_INT, 4},
        {MPI_FLOAT, 4}, {MPI_DOUBLE, 8}, {MPI_INT64_T, 8}, {MPI_C_DOUBLE_COMPLEX, 16},
    };
    struct draw draw = {.seed = seed};
    int which = drawn_below(&draw, sizeof bases / sizeof *bases);
    return (struct signature){bases[which].type, bases[which].bytes, 1 + drawn_below(&draw, MAX_WIDTH)};
}

/* The whole type with its elements at the layout's positions, of which the lowest may be negative. */
static MPI_Datatype with_gaps(const struct layout *layout, int kind)
{
    MPI_Datatype type, resized;
    int width = layout->elements;
    MPI_Aint bytes = (MPI_Aint)layout->signature.bytes, displacements[MAX_WIDTH];
    for (int j = 0; j < width; j++)
        displacements[j] = layout->position[j] * bytes;
    switch (kind) {
    case 0:
        OK(MPI_Type_vector(width, 1, 2, layout->signature.base, &type));
        break;
    case 1:
        OK(MPI_Type_create_indexed_block(width, 1, layout->position, layout->signature.base, &type));
        break;
    default:
        OK(MPI_Type_create_hindexed_block(width, 1, displacements, layout->signature.base, &type));
        break;
    }
    OK(MPI_Type_create_resized(type, 0, layout->extent * bytes, &resized));
    OK(MPI_Type_free(&type));
    return resized;
}

struct layout layout_drawn(struct signature signature, uint64_t seed)
{
    struct draw draw = {.seed = seed};
    int width = signature.width;
    struct layout layout = {.signature = signature, .type = signature.base, .items = width, .elements = 1, .extent = 1};
    int kind = drawn_below(&draw, 6) - 2;
    if (kind == -2)
        return layout;
    layout.made = 1;
    layout.items = 1;
    layout.elements = width;
    layout.extent = width;
    if (kind == -1) {
        for (int j = 0; j < width; j++)
            layout.position[j] = j;
        OK(MPI_Type_contiguous(width, signature.base, &layout.type));
    } else {
        layout.extent = 2 * width + drawn_below(&draw, 3);
        for (int j = 0; j < width; j++)
            layout.position[j] = kind == 0 ? 2 * j : kind == 1 ? -j : 2 * ((j + 1) % width) + 1;
        layout.type = with_gaps(&layout, kind);
    }
    OK(MPI_Type_commit(&layout.type));
    return layout;
}

void layout_move(struct layout *layout, const void *address)
{
    MPI_Aint there;
    MPI_Datatype moved, type;
    OK(MPI_Get_address(address, &there));
    OK(MPI_Type_create_hindexed_block(1, 1, &there, layout->type, &moved));
    OK(MPI_Type_create_resized(moved, 0, layout->extent * (MPI_Aint)layout->signature.bytes, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_free(&moved));
    layout_free(layout);
    layout->type = type;
    layout->made = 1;
}

void layout_free(struct layout *layout)
{
    if (layout->made)
        OK(MPI_Type_free(&layout->type));
    layout->made = 0;
}
