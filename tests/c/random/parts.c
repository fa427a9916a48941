#include "parts.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>

void parts_make(struct parts *parts, int n, int own_layouts)
{
    *parts = (struct parts){.n = n, .own_layouts = own_layouts};
    parts->units = allocated(n * sizeof *parts->units);
    parts->starts = allocated(n * sizeof *parts->starts);
    parts->keys = allocated(n * sizeof *parts->keys);
    parts->layouts = allocated(n * sizeof *parts->layouts);
    parts->counts = allocated(n * sizeof *parts->counts);
    parts->displacements = allocated(n * sizeof *parts->displacements);
    parts->large_counts = allocated(n * sizeof *parts->large_counts);
    parts->large_displacements = allocated(n * sizeof *parts->large_displacements);
    parts->types = allocated(n * sizeof *parts->types);
}

void parts_free(struct parts *parts)
{
    parts_forget_types(parts);
    buffer_free(&parts->buffer);
    free(parts->units);
    free(parts->starts);
    free(parts->keys);
    free(parts->layouts);
    free(parts->counts);
    free(parts->displacements);
    free(parts->large_counts);
    free(parts->large_displacements);
    free(parts->types);
    *parts = (struct parts){0};
}

void parts_forget_types(struct parts *parts)
{
    for (int i = 0; i < (parts->own_layouts ? parts->n : parts->n > 0); i++)
        layout_free(&parts->layouts[i]);
}

static const struct layout *layout_of(const struct parts *parts, int i)
{
    return &parts->layouts[parts->own_layouts ? i : 0];
}

/* Elements that a part spans from its start. */
static long span(const struct parts *parts, int i)
{
    const struct layout *layout = layout_of(parts, i);
    return parts->units[i] * layout->items * layout->extent;
}

/* Puts the parts after each other in order; or in another order with gaps between. */
static long arrange(struct parts *parts, struct draw *draw, int even)
{
    long at = 0;
    int turn = even ? 0 : drawn_below(draw, parts->n), backwards = !even && drawn_rarely(draw, 2);
    for (int k = 0; k < parts->n; k++) {
        int i = (k + turn) % parts->n;
        i = backwards ? parts->n - 1 - i : i;
        parts->starts[i] = at;
        at += span(parts, i);
        if (!even)
            at += (parts->own_layouts ? LAYOUT_BEFORE + 1 : layout_of(parts, i)->extent) * drawn_below(draw, 3);
        if (parts->own_layouts)
            at += LAYOUT_BEFORE;
    }
    return at;
}

/* Lets the datatypes say where the parts are in memory, so that MPI_BOTTOM stands for the buffer. */
static void place_absolutely(struct parts *parts)
{
    for (int i = 0; i < (parts->own_layouts ? parts->n : 1); i++)
        layout_move(&parts->layouts[i], parts->address);
    for (int i = 0; i < parts->n; i++)
        parts->types[i] = layout_of(parts, i)->type;
    parts->address = MPI_BOTTOM;
}

void parts_place(struct parts *parts, uint64_t seed, int even)
{
    struct draw draw = {.seed = seed};
    size_t bytes = parts->layouts[0].signature.bytes;
    long end = arrange(parts, &draw, even), data = 0;
    parts->buffer = buffer_made(LAYOUT_BEFORE * bytes, (end + LAYOUT_BEFORE) * bytes);
    for (int i = 0; i < parts->n; i++) {
        const struct layout *layout = layout_of(parts, i);
        parts->large_counts[i] = parts->units[i] * layout->items;
        parts->large_displacements[i] = parts->own_layouts ? parts->starts[i] * (long)bytes
                                                           : parts->starts[i] / layout->extent;
        parts->counts[i] = (int)parts->large_counts[i];
        parts->displacements[i] = (int)parts->large_displacements[i];
        parts->types[i] = layout->type;
        data += parts->units[i];
    }
    parts->address = data == 0 && drawn_rarely(&draw, 2) ? NULL : parts->buffer.memory + parts->buffer.origin;
    if (parts->address != NULL && parts->n > 0 && drawn_rarely(&draw, 8))
        place_absolutely(parts);
}

void parts_write(const struct parts *parts, int i, uint64_t key, char *memory)
{
    const struct layout *layout = layout_of(parts, i);
    size_t bytes = layout->signature.bytes;
    char *start = memory + parts->buffer.origin + parts->starts[i] * (long)bytes;
    for (long k = 0; k < parts->units[i] * layout->signature.width; k++) {
        uint64_t value[2] = {mixed(key, (uint64_t)k), key};
        memcpy(start + layout_at(layout, k) * (long)bytes, value, bytes);
    }
}
