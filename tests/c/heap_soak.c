/* Random operations on the heaps of ranks, with a checker: each block knows what has been written to it, and is looked
 * at before it is freed or handed over to another rank, which frees it.
 *
 * Arguments: the number of operations of all ranks together, and a seed. */
#include "mpi_check.h"
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>

enum { SLOTS = 3000, HANDED_OVER = 20, OPERATIONS_BETWEEN = 20000, LIVE_BYTES = 12 << 20, APART = 448, LONG = 1 << 20 };

struct slot {
    unsigned char *block;
    size_t size;
    uint64_t value;
};

static struct slot slots[SLOTS];
static size_t live;
static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static size_t below(size_t end)
{
    return (size_t)((draw() >> 32) * end >> 32);
}

/* Mostly short, sometimes long, seldom several segments. */
static size_t draw_size(void)
{
    size_t kind = below(65536);
    if (kind == 0)
        return below(9 << 20);
    if (kind < 16)
        return below(600 << 10);
    if (kind < 512)
        return below(60 << 10);
    return kind < 8192 ? below(4000) : below(300);
}

/* What is written at a place of a block: at its beginning and its end, and at places in between. */
static void write_at(struct slot *slot, size_t place, size_t bytes)
{
    uint64_t value = slot->value ^ place;
    memcpy(slot->block + place, &value, bytes);
}

static bool holds_at(const struct slot *slot, size_t place, size_t bytes)
{
    uint64_t value = slot->value ^ place;
    return memcmp(slot->block + place, &value, bytes) == 0;
}

static void fill(struct slot *slot)
{
    CHECK(slot->block && (uintptr_t)slot->block % 16 == 0 && malloc_usable_size(slot->block) >= slot->size);
    slot->value = draw();
    /* The heap's own records may come to lie anywhere in memory of a long block that has been freed. */
    if (slot->size >= LONG)
        memset(slot->block, (int)(slot->value | 1), slot->size);
    size_t place = 0;
    for (; place + 8 <= slot->size; place += place + 8 + APART <= slot->size ? APART : 8)
        write_at(slot, place, 8);
    write_at(slot, place, slot->size - place < 8 ? slot->size - place : 0);
    live += slot->size;
}

/* What was written to the first `size` bytes is there. */
static void check(const struct slot *slot, size_t size)
{
    size_t place = 0;
    for (; place + 8 <= slot->size; place += place + 8 + APART <= slot->size ? APART : 8)
        CHECK(place + 8 > size || holds_at(slot, place, 8));
    if (size == slot->size)
        CHECK(holds_at(slot, place, slot->size - place < 8 ? slot->size - place : 0));
}

static void end(struct slot *slot)
{
    check(slot, slot->size);
    live -= slot->size;
    free(slot->block);
    slot->block = NULL;
}

static void begin(struct slot *slot)
{
    size_t size = slot->size = draw_size(), kind = below(16);
    if (kind == 0) {
        size_t alignment = (size_t)16 << below(below(64) ? 9 : 20);
        slot->block = memalign(alignment, size);
        CHECK((uintptr_t)slot->block % alignment == 0);
    } else if (kind < 4) {
        slot->block = calloc(1, size);
        for (size_t place = 0; slot->block && place < size; place += size < 4096 ? 1 : 509)
            CHECK(slot->block[place] == 0);
    } else {
        slot->block = malloc(size);
    }
    fill(slot);
}

static void resize(struct slot *slot)
{
    size_t size = draw_size() + 1, before = slot->size;
    struct slot moved = *slot;
    moved.block = realloc(slot->block, size);
    CHECK(moved.block);
    check(&moved, size < before ? size : before);
    live -= before;
    moved.size = size;
    *slot = moved;
    fill(slot);
}

static void operate(void)
{
    struct slot *slot = &slots[below(SLOTS)];
    if (!slot->block && live < LIVE_BYTES)
        begin(slot);
    else if (slot->block && live < LIVE_BYTES && below(8) == 0)
        resize(slot);
    else if (slot->block)
        end(slot);
}

/* Gives some blocks to the next rank, and frees those of the rank before. */
static void hand_over(int round)
{
    struct slot out[HANDED_OVER] = {0}, in[HANDED_OVER];
    for (int i = 0; i < HANDED_OVER; i++) {
        struct slot *slot = &slots[below(SLOTS)];
        if (!slot->block)
            continue;
        live -= slot->size;
        out[i] = *slot;
        slot->block = NULL;
    }
    int step = 1 + round % (check_size > 1 ? check_size - 1 : 1);
    int next = (check_rank + step) % check_size, previous = (check_rank + check_size - step) % check_size;
    OK(MPI_Sendrecv(out, sizeof out, MPI_BYTE, next, 0, in, sizeof in, MPI_BYTE, previous, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    for (int i = 0; i < HANDED_OVER; i++) {
        if (!in[i].block)
            continue;
        live += in[i].size;
        end(&in[i]);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 3);
    long rounds = atol(argv[1]) / check_size / OPERATIONS_BETWEEN;
    state = strtoull(argv[2], NULL, 10) * 1000003 + (uint64_t)check_rank * 7919 + 1;
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < OPERATIONS_BETWEEN; i++)
            operate();
        hand_over((int)(round % 1000));
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].block)
            end(&slots[i]);
    CHECK(live == 0);
    return check_end();
}
