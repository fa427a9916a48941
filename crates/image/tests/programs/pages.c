#include "pages.h"

int main(void)
{
    tell(__builtin_return_address(0));
    return 0;
}
