/* Error classes, codes and strings that the program adds, uses and takes back. */
#include "mpi_check.h"

static int last_used(void)
{
    int *value, flag;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK(flag);
    return *value;
}

static int says(int code, const char *expected)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    OK(MPI_Error_string(code, text, &length));
    CHECK(length == (int)strlen(text));
    return !strcmp(text, expected);
}

static int thrown;

static void throw_code(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    thrown = *code;
}

int main(int argc, char **argv)
{
    int class, code, other, found;
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK(last_used() == MPI_ERR_LASTCODE);
    OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE && last_used() == class);
    OK(MPI_Add_error_code(class, &code));
    OK(MPI_Add_error_code(MPI_ERR_ARG, &other));
    CHECK(code > class && other > code && last_used() == other);
    OK(MPI_Error_class(code, &found));
    CHECK(found == class);
    OK(MPI_Error_class(class, &found));
    CHECK(found == class);
    OK(MPI_Error_class(other, &found));
    CHECK(found == MPI_ERR_ARG);

    CHECK(says(code, ""));
    OK(MPI_Add_error_string(code, "no wine left"));
    OK(MPI_Add_error_string(class, "supplies"));
    CHECK(says(code, "no wine left") && says(class, "supplies"));
    OK(MPI_Add_error_string(code, "no bread left"));
    CHECK(says(code, "no bread left"));

    /* A handler gets the code as it was thrown. */
    MPI_Errhandler handler;
    MPI_Comm comm;
    OK(MPI_Comm_create_errhandler(throw_code, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_call_errhandler(comm, code));
    CHECK(thrown == code);
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free(&comm));

    /* Codes in use cannot be removed, nor predefined ones. */
    FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG);
    FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG);
    FAILS(MPI_Remove_error_class(MPI_ERR_ARG), MPI_ERR_ARG);
    FAILS(MPI_Remove_error_string(MPI_ERR_ARG), MPI_ERR_ARG);
    FAILS(MPI_Add_error_string(MPI_ERR_ARG, "mine"), MPI_ERR_ARG);
    FAILS(MPI_Add_error_code(code, &found), MPI_ERR_ARG);
    FAILS(MPI_Add_error_code(-4, &found), MPI_ERR_ARG);
    FAILS(MPI_Remove_error_code(class), MPI_ERR_ARG);

    OK(MPI_Remove_error_string(code));
    CHECK(says(code, ""));
    FAILS(MPI_Remove_error_string(code), MPI_ERR_ARG);
    OK(MPI_Remove_error_code(code));
    FAILS(MPI_Error_class(code, &found), MPI_ERR_ARG);
    OK(MPI_Remove_error_string(class));
    OK(MPI_Remove_error_class(class));
    FAILS(MPI_Add_error_code(class, &found), MPI_ERR_ARG);
    CHECK(last_used() == other);
    OK(MPI_Remove_error_code(other));
    CHECK(last_used() == MPI_ERR_LASTCODE);
    return check_end();
}
