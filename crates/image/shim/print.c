/* printf and its relatives, which name no stream and write to that of the rank. */
#include "shim.h"

EXPORT int vprintf(const char *restrict format, va_list arguments)
{
    return libc.vfprintf(stdout, format, arguments);
}

EXPORT int __vprintf_chk(int flag, const char *restrict format, va_list arguments)
{
    return libc.vfprintf_checked(stdout, flag, format, arguments);
}

EXPORT int vwprintf(const wchar_t *restrict format, va_list arguments)
{
    return libc.vfwprintf(stdout, format, arguments);
}

EXPORT int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list arguments)
{
    return libc.vfwprintf_checked(stdout, flag, format, arguments);
}

/* Calls `function` with the arguments behind `last` as a list. */
#define WITH_ARGUMENTS(last, call)                                                                                   \
    va_list arguments;                                                                                               \
    va_start(arguments, last);                                                                                       \
    int result = call;                                                                                               \
    va_end(arguments);                                                                                               \
    return result

EXPORT int printf(const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfprintf(stdout, format, arguments));
}

EXPORT int __printf_chk(int flag, const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfprintf_checked(stdout, flag, format, arguments));
}

EXPORT int wprintf(const wchar_t *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfwprintf(stdout, format, arguments));
}

EXPORT int __wprintf_chk(int flag, const wchar_t *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfwprintf_checked(stdout, flag, format, arguments));
}

EXPORT int puts(const char *text)
{
    libc.flockfile(stdout);
    int result = libc.fputs(text, stdout) == EOF || libc.putc_unlocked('\n', stdout) == EOF ? EOF : 1;
    libc.funlockfile(stdout);
    return result;
}

EXPORT int putchar(int character)
{
    return libc.fputc(character, stdout);
}

EXPORT int putchar_unlocked(int character)
{
    return libc.putc_unlocked(character, stdout);
}

EXPORT wint_t putwchar(wchar_t character)
{
    return libc.fputwc(character, stdout);
}

EXPORT wint_t putwchar_unlocked(wchar_t character)
{
    return libc.fputwc_unlocked(character, stdout);
}
