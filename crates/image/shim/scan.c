/* scanf and its relatives. The headers rename scanf to the C99 form, so all have private names and exported labels. */
#include "shim.h"

#define NAMED(symbol) __asm__(symbol) EXPORT

int list_scan(const char *restrict, va_list) NAMED("vscanf");
int list_scan_c99(const char *restrict, va_list) NAMED("__isoc99_vscanf");
int list_wide_scan(const wchar_t *restrict, va_list) NAMED("vwscanf");
int list_wide_scan_c99(const wchar_t *restrict, va_list) NAMED("__isoc99_vwscanf");
int scan(const char *restrict, ...) NAMED("scanf");
int scan_c99(const char *restrict, ...) NAMED("__isoc99_scanf");
int wide_scan(const wchar_t *restrict, ...) NAMED("wscanf");
int wide_scan_c99(const wchar_t *restrict, ...) NAMED("__isoc99_wscanf");
char *read_line(char *) NAMED("gets");

int list_scan(const char *restrict format, va_list arguments)
{
    return libc.vfscanf(stdin, format, arguments);
}

int list_scan_c99(const char *restrict format, va_list arguments)
{
    return libc.vfscanf_c99(stdin, format, arguments);
}

int list_wide_scan(const wchar_t *restrict format, va_list arguments)
{
    return libc.vfwscanf(stdin, format, arguments);
}

int list_wide_scan_c99(const wchar_t *restrict format, va_list arguments)
{
    return libc.vfwscanf_c99(stdin, format, arguments);
}

#define WITH_ARGUMENTS(last, call)                                                                                   \
    va_list arguments;                                                                                               \
    va_start(arguments, last);                                                                                       \
    int result = call;                                                                                               \
    va_end(arguments);                                                                                               \
    return result

int scan(const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfscanf(stdin, format, arguments));
}

int scan_c99(const char *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfscanf_c99(stdin, format, arguments));
}

int wide_scan(const wchar_t *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfwscanf(stdin, format, arguments));
}

int wide_scan_c99(const wchar_t *restrict format, ...)
{
    WITH_ARGUMENTS(format, libc.vfwscanf_c99(stdin, format, arguments));
}

EXPORT int getchar(void)
{
    return libc.fgetc(stdin);
}

EXPORT int getchar_unlocked(void)
{
    return libc.getc_unlocked(stdin);
}

EXPORT wint_t getwchar(void)
{
    return libc.fgetwc(stdin);
}

EXPORT wint_t getwchar_unlocked(void)
{
    return libc.fgetwc_unlocked(stdin);
}

char *read_line(char *buffer)
{
    size_t length = 0;
    int character;
    while ((character = libc.fgetc(stdin)) != EOF && character != '\n')
        buffer[length++] = (char)character;
    if (character == EOF && length == 0)
        return NULL;
    buffer[length] = '\0';
    return buffer;
}
