/* A library that the constructor of another one loads. */
static int beginning;

int number(void)
{
    return beginning;
}

__attribute__((constructor)) static void begin(void)
{
    beginning = 3;
}
