/* A program finds itself by whatever function of the C library: its own file, its own arguments, its own memory. It
 * is started with a file to compare itself with; with "child", it has been spawned by its own link in /proc. */
#include <mpi.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "rank %d: %s:%d: not so: %s (%s)\n", rank, __FILE__, __LINE__, \
                    #condition, strerror(errno));                                          \
            MPI_Abort(MPI_COMM_WORLD, 99);                                                 \
        }                                                                                  \
    } while (0)

static int data = 7;

/* The paths by which a process names a file of its own in /proc. */
static const char *path(int way, const char *name)
{
    static char text[64];
    if (way == 0)
        snprintf(text, sizeof text, "/proc/self/%s", name);
    else if (way == 1)
        snprintf(text, sizeof text, "/proc/%d/%s", (int)getpid(), name);
    else
        snprintf(text, sizeof text, "/proc/thread-self/%s", name);
    return text;
}

static void has_its_program(const char *expected)
{
    char found[PATH_MAX] = "", few[4] = "";
    for (int way = 0; way < 2; way++) {
        ssize_t length = readlink(path(way, "exe"), found, sizeof found);
        CHECK(length == (ssize_t)strlen(expected) && !memcmp(found, expected, (size_t)length));
        CHECK(readlinkat(AT_FDCWD, path(way, "exe"), few, 3) == 3 && !memcmp(few, expected, 3));
        CHECK(realpath(path(way, "exe"), found) && !strcmp(found, expected));
        int descriptor = open(path(way, "exe"), O_RDONLY), same = open(expected, O_RDONLY);
        char own[64], other[64];
        CHECK(descriptor >= 0 && same >= 0);
        CHECK(read(descriptor, own, sizeof own) == 64 && read(same, other, sizeof other) == 64);
        CHECK(!memcmp(own, other, 64) && pread(descriptor, own, 64, 4096) == pread(same, other, 64, 4096));
        CHECK(!memcmp(own, other, 64));
        close(descriptor);
        close(same);
    }
}

static void has_its_arguments(int argc, char **argv)
{
    for (int way = 0; way < 3; way++) {
        FILE *file = fopen(path(way, "cmdline"), "re");
        CHECK(file);
        for (int i = 0; i < argc; i++) {
            char word[PATH_MAX];
            size_t length = 0;
            for (int c; (c = fgetc(file)) > 0;)
                word[length++] = (char)c;
            word[length] = 0;
            CHECK(!strcmp(word, argv[i]));
        }
        CHECK(fgetc(file) == EOF);
        fclose(file);
    }
}

/* The line of the file that an address lies in. */
static bool is_mapped(FILE *maps, const void *address, const char *expected, bool is_code)
{
    char line[PATH_MAX + 128];
    bool found = false;
    rewind(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        char name[PATH_MAX] = "", access[8];
        CHECK(sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095[^\n]", &start, &end, access, name) >= 3);
        CHECK(!strstr(name, "simurgh-image"));
        /* Nothing else is mapped of that file than what the rank has. */
        if (!strcmp(name, expected))
            CHECK(start <= (unsigned long)&data + (1 << 20) && end + (1 << 20) >= (unsigned long)&data);
        if (start <= (unsigned long)address && (unsigned long)address < end)
            found = !strcmp(name, expected) && (!is_code || strchr(access, 'x'));
    }
    return found;
}

static void has_its_memory(const char *expected)
{
    FILE *maps = fopen(path(0, "maps"), "r");
    CHECK(maps);
    CHECK(is_mapped(maps, (const void *)has_its_memory, expected, true));
    CHECK(is_mapped(maps, &data, expected, false));
    fclose(maps);
}

static void has_its_start(char **argv)
{
    char found[PATH_MAX];
    CHECK(realpath((const char *)getauxval(AT_EXECFN), found) && !strcmp(found, argv[1]));
    CHECK(!strcmp(program_invocation_name, argv[0]));
    const Elf64_Phdr *header = (const Elf64_Phdr *)getauxval(AT_PHDR);
    const char *first = (const char *)header - sizeof(Elf64_Ehdr);
    CHECK(getauxval(AT_PHNUM) == ((const Elf64_Ehdr *)first)->e_phnum);
    CHECK((unsigned long)first < (unsigned long)has_its_start && (unsigned long)has_its_start < (unsigned long)&data);
}

/* A program that starts itself as a process: by a link that leads to what it is. */
static void starts_itself(void)
{
    extern char **environ;
    char *arguments[] = {"itself", "plain", NULL};
    pid_t child;
    int status;
    CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
    CHECK((child = fork()) >= 0);
    if (child == 0) {
        execv("/proc/self/exe", arguments);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "plain"))
        return 42;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm others;
    MPI_Comm_get_parent(&others);
    if (others == MPI_COMM_NULL) {
        char *arguments[] = {argv[1], "child", NULL};
        starts_itself();
        MPI_Comm_spawn(argc > 2 ? argv[2] : "/proc/self/exe", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE);
    }
    has_its_program(argv[1]);
    has_its_arguments(argc, argv);
    has_its_memory(argv[1]);
    has_its_start(argv);
    int sum;
    MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, others);
    MPI_Comm_disconnect(&others);
    if (rank == 0)
        printf("%s: passed with %d ranks\n", argc > 2 && !strcmp(argv[2], "child") ? "child" : "parent", size);
    MPI_Finalize();
    return 0;
}
