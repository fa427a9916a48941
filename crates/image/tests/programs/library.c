/* The state of libc that a process has to itself: errno, random numbers, strtok, environment, times, program name,
 * setjmp, streams. Interleaved with other ranks. */
#define _GNU_SOURCE
#include "yield.h"
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int bad;

#define EXPECT(condition)                                                                                            \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            printf("BAD line %d: %s\n", __LINE__, #condition);                                                       \
            bad++;                                                                                                   \
        }                                                                                                            \
    } while (0)

static void random_numbers(int seed)
{
    struct random_data data = {0};
    char state[128];
    int32_t should;
    initstate_r(1, state, sizeof state, &data);
    for (int i = 0; i < 20; i++) {
        random_r(&data, &should);
        EXPECT(rand() == should);
        let_others_run();
    }
    srand(seed);
    srandom_r(seed, &data);
    for (int i = 0; i < 20; i++) {
        random_r(&data, &should);
        EXPECT(random() == should);
        let_others_run();
    }
    struct drand48_data data48 = {0};
    double value;
    srand48(seed);
    srand48_r(seed, &data48);
    for (int i = 0; i < 20; i++) {
        drand48_r(&data48, &value);
        EXPECT(drand48() == value);
        let_others_run();
    }
}

static void tokens(const char *rank)
{
    char text[64];
    snprintf(text, sizeof text, "a%s,b%s,c%s", rank, rank, rank);
    int count = 0;
    for (char *token = strtok(text, ","); token; token = strtok(NULL, ",")) {
        EXPECT(token[0] == 'a' + count && strcmp(token + 1, rank) == 0);
        count++;
        let_others_run();
    }
    EXPECT(count == 3);
}

static void environment(const char *rank)
{
    extern char **environ;
    EXPECT(setenv("SIMURGH_PRIVATE", rank, 1) == 0);
    static char entry[64];
    snprintf(entry, sizeof entry, "SIMURGH_OTHER=x%s", rank);
    putenv(entry);
    let_others_run();
    EXPECT(getenv("SIMURGH_PRIVATE") && strcmp(getenv("SIMURGH_PRIVATE"), rank) == 0);
    EXPECT(getenv("SIMURGH_OTHER") && strcmp(getenv("SIMURGH_OTHER") + 1, rank) == 0);
    int found = 0;
    for (char **e = environ; *e; e++)
        found += strncmp(*e, "SIMURGH_PRIVATE=", 16) == 0;
    EXPECT(found == 1);
    char command[64];
    snprintf(command, sizeof command, "test \"$SIMURGH_PRIVATE\" = '%s'", rank);
    EXPECT(system(command) == 0);
    unsetenv("SIMURGH_PRIVATE");
    EXPECT(getenv("SIMURGH_PRIVATE") == NULL);
}

static void times(int seed)
{
    time_t when = 86400L * 365 * (seed % 40 + 1);
    struct tm *broken_down = gmtime(&when), copy;
    gmtime_r(&when, &copy);
    let_others_run();
    EXPECT(broken_down->tm_year == copy.tm_year && broken_down->tm_yday == copy.tm_yday);
}

static jmp_buf target;

static void jumps(int seed)
{
    volatile int count = 0;
    int value = setjmp(target);
    if (count++ < 5) {
        let_others_run();
        longjmp(target, seed + count);
    }
    EXPECT(value == seed + 5);
}

static void streams(const char *rank)
{
    char name[] = "/tmp/simurgh-image-XXXXXX", line[64];
    int descriptor = mkstemp(name);
    FILE *file = fdopen(descriptor, "w+");
    fprintf(file, "file of %s\n", rank);
    EXPECT(fflush(NULL) == 0);
    rewind(file);
    EXPECT(fgets(line, sizeof line, file) && strcmp(line + 8, rank) != 0 && strncmp(line + 8, rank, strlen(rank)) == 0);
    fclose(file);
    unlink(name);
    EXPECT(fileno(stdout) == 1 && fileno(stderr) == 2);
    if (strcmp(rank, "0") != 0)
        EXPECT(getchar() == EOF);
    printf("a line in "), printf("several "), putchar('p'), fputs("arts", stdout), putc('\n', stdout);
    printf("%s", "");
    puts("a line by puts");
    fprintf(stderr, "%s %d\n", "a line on stderr", 1);
}

__attribute__((visibility("default"))) int exported_by_program = 5;

static void handles(void)
{
    void *self = dlopen(NULL, RTLD_NOW);
    EXPECT(self && dlsym(self, "exit") == (void *)exit);
    EXPECT(dlsym(RTLD_DEFAULT, "getenv") == (void *)getenv);
    void *next = dlsym(RTLD_NEXT, "getenv");
    EXPECT(next == (void *)getenv);
    dlclose(self);
}

int main(int argc, char **argv)
{
    const char *rank = getenv("TEST_RANK");
    rank = rank ? rank : "0";
    int seed = atoi(rank) + 1;
    EXPECT(argc >= 1);
    const char *slash = strrchr(argv[0], '/');
    EXPECT(strcmp(program_invocation_name, argv[0]) == 0);
    EXPECT(strcmp(program_invocation_short_name, slash ? slash + 1 : argv[0]) == 0);
    errno = seed;
    let_others_run();
    EXPECT(errno == seed);
    random_numbers(seed);
    tokens(rank);
    environment(rank);
    times(seed);
    jumps(seed);
    streams(rank);
    handles();
    puts(bad ? "library BAD" : "library OK");
    return bad != 0;
}
