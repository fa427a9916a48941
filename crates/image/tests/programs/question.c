/* Asks the library, or the tool before it. */
#include <stdio.h>

int answer(void);

int main(void)
{
    printf("answers %d %d\n", answer(), answer());
    return 0;
}
