/* Thread-local variables of a size that is given when the program is linked: room.s. */
#ifndef ROOM_H
#define ROOM_H
#include <stddef.h>
#include <stdint.h>

/* Each object that is compiled with this has one. */
extern __thread unsigned char room[] __attribute__((visibility("hidden")));
extern const uint64_t room_size __attribute__((visibility("hidden")));
extern const uint64_t room_alignment __attribute__((visibility("hidden")));

static int is_filled(unsigned char value)
{
    for (size_t i = 0; i < room_size; i++)
        if (room[i] != value)
            return 0;
    return 1;
}

static void fill(unsigned char value)
{
    for (size_t i = 0; i < room_size; i++)
        room[i] = value;
}

static int is_aligned(void)
{
    return (uintptr_t)room % room_alignment == 0;
}

/* One step with the variables of an object. */
struct step {
    int (*is_filled)(unsigned char);
    void (*fill)(unsigned char);
    int (*is_aligned)(void);
};
#endif
