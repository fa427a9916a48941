/* getopt, getopt_long and getopt_long_only on many made-up command lines; prints a hash of all that they did, to be
 * compared with what the C library's own do. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned state = 1;

static unsigned draw(unsigned limit)
{
    state = state * 1103515245 + 12345;
    return (state >> 16) % limit;
}

static const char *const words[] = {"-a",     "-b",      "-bval",     "-abx",  "-c",      "-cfoo", "--alpha", "--beta",
                                    "--beta=3", "--be",  "--al",      "--gamma=9", "--gamma", "--zz", "-x",   "plain",
                                    "two",    "-",       "--",        "-alpha", "-beta",  "-ab",   "--alphabet",
                                    "--opt",  "--opt=5", "-:",        "--alp=3", "-d",    "-dq"};
static const char *const letters[] = {"ab:c::d", "+ab:c::d", "-ab:c::d", ":ab:c::d", "+:ab:c::d"};

static unsigned long hash = 5381;

static void mix(const char *text)
{
    while (*text)
        hash = hash * 33 + (unsigned char)*text++;
}

int main(void)
{
    int flag = 0;
    const struct option options[] = {{"alpha", 0, 0, 'A'}, {"alphabet", 0, 0, 'B'}, {"beta", 1, 0, 'b'},
                                     {"gamma", 2, 0, 'g'}, {"opt", 1, &flag, 77},   {"ditto", 0, 0, 'q'},
                                     {"dittoo", 0, 0, 'q'}, {0, 0, 0, 0}};
    opterr = 0;
    for (int line = 0; line < 5000; line++) {
        char *arguments[12] = {"program"}, text[128];
        int count = 1 + (int)draw(9), result, index;
        for (int i = 1; i < count; i++)
            arguments[i] = (char *)words[draw(sizeof words / sizeof *words)];
        const char *known = letters[draw(5)];
        int kind = (int)draw(3);
        optind = 0;
        do {
            index = -1;
            result = kind == 0   ? getopt(count, arguments, known)
                     : kind == 1 ? getopt_long(count, arguments, known, options, &index)
                                 : getopt_long_only(count, arguments, known, options, &index);
            snprintf(text, sizeof text, "%d %s %d %d %d %d;", result, optarg ? optarg : "-", optind,
                     result == '?' || result == ':' ? optopt : 0, index, flag);
            mix(text);
        } while (result != -1);
        for (int i = 0; i < count; i++)
            mix(arguments[i]);
    }
    printf("options %lx\n", hash);
    return 0;
}
