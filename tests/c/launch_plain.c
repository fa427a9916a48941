/* The launch as a program without MPI sees it: the first argument says what to show. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __thread char large[200000] __attribute__((aligned(1024)));

static int show_environment(const char *name)
{
    const char *value = getenv(name);
    printf("%s=%s\n", name, value ? value : "(unset)");
    return 0;
}

static int show_directory(void)
{
    char path[4096];
    puts(getcwd(path, sizeof path) ? path : "(none)");
    return 0;
}

static int count_lines(void)
{
    char line[256];
    int lines = 0;
    while (fgets(line, sizeof line, stdin))
        lines++;
    printf("%d lines\n", lines);
    return 0;
}

static int use_large_thread_storage(void)
{
    large[sizeof large - 1]++;
    printf("%d at %d\n", large[sizeof large - 1], (int)((size_t)large % 1024));
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *detail = argc > 2 ? argv[2] : "";
    if (!strcmp(what, "env"))
        return show_environment(detail);
    if (!strcmp(what, "cwd"))
        return show_directory();
    if (!strcmp(what, "stdin"))
        return count_lines();
    if (!strcmp(what, "tls"))
        return use_large_thread_storage();
    if (!strcmp(what, "exit"))
        return atoi(detail);
    for (int i = 0; i < argc; i++)
        printf("%s%s", i ? "," : "", argv[i]);
    if (strcmp(what, "unfinished"))
        printf("\n");
    return 0;
}
