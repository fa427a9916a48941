/* Variables that C shares with Fortran: those that private_part.F90 defines by bind(C), and one of C's own. */

extern int bound_program, bound_object, bound_shared;
static int own;

void c_sees(int *program, int *object, int *shared, int *mine);
void c_writes(int value);

void c_sees(int *program, int *object, int *shared, int *mine)
{
    *program = bound_program;
    *object = bound_object;
    *shared = bound_shared;
    *mine = own;
}

void c_writes(int value)
{
    own = value;
}
