/* scanf and its relatives for programs with their own malloc: what %m allocates. */
#include "shim.h"

#define NAMED(name) __asm__("simurgh_shim_own_block_" name) EXPORT

/* A conversion: the number of its argument, and what it does with it. */
struct conversion {
    int argument; /* 0 if it has none */
    bool allocates, counts;
};

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static int number(const char **place)
{
    int result = 0;
    for (; is_digit(**place); ++*place)
        result = result * 10 + (**place - '0');
    return result;
}

/* Goes behind the set of characters that begins here, [...]. */
static const char *behind_set(const char *place)
{
    place += place[1] == '^' ? 2 : 1;
    if (*place == ']')
        place++;
    while (*place && *place != ']')
        place++;
    return *place ? place + 1 : place;
}

/* Reads the next conversion, and goes behind it. `before` is the number of the last argument. False at the end. */
static bool next_conversion(const char **format, int before, struct conversion *conversion)
{
    const char *place = *format;
    for (;; place++) {
        while (*place && *place != '%')
            place++;
        if (!*place)
            return false;
        if (*++place != '%')
            break;
    }
    *conversion = (struct conversion){before + 1, false, true};
    const char *digits = place;
    int position = number(&digits);
    if (position && *digits == '$') {
        conversion->argument = position;
        place = digits + 1;
    }
    for (; *place == '*' || *place == '\'' || *place == 'I'; place++)
        if (*place == '*')
            conversion->argument = 0;
    number(&place);
    for (; *place && libc.strchr("hlLqjztm", *place); place++)
        conversion->allocates |= *place == 'm';
    conversion->counts = *place != 'n' && conversion->argument;
    *format = *place == '[' ? behind_set(place) : *place ? place + 1 : place;
    return true;
}

/* The argument with this number; all are pointers. */
static void **argument(va_list arguments, int number)
{
    va_list copy;
    va_copy(copy, arguments);
    void **result = NULL;
    while (number-- > 0)
        result = va_arg(copy, void **);
    va_end(copy);
    return result;
}

/* Replaces the blocks that the conversions which were done have allocated. Gives the number of those conversions. */
static int own_blocks(const char *format, va_list arguments, int done)
{
    struct conversion conversion;
    int last = 0;
    for (int left = done; left > 0 && next_conversion(&format, last, &conversion);) {
        if (!conversion.argument)
            continue;
        last = conversion.argument;
        left -= conversion.counts;
        void **block = conversion.allocates ? argument(arguments, last) : NULL;
        if (block)
            *block = simurgh_own_block(*block);
    }
    return done;
}

#define SCAN(call)                                                     \
    va_list copy;                                                      \
    va_copy(copy, arguments);                                          \
    int done = own_blocks(format, copy, call);                         \
    va_end(copy);                                                      \
    return done

#define WITH_ARGUMENTS(call)                                           \
    va_list arguments;                                                 \
    va_start(arguments, format);                                       \
    int done = call;                                                   \
    va_end(arguments);                                                 \
    return done

/* The functions for a form of scanf: the end of their private names, the beginning of their public ones, and the
 * functions of libc. */
#define FORM(form, prefix, scan_stream, scan_text)                                                                    \
    int list_stream_##form(FILE *stream, const char *format, va_list arguments) NAMED(prefix "vfscanf");              \
    int list_text_##form(const char *text, const char *format, va_list arguments) NAMED(prefix "vsscanf");            \
    int list_##form(const char *format, va_list arguments) NAMED(prefix "vscanf");                                    \
    int stream_##form(FILE *stream, const char *format, ...) NAMED(prefix "fscanf");                                  \
    int text_##form(const char *text, const char *format, ...) NAMED(prefix "sscanf");                                \
    int input_##form(const char *format, ...) NAMED(prefix "scanf");                                                  \
    int list_stream_##form(FILE *stream, const char *format, va_list arguments)                                       \
    {                                                                                                                 \
        SCAN(libc.scan_stream(stream, format, arguments));                                                            \
    }                                                                                                                 \
    int list_text_##form(const char *text, const char *format, va_list arguments)                                     \
    {                                                                                                                 \
        SCAN(libc.scan_text(text, format, arguments));                                                                \
    }                                                                                                                 \
    int list_##form(const char *format, va_list arguments)                                                            \
    {                                                                                                                 \
        SCAN(libc.scan_stream(stdin, format, arguments));                                                             \
    }                                                                                                                 \
    int stream_##form(FILE *stream, const char *format, ...)                                                          \
    {                                                                                                                 \
        WITH_ARGUMENTS(list_stream_##form(stream, format, arguments));                                                \
    }                                                                                                                 \
    int text_##form(const char *text, const char *format, ...)                                                        \
    {                                                                                                                 \
        WITH_ARGUMENTS(list_text_##form(text, format, arguments));                                                    \
    }                                                                                                                 \
    int input_##form(const char *format, ...)                                                                         \
    {                                                                                                                 \
        WITH_ARGUMENTS(list_##form(format, arguments));                                                               \
    }

FORM(gnu, "", vfscanf, vsscanf)
FORM(c99, "__isoc99_", vfscanf_c99, vsscanf_c99)
