/* Which files executable pages come from, as profilers find out; and how many objects the loader's list has, which is
 * looked through each time that something is loaded. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern struct r_debug _r_debug;

static void look(const void *caller)
{
    char line[4096], rights[5], path[4000];
    /* As the kernel tells it: fopen shows a rank its own part. */
    FILE *maps = fdopen((int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY, 0), "r");
    int bad = 0, called = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %3999[^\n]", &start, &end, rights, path) != 4 || path[0] == '[')
            continue;
        if (!strchr(rights, 'x'))
            continue;
        int file = open(path, O_RDONLY);
        if (file < 0 && bad++ == 0)
            printf("cannot open %s\n", path);
        if (file >= 0)
            close(file);
        called += start <= (unsigned long)caller && (unsigned long)caller < end && file >= 0;
    }
    if (maps)
        fclose(maps);
    printf("executable pages %s, main's caller %s\n", bad ? "BAD" : "OK", called == 1 ? "OK" : "BAD");
}

static void tell(const void *caller)
{
    int objects = 0;
    look(caller);
    for (struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        objects++;
    printf("objects %d\n", objects);
}
