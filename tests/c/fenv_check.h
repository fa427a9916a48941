/* Does arithmetic follow the rounding mode, by SSE and by x87? */
#ifndef FENV_CHECK_H
#define FENV_CHECK_H
#include <fenv.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits_of_quotient(double one, double other)
{
    volatile double a = one, b = other, quotient = a / b;
    uint64_t bits;
    memcpy(&bits, (const void *)&quotient, sizeof bits);
    return bits;
}

static uint64_t mantissa_of_quotient(long double one, long double other)
{
    volatile long double a = one, b = other, quotient = a / b;
    uint64_t mantissa;
    memcpy(&mantissa, (const void *)&quotient, sizeof mantissa);
    return mantissa;
}

static int rounds_as(int mode)
{
    int down = mode == FE_DOWNWARD, up = mode == FE_UPWARD, zero = mode == FE_TOWARDZERO;
    /* Both tenths lie nearer to the greater magnitude, thirds and sevenths to the smaller one. */
    return fegetround() == mode
        && bits_of_quotient(1, 10) == 0x3fb999999999999a - (uint64_t)(down || zero)
        && bits_of_quotient(-1, 10) == 0xbfb999999999999a - (uint64_t)(up || zero)
        && bits_of_quotient(1, 3) == 0x3fd5555555555555 + (uint64_t)up
        && mantissa_of_quotient(1, 10) == 0xcccccccccccccccd - (uint64_t)(down || zero)
        && mantissa_of_quotient(-1, 10) == 0xcccccccccccccccd - (uint64_t)(up || zero)
        && mantissa_of_quotient(1, 7) == 0x9249249249249249 + (uint64_t)up;
}
#endif
