/* The names of functions on the stack. libc's functions know only the objects that the dynamic loader has loaded. */
#include "shim.h"
#include <execinfo.h>

/* The space for a line: the longest path, and a name. Longer lines are cut off. */
enum { LINE = 1024 };

/* Writes FILE(FUNCTION+DISTANCE) [ADDRESS], as libc does. */
static int describe(char *line, void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname || !*info.dli_fname)
        return libc.snprintf(line, LINE, "[%p]", address);
    const char *name = info.dli_sname ? info.dli_sname : "";
    const char *start = info.dli_sname ? info.dli_saddr : info.dli_fbase;
    const char *place = address;
    char sign = place >= start ? '+' : '-';
    size_t distance = place >= start ? (size_t)(place - start) : (size_t)(start - place);
    return libc.snprintf(line, LINE, "%s(%s%c%#zx) [%p]", info.dli_fname, name, sign, distance, address);
}

static size_t length_of(int printed)
{
    return printed < LINE ? (size_t)printed : LINE - 1;
}

/* The result is one block of memory: the pointers, followed by the lines. */
EXPORT char **backtrace_symbols(void *const *addresses, int count)
{
    char line[LINE];
    size_t size = (size_t)count * sizeof(char *);
    for (int i = 0; i < count; i++)
        size += length_of(describe(line, addresses[i])) + 1;
    char **lines = libc.malloc(size);
    if (!lines)
        return NULL;
    char *next = (char *)(lines + count);
    for (int i = 0; i < count; i++) {
        size_t length = length_of(describe(line, addresses[i])) + 1;
        libc.memcpy(next, line, length);
        lines[i] = next;
        next += length;
    }
    return lines;
}

EXPORT void backtrace_symbols_fd(void *const *addresses, int count, int descriptor)
{
    for (int i = 0; i < count; i++) {
        char line[LINE + 1];
        size_t length = length_of(describe(line, addresses[i]));
        line[length] = '\n';
        write(descriptor, line, length + 1);
    }
}
