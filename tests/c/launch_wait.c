/* Runs until a signal ends it, or longer than that if told so; says "up" when it has got that far. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "stubborn")) {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
    }
    if (!strcmp(how, "parent") && system("sleep 1000 &"))
        return 1;
    printf("up\nnot finished");
    fflush(stdout);
    if (!strcmp(how, "busy"))
        for (volatile long turn = 0;; turn++)
            ;
    for (;;)
        pause();
}
