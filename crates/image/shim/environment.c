/* The environment, of which each rank has its own, and the functions that hand it to a new program. */
#include "shim.h"
#include <alloca.h>

EXPORT char **environ = NULL;
extern char **__environ EXPORT __attribute__((alias("environ")));
extern char **_environ EXPORT __attribute__((alias("environ")));

static pthread_mutex_t environment_lock;
/* The vector that was allocated here, if environ is such a vector. */
static char **own_vector;

static size_t entry_count(void)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    return count;
}

static char **find_entry(const char *name, size_t length)
{
    for (char **entry = environ; entry && *entry; entry++)
        if (libc.strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return entry;
    return NULL;
}

static bool is_valid_name(const char *name)
{
    return name && *name && !libc.strchr(name, '=');
}

EXPORT char *getenv(const char *name)
{
    size_t length = libc.strlen(name);
    char **entry = length ? find_entry(name, length) : NULL;
    return entry ? *entry + length + 1 : NULL;
}

EXPORT char *secure_getenv(const char *name)
{
    return getenv(name); /* a program with raised privileges is never run as a rank */
}

/* Puts an entry into the environment, which takes over the string. */
static int place(char *string, size_t name_length, bool replace)
{
    int result = 0;
    libc.pthread_mutex_lock(&environment_lock);
    char **entry = find_entry(string, name_length);
    if (entry) {
        if (replace)
            *entry = string;
    } else {
        size_t count = entry_count();
        char **old = own_vector && environ == own_vector ? own_vector : NULL;
        char **vector = libc.realloc(old, (count + 2) * sizeof *vector);
        if (vector) {
            if (!old && count)
                libc.memcpy(vector, environ, count * sizeof *vector);
            vector[count] = string;
            vector[count + 1] = NULL;
            own_vector = environ = vector;
        } else {
            errno = ENOMEM;
            result = -1;
        }
    }
    libc.pthread_mutex_unlock(&environment_lock);
    return result;
}

EXPORT int setenv(const char *name, const char *value, int overwrite)
{
    if (!is_valid_name(name)) {
        errno = EINVAL;
        return -1;
    }
    size_t name_length = libc.strlen(name), value_length = libc.strlen(value);
    if (!overwrite && find_entry(name, name_length))
        return 0;
    char *string = libc.malloc(name_length + value_length + 2);
    if (!string) {
        errno = ENOMEM;
        return -1;
    }
    libc.memcpy(string, name, name_length);
    string[name_length] = '=';
    libc.memcpy(string + name_length + 1, value, value_length + 1);
    return place(string, name_length, overwrite != 0);
}

EXPORT int unsetenv(const char *name)
{
    if (!is_valid_name(name)) {
        errno = EINVAL;
        return -1;
    }
    libc.pthread_mutex_lock(&environment_lock);
    char **entry;
    while ((entry = find_entry(name, libc.strlen(name))) != NULL)
        for (; *entry; entry++)
            entry[0] = entry[1];
    libc.pthread_mutex_unlock(&environment_lock);
    return 0;
}

EXPORT int putenv(char *string)
{
    char *equals = libc.strchr(string, '=');
    return equals ? place(string, (size_t)(equals - string), true) : unsetenv(string);
}

EXPORT int clearenv(void)
{
    libc.pthread_mutex_lock(&environment_lock);
    environ = NULL;
    libc.pthread_mutex_unlock(&environment_lock);
    return 0;
}

EXPORT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

EXPORT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

/* Makes a vector of a list of arguments. `list` follows the first one. */
#define GATHER(vector, first, list)                                                                                  \
    va_list count_list;                                                                                              \
    va_start(list, first);                                                                                           \
    va_copy(count_list, list);                                                                                       \
    size_t count = 1;                                                                                                \
    while (va_arg(count_list, char *))                                                                               \
        count++;                                                                                                     \
    va_end(count_list);                                                                                              \
    char **vector = alloca((count + 1) * sizeof *vector);                                                            \
    vector[0] = (char *)first;                                                                                       \
    for (size_t i = 1; i <= count; i++)                                                                              \
        vector[i] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *first, ...)
{
    va_list list;
    GATHER(vector, first, list);
    va_end(list);
    return execve(path, vector, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    va_list list;
    GATHER(vector, first, list);
    va_end(list);
    return execvpe(file, vector, environ);
}

EXPORT int system(const char *command)
{
    if (!command)
        return 1;
    pid_t child;
    char *arguments[] = {"sh", "-c", (char *)command, NULL};
    int status, error = posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);
    if (error) {
        errno = error;
        return -1;
    }
    while (libc.waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}
