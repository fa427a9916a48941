/* Calls that the standard allows at any time: objects that are made before MPI is initialised and live after it is
 * finalized. */
#include "mpi_check.h"

static int handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
    handled = *comm == MPI_COMM_WORLD ? *code : -1;
}

/* Objects that need no communication, made and used whatever the phase; how many steps went wrong. */
static int anytime(void)
{
    int wrong = 0, flag, length = 10, class, code, found;
    char value[MPI_MAX_ERROR_STRING];
    MPI_Info info, copy;
    wrong += MPI_Info_create(&info) || MPI_Info_set(info, "key", "value") || MPI_Info_dup(info, &copy);
    wrong += MPI_Info_get_string(copy, "key", &length, value, &flag) || !flag || strcmp(value, "value");
    wrong += MPI_Info_free(&copy) || MPI_Info_free(&info) || info != MPI_INFO_NULL;
    wrong += MPI_Add_error_class(&class) || MPI_Add_error_code(class, &code);
    wrong += MPI_Error_class(code, &found) || found != class;
    wrong += MPI_Add_error_string(code, "ours") || MPI_Error_string(code, value, &length) || strcmp(value, "ours");
    wrong += MPI_Remove_error_string(code) || MPI_Remove_error_code(code) || MPI_Remove_error_class(class);
    wrong += MPI_Get_version(&class, &code) || class != 5;
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Errhandler early, late, current;
    if (MPI_Comm_create_errhandler(handle, &early) != MPI_SUCCESS || anytime() != 0)
        return 1;
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, early));
    CHECK(MPI_Send(NULL, 0, MPI_INT, check_size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(handled == MPI_ERR_RANK);
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &current));
    CHECK(current == early);
    OK(MPI_Errhandler_free(&current));
    CHECK(anytime() == 0);
    check_end();

    if (anytime() != 0)
        return 5;
    if (MPI_Comm_create_errhandler(handle, &late) != MPI_SUCCESS || late == early)
        return 2;
    if (MPI_Errhandler_free(&late) != MPI_SUCCESS || late != MPI_ERRHANDLER_NULL)
        return 3;
    if (MPI_Errhandler_free(&early) != MPI_SUCCESS || early != MPI_ERRHANDLER_NULL)
        return 4;
    return 0;
}
