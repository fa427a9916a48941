/* Functions that keep their result or their place in a static buffer. */
#include "shim.h"

EXPORT char *strtok(char *string, const char *delimiters)
{
    static char *place;
    return libc.strtok_r(string, delimiters, &place);
}

static struct tm broken_down;
static char time_text[64];

EXPORT struct tm *gmtime(const time_t *when)
{
    return libc.gmtime_r(when, &broken_down);
}

EXPORT struct tm *localtime(const time_t *when)
{
    libc.tzset();
    return libc.localtime_r(when, &broken_down);
}

EXPORT char *asctime(const struct tm *when)
{
    return libc.asctime_r(when, time_text);
}

EXPORT char *ctime(const time_t *when)
{
    struct tm *local = localtime(when);
    return local ? asctime(local) : NULL;
}
