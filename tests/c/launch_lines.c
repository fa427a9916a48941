/* Writes long lines, each of one letter, without MPI. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    static char line[20001];
    memset(line, 'a' + getpid() % 26, sizeof line - 1);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 20; i++)
        fwrite(line, 1, sizeof line, stdout);
    return 0;
}
