/* Which of the kinds of work that a program measures are wanted: those that its arguments name, or all. */
#ifndef CHOSEN_H
#define CHOSEN_H

#include <string.h>

static char **names;

static inline void choose(int argc, char **argv)
{
    names = argc > 1 ? argv + 1 : NULL;
}

static inline int chosen(const char *kind)
{
    for (char **name = names; name != NULL && *name != NULL; name++)
        if (strcmp(*name, kind) == 0)
            return 1;
    return names == NULL;
}

#endif
