/* Writes all over its thread-local variables, and those of its libraries, and looks whether they and the C library's
 * stay what they are; in a second thread as well. */
#include "room.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of libraries are there if it is linked with them. */
__attribute__((weak)) struct step first_step(void);
__attribute__((weak)) struct step second_step(void);

enum { PARTS = 3, BLOCKS = 64 };
static const int missing = 2;

static int look_into(struct step step, unsigned char before, unsigned char after)
{
    if (!step.is_aligned() || !step.is_filled(before))
        return 0;
    step.fill(after);
    return 1;
}

/* Has the C library use what it keeps for each thread. */
static int use_libc(void)
{
    void *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(16 + 8 * (i % 16));
        memset(blocks[i], i, 16);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    errno = 0;
    return fopen("/nowhere/at/all", "r") == NULL && errno == missing && strcmp(strerror(errno), "Success") != 0;
}

static void *check(void *result)
{
    struct step steps[PARTS] = {{is_filled, fill, is_aligned}};
    int parts = 1, right = 1;
    if (first_step)
        steps[parts++] = first_step();
    if (second_step)
        steps[parts++] = second_step();
    for (int round = 0; round < 3; round++) {
        for (int part = 0; part < parts; part++)
            right &= look_into(steps[part], round ? 0xa0 + 16 * part + round - 1 : 0, 0xa0 + 16 * part + round);
        right &= use_libc();
    }
    *(int *)result = right;
    return NULL;
}

int main(void)
{
    int main_is_right = 0, second_is_right = 0;
    pthread_t second;
    check(&main_is_right);
    if (pthread_create(&second, NULL, check, &second_is_right) || pthread_join(second, NULL))
        return 1;
    puts(main_is_right && second_is_right ? "room OK" : "room BAD");
    return 0;
}
