/* What a program cannot write to as a process, it cannot write to as a rank; and how many mappings its file takes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const char __ehdr_start[];

int data = 1, zero;
const char text[] = "a constant";
const char *const texts[] = {text, text + 2}; /* constant after relocation */

/* The kernel refuses to read into memory that cannot be written to. */
static int is_writable(const volatile void *place)
{
    int ends[2];
    char byte = 0;
    ssize_t done;

    if (pipe(ends) < 0)
        return -1;
    done = write(ends[1], &byte, 1) == 1 ? read(ends[0], (void *)place, 1) : 0;
    close(ends[0]);
    close(ends[1]);
    return done == 1;
}

int main(int argc, char **argv)
{
    char line[4096];
    const char *name = strrchr(argv[0], '/');
    int mappings = 0, good = is_writable(&data) == 1 && is_writable(&zero) == 1 && is_writable(&argc) == 1;
    FILE *maps = fopen("/proc/self/maps", "r");

    good = good && is_writable(text) == 0 && is_writable(texts) == 0 && is_writable(__ehdr_start) == 0 &&
           is_writable((const void *)main) == 0 && *(const char *const volatile *)&texts[1] == text + 2;
    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = 0;
        mappings += strlen(line) > strlen(name) && strcmp(line + strlen(line) - strlen(name), name) == 0;
    }
    printf("constants %s, mappings %d\n", good ? "OK" : "BAD", mappings);
    return 0;
}
