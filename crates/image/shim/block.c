/* Blocks of memory that libc gives to programs with their own malloc. libc's blocks come from the allocator of the
 * process, and the program's functions would not know them. So these functions copy them, and the program gets a block
 * of its own. The linker takes them in the place of libc's for such programs only. */
#include "shim.h"
#include <execinfo.h>

/* Looked up as the program's own references are: they find the program's functions. */
#pragma weak malloc
#pragma weak realloc
#pragma weak free

void *simurgh_own_block(void *block)
{
    if (!block)
        return NULL;
    size_t size = libc.malloc_usable_size(block);
    void *own = malloc(size);
    if (own)
        libc.memcpy(own, block, size);
    int error = own ? errno : ENOMEM;
    libc.free(block);
    errno = error;
    return own;
}

static char *copy(const char *text, size_t length)
{
    char *own = malloc(length + 1);
    if (!own)
        return NULL;
    libc.memcpy(own, text, length);
    own[length] = '\0';
    return own;
}

EXPORT char *OWN_BLOCK(strdup)(const char *text)
{
    return copy(text, libc.strlen(text));
}

EXPORT char *OWN_BLOCK(strndup)(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length])
        length++;
    return copy(text, length);
}

extern EXPORT char *OWN_BLOCK(__strdup)(const char *)
    __attribute__((alias("simurgh_shim_own_block_strdup")));
extern EXPORT char *OWN_BLOCK(__strndup)(const char *, size_t)
    __attribute__((alias("simurgh_shim_own_block_strndup")));

EXPORT wchar_t *OWN_BLOCK(wcsdup)(const wchar_t *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    wchar_t *own = malloc((length + 1) * sizeof *text);
    return own ? libc.memcpy(own, text, (length + 1) * sizeof *text) : NULL;
}

EXPORT void *OWN_BLOCK(reallocarray)(void *block, size_t count, size_t size)
{
    size_t whole;
    if (!__builtin_mul_overflow(count, size, &whole))
        return realloc(block, whole);
    errno = ENOMEM;
    return NULL;
}

/* The result of a function that has printed into a block of libc. */
static int printed(char **text, int length)
{
    if (length < 0)
        return length;
    *text = simurgh_own_block(*text);
    return *text ? length : -1;
}

EXPORT int OWN_BLOCK(vasprintf)(char **text, const char *format, va_list arguments)
{
    return printed(text, libc.vasprintf(text, format, arguments));
}

EXPORT int OWN_BLOCK(__vasprintf_chk)(char **text, int flag, const char *format, va_list arguments)
{
    return printed(text, libc.vasprintf_checked(text, flag, format, arguments));
}

EXPORT int OWN_BLOCK(asprintf)(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = printed(text, libc.vasprintf(text, format, arguments));
    va_end(arguments);
    return length;
}

extern EXPORT int OWN_BLOCK(__asprintf)(char **, const char *, ...)
    __attribute__((alias("simurgh_shim_own_block_asprintf")));

EXPORT int OWN_BLOCK(__asprintf_chk)(char **text, int flag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = printed(text, libc.vasprintf_checked(text, flag, format, arguments));
    va_end(arguments);
    return length;
}

/* The room that a line gets at first, as in libc. */
enum { LINE = 120 };

/* Gives the line so many bytes. */
static bool give_room(char **line, size_t *room, size_t size)
{
    if (*line && *room >= size)
        return true;
    size_t larger = *line && *room * 2 > size ? *room * 2 : size;
    char *own = realloc(*line, larger);
    if (!own)
        return false;
    *line = own;
    *room = larger;
    return true;
}

EXPORT ssize_t OWN_BLOCK(getdelim)(char **line, size_t *room, int end, FILE *stream)
{
    if (!line || !room) {
        errno = EINVAL;
        return -1;
    }
    if (!*line && !give_room(line, room, LINE))
        return -1;
    char *text = NULL;
    size_t text_room = 0;
    ssize_t length = libc.getdelim(&text, &text_room, end, stream);
    int error = errno;
    if (length >= 0 && give_room(line, room, (size_t)length + 1))
        libc.memcpy(*line, text, (size_t)length + 1);
    else if (length >= 0)
        length = -1, error = ENOMEM;
    libc.free(text);
    errno = error;
    return length;
}

extern EXPORT ssize_t OWN_BLOCK(__getdelim)(char **, size_t *, int, FILE *)
    __attribute__((alias("simurgh_shim_own_block_getdelim")));

EXPORT ssize_t OWN_BLOCK(getline)(char **line, size_t *room, FILE *stream)
{
    return simurgh_shim_own_block_getdelim(line, room, '\n', stream);
}

EXPORT char *OWN_BLOCK(getcwd)(char *buffer, size_t size)
{
    return buffer ? libc.getcwd(buffer, size) : simurgh_own_block(libc.getcwd(NULL, size));
}

EXPORT char *OWN_BLOCK(get_current_dir_name)(void)
{
    return simurgh_own_block(libc.get_current_dir_name());
}

EXPORT char *OWN_BLOCK(realpath)(const char *restrict path, char *restrict resolved)
{
    return resolved ? realpath(path, resolved) : simurgh_own_block(realpath(path, NULL));
}

EXPORT char *OWN_BLOCK(canonicalize_file_name)(const char *path)
{
    return simurgh_own_block(canonicalize_file_name(path));
}

EXPORT char *OWN_BLOCK(tempnam)(const char *folder, const char *prefix)
{
    return simurgh_own_block(libc.tempnam(folder, prefix));
}

/* The lines lie behind the pointers to them, in the same block. */
EXPORT char **OWN_BLOCK(backtrace_symbols)(void *const *addresses, int count)
{
    char **block = backtrace_symbols(addresses, count);
    uintptr_t before = (uintptr_t)block;
    char **lines = simurgh_own_block(block);
    for (int i = 0; lines && i < count; i++)
        lines[i] = (char *)lines + ((uintptr_t)lines[i] - before);
    return lines;
}

typedef int selector(const struct dirent *);
typedef int comparison(const struct dirent **, const struct dirent **);

EXPORT int OWN_BLOCK(scandirat)(int folder, const char *restrict path, struct dirent ***restrict list, selector *select,
                             comparison *compare)
{
    struct dirent **entries;
    int count = libc.scandirat(folder, path, &entries, select, compare);
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++)
        entries[i] = simurgh_own_block(entries[i]);
    *list = simurgh_own_block(entries);
    return *list || count == 0 ? count : -1;
}

EXPORT int OWN_BLOCK(scandir)(const char *restrict path, struct dirent ***restrict list, selector *select,
                           comparison *compare)
{
    return simurgh_shim_own_block_scandirat(AT_FDCWD, path, list, select, compare);
}

/* On this processor both kinds of entries are the same. */
extern EXPORT int OWN_BLOCK(scandir64)(const char *restrict, struct dirent ***restrict, selector *, comparison *)
    __attribute__((alias("simurgh_shim_own_block_scandir")));
extern EXPORT int OWN_BLOCK(scandirat64)(int, const char *restrict, struct dirent ***restrict, selector *, comparison *)
    __attribute__((alias("simurgh_shim_own_block_scandirat")));
