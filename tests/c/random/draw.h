/* Numbers that follow from other numbers: all ranks draw alike, and any call can be drawn again by itself. */
#ifndef DRAW_H
#define DRAW_H

#include <stdint.h>

/* A number that two others decide. */
static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Where the next draws come from. */
struct draw {
    uint64_t seed, number;
};

static inline uint64_t drawn(struct draw *draw)
{
    return mixed(draw->seed, draw->number++);
}

/* One of 0 … n - 1. */
static inline int drawn_below(struct draw *draw, int n)
{
    return (int)(drawn(draw) % (uint64_t)n);
}

/* True once in n times. */
static inline int drawn_rarely(struct draw *draw, int n)
{
    return drawn_below(draw, n) == 0;
}

/* A size up to the limit: all orders of magnitude are alike, 0 among them. */
static inline long drawn_size(struct draw *draw, long limit)
{
    int magnitudes = 1;
    while (magnitudes < 62 && (1L << magnitudes) <= limit)
        magnitudes++;
    long below = 1L << drawn_below(draw, magnitudes + 1), size = (long)(drawn(draw) % (uint64_t)below);
    return size < limit ? size : limit;
}

#endif
