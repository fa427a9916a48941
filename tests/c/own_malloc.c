/* A program with its own malloc: blocks that libc gives it and takes from it, the functions that allocators rely on,
 * and threads. Prints a line for each rank. */
#define _GNU_SOURCE
#include "mpi_check.h"
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

/* Whether the block is one of the program's allocator, where that can tell. */
int owns(const void *block) __attribute__((weak));

/* Changes the size of a block, which only the allocator can that it comes from, and frees it. */
static void take(void *block)
{
    CHECK(block && (!owns || owns(block)));
    /* The heaps of ranks lie in a range of addresses of their own, and this program does not use them. */
    CHECK((uintptr_t)block >> 44 != 3);
    unsigned char first = *(unsigned char *)block;
    unsigned char *larger = realloc(block, 70000);
    CHECK(larger && *larger == first);
    memset(larger, 1, 70000);
    free(larger);
}

static int print(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(text, format, arguments);
    va_end(arguments);
    return length;
}

static void texts(void)
{
    char *copy = strdup("a copy"), *part = strndup("a copy", 3), *text, *other;
    wchar_t *wide = wcsdup(L"wide");
    CHECK(strcmp(copy, "a copy") == 0 && strcmp(part, "a c") == 0 && wcscmp(wide, L"wide") == 0);
    CHECK(asprintf(&text, "rank %d of %d%c", check_rank, check_size, 0) == (int)strlen(text) + 1);
    CHECK(print(&other, "%s", text) == (int)strlen(text) && strcmp(text, other) == 0);
    take(copy);
    take(part);
    take(wide);
    take(text);
    take(other);
    int *numbers = reallocarray(NULL, 10, sizeof *numbers);
    numbers[9] = 5;
    numbers = reallocarray(numbers, 1000, sizeof *numbers);
    CHECK(numbers[9] == 5);
    errno = 0;
    volatile size_t most = SIZE_MAX / 2;
    CHECK(!reallocarray(numbers, most, 4) && errno == ENOMEM);
    take(numbers);
}

static void lines(void)
{
    char *long_line = malloc(5001), *line = NULL, *own = malloc(3);
    memset(long_line, 'x', 5000);
    long_line[4999] = '\n', long_line[5000] = '\0';
    FILE *file = tmpfile();
    fprintf(file, "short\n%sa;b", long_line);
    rewind(file);
    size_t room = 0, own_room = 3;
    CHECK(getline(&line, &room, file) == 6 && strcmp(line, "short\n") == 0 && room >= 7);
    CHECK(getline(&own, &own_room, file) == 5000 && strcmp(own, long_line) == 0 && own_room >= 5001);
    CHECK(getdelim(&line, &room, ';', file) == 2 && strcmp(line, "a;") == 0);
    CHECK(getdelim(&line, &room, ';', file) == 1 && getdelim(&line, &room, ';', file) == -1 && feof(file));
    fclose(file);
    take(line);
    take(own);
    take(long_line);
}

static void streams(void)
{
    char *text = NULL;
    size_t size = 99;
    FILE *stream = open_memstream(&text, &size);
    fflush(stream);
    CHECK(size == 0 && *text == '\0');
    for (int i = 0; i < 5000; i++)
        fprintf(stream, "%05d ", i);
    fflush(stream);
    CHECK(size == 30000 && text[size] == '\0' && strncmp(text + 29994, "04999 ", 7) == 0);
    fseek(stream, 6, SEEK_SET);
    fputs("ABC", stream);
    fflush(stream);
    CHECK(size == 9 && strncmp(text, "00000 ABC01 ", 12) == 0);
    fseek(stream, 30010, SEEK_SET);
    fputs("end", stream);
    CHECK(ftell(stream) == 30013);
    fclose(stream);
    CHECK(size == 30013 && text[30005] == '\0' && strcmp(text + 30010, "end") == 0);
    take(text);
}

static void scans(void)
{
    char *word, *set, *letters, *again, rest[20];
    int number, end;
    const char *format = "%ms %d %*c%m[^]]] %3mc%n%19s";
    CHECK(sscanf("one 5 [x] abcd tail", format, &word, &number, &set, &letters, &end, rest) == 5);
    CHECK(strcmp(word, "one") == 0 && number == 5 && strcmp(set, "x") == 0 && memcmp(letters, "abc", 3) == 0);
    CHECK(end == 13 && strcmp(rest, "d") == 0);
    take(word);
    take(set);
    take(letters);
    CHECK(sscanf("one two", "%2$ms %1$ms", &word, &again) == 2);
    CHECK(strcmp(word, "two") == 0 && strcmp(again, "one") == 0);
    take(word);
    take(again);
    word = NULL;
    again = (char *)1;
    CHECK(sscanf("one", "%% %ms", &word) == 0 && !word);
    CHECK(sscanf("one", "%ms %ms", &word, &again) == 1 && strcmp(word, "one") == 0);
    take(word);
    wchar_t *wide;
    FILE *file = tmpfile();
    fputs("wide 7", file);
    rewind(file);
    CHECK(fscanf(file, "%mls%d", &wide, &number) == 2 && wcscmp(wide, L"wide") == 0 && number == 7);
    fclose(file);
    take(wide);
}

static int is_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
}

static int is_none(const struct dirent *entry)
{
    (void)entry;
    return 0;
}

static void paths(void)
{
    char *here = getcwd(NULL, 0), *roomy = getcwd(NULL, PATH_MAX), *name = get_current_dir_name();
    char *real = realpath(".", NULL), *canonical = canonicalize_file_name("."), *temporary = tempnam(NULL, "x");
    char resolved[PATH_MAX];
    CHECK(strcmp(here, roomy) == 0 && strcmp(real, canonical) == 0 && *name == '/' && *temporary == '/');
    CHECK(realpath(".", resolved) == resolved && strcmp(real, resolved) == 0);
    CHECK(malloc_usable_size(roomy) >= PATH_MAX);
    CHECK(!realpath("/nowhere/at/all", NULL) && errno == ENOENT);
    take(here);
    take(roomy);
    take(name);
    take(real);
    take(canonical);
    take(temporary);
    struct dirent **entries;
    CHECK(scandir(".", &entries, is_dot, alphasort) == 2);
    CHECK(strcmp(entries[0]->d_name, ".") == 0 && strcmp(entries[1]->d_name, "..") == 0);
    take(entries[0]);
    take(entries[1]);
    take(entries);
    CHECK(scandir("/", &entries, is_none, alphasort) == 0);
    free(entries);
    CHECK(scandir("/nowhere/at/all", &entries, is_none, alphasort) == -1);
    void *frames[10];
    int count = backtrace(frames, 10);
    char **names = backtrace_symbols(frames, count);
    for (int i = 0; i < count; i++)
        CHECK(strchr(names[i], '['));
    take(names);
}

static int befores, parents, children, order;

static void before_fork(void)
{
    befores++;
}

static void in_parent(void)
{
    parents++;
    order = order * 10 + 1;
}

static void in_child(void)
{
    children++;
}

static void in_parent_later(void)
{
    order = order * 10 + 2;
}

/* What one rank gives to pthread_atfork is no concern of the others, which fork at the same time. */
static void forks(void)
{
    enum { FORKS = 3 };
    CHECK(pthread_atfork(before_fork, in_parent, in_child) == 0 && pthread_atfork(NULL, in_parent_later, NULL) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            take(strdup("in the child"));
            _exit(children == 1 && befores == i + 1 && parents == i ? 42 : 1);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(befores == FORKS && parents == FORKS && children == 0 && order == 121212);
}

/* Each rank has a data segment of its own, of which the program's allocator may use a part. */
static void breaks(void)
{
    enum { SIZE = 1 << 20 };
    unsigned char *start = sbrk(SIZE);
    CHECK(start != (void *)-1 && start[0] == 0 && start[SIZE - 1] == 0);
    memset(start, check_rank + 1, SIZE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < SIZE; i++)
        CHECK(start[i] == (unsigned char)(check_rank + 1));
    if (sbrk(0) == start + SIZE) {
        unsigned char *page = start + 4096 - (uintptr_t)start % 4096;
        CHECK(brk(page) == 0 && sbrk(0) == page && sbrk(SIZE) == page);
        CHECK(page[-1] == (unsigned char)(check_rank + 1) && page[0] == 0 && page[SIZE - 1] == 0);
    }
    CHECK(sbrk((intptr_t)1 << 60) == (void *)-1 && errno == ENOMEM);
}

static int variable;
/* Allocators find their state so: by a thread-local variable that begins with an address. */
static __thread int *of_thread = &variable;

static void *thread_main(void *argument)
{
    CHECK(of_thread == &variable);
    of_thread = NULL;
    void *blocks[100];
    for (int i = 0; i < 100; i++) {
        blocks[i] = malloc((size_t)(i * i));
        memset(blocks[i], i, (size_t)(i * i));
    }
    texts();
    for (int i = 0; i < 100; i++)
        free(blocks[i]);
    return strdup(argument);
}

static void threads(void)
{
    CHECK(of_thread == &variable);
    pthread_t all[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&all[i], NULL, thread_main, "of a thread") == 0);
    for (int i = 0; i < 3; i++) {
        void *text;
        pthread_join(all[i], &text);
        CHECK(strcmp(text, "of a thread") == 0);
        take(text);
    }
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    texts();
    lines();
    streams();
    scans();
    paths();
    if (check_size < 8)
        forks();
    breaks();
    threads();
    printf("own malloc OK\n");
    MPI_Finalize();
    return 0;
}
