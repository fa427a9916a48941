/* Messages about errors: perror, the err and error families, assert. They go to the rank's stderr and carry the name of
 * the rank's program. Those that exit end only the rank. */
#include "shim.h"
#include <assert.h>
#include <err.h>
#include <error.h>

EXPORT unsigned error_message_count = 0;
EXPORT int error_one_per_line = 0;
EXPORT void (*error_print_progname)(void) = NULL;

/* Means that no error number is given. */
enum { NO_CODE = -1 };

/* Makes one call of fprintf, so that the line is written at once. */
static void complain(const char *place, const char *format, va_list arguments, int code)
{
    char reason[256], *text = NULL;
    if (format && libc.vasprintf(&text, format, arguments) < 0)
        text = NULL;
    const char *why = code == NO_CODE ? "" : libc.strerror_r(code, reason, sizeof reason);
    const char *colon = code != NO_CODE && text ? ": " : "";
    libc.fprintf(stderr, "%s%s%s%s\n", place, text ? text : "", colon, why);
    libc.free(text);
}

static void complain_as_program(const char *format, va_list arguments, int code)
{
    char place[300];
    libc.snprintf(place, sizeof place, "%.290s: ", program_invocation_short_name);
    complain(place, format, arguments, code);
}

EXPORT void perror(const char *prefix)
{
    int code = errno;
    char reason[256];
    bool named = prefix && *prefix;
    libc.fprintf(stderr, "%s%s%s\n", named ? prefix : "", named ? ": " : "",
                 libc.strerror_r(code, reason, sizeof reason));
}

EXPORT void vwarn(const char *format, va_list arguments)
{
    complain_as_program(format, arguments, errno);
}

EXPORT void vwarnx(const char *format, va_list arguments)
{
    complain_as_program(format, arguments, NO_CODE);
}

EXPORT void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarn(format, arguments);
    va_end(arguments);
}

EXPORT void warnx(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    va_end(arguments);
}

EXPORT void verr(int status, const char *format, va_list arguments)
{
    vwarn(format, arguments);
    exit(status);
}

EXPORT void verrx(int status, const char *format, va_list arguments)
{
    vwarnx(format, arguments);
    exit(status);
}

EXPORT void err(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verr(status, format, arguments);
}

EXPORT void errx(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verrx(status, format, arguments);
}

static void report(int status, int code, const char *file, unsigned line, const char *format, va_list arguments)
{
    char place[600];
    libc.fflush(stdout);
    if (error_print_progname)
        error_print_progname();
    const char *program = error_print_progname ? "" : program_invocation_name;
    if (file)
        libc.snprintf(place, sizeof place, "%.290s:%.290s:%u: ", program, file, line);
    else
        libc.snprintf(place, sizeof place, "%.590s: ", program);
    complain(place, format, arguments, code ? code : NO_CODE);
    error_message_count++;
    if (status)
        exit(status);
}

EXPORT void error(int status, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(status, code, NULL, 0, format, arguments);
    va_end(arguments);
}

EXPORT void error_at_line(int status, int code, const char *file, unsigned line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(status, code, file, line, format, arguments);
    va_end(arguments);
}

EXPORT void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    libc.fflush(stdout);
    libc.fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", program_invocation_short_name, file, line,
                 function ? function : "?", assertion);
    abort();
}

EXPORT void __assert_perror_fail(int code, const char *file, unsigned line, const char *function)
{
    char reason[256];
    libc.fflush(stdout);
    libc.fprintf(stderr, "%s: %s:%u: %s: Unexpected error: %s.\n", program_invocation_short_name, file, line,
                 function ? function : "?", libc.strerror_r(code, reason, sizeof reason));
    abort();
}
