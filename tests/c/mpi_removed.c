/* The functions that MPI has removed do the same as their replacements. */
#include "mpi_check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_WORLD);
    handled = *code;
}

static void handlers(void)
{
    MPI_Handler_function *function = handler;
    MPI_Errhandler made, found;
    int value = 0;
    OK(MPI_Errhandler_create(function, &made));
    OK(MPI_Errhandler_set(MPI_COMM_WORLD, made));
    OK(MPI_Errhandler_get(MPI_COMM_WORLD, &found));
    CHECK(found == made);
    FAILS(MPI_Send(&value, 1, MPI_INT, check_size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    FAILS(handled, MPI_ERR_RANK);
    OK(MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(PMPI_Errhandler_get(MPI_COMM_WORLD, &found));
    CHECK(found == MPI_ERRORS_RETURN);
    OK(MPI_Errhandler_free(&made));
}

struct particle {
    char kind;
    double place[3];
    int number;
};

static void structures(void)
{
    struct particle out[2] = {{'a', {1, 2, 3}, 4}, {'b', {5, 6, 7}, 8}}, in[2];
    int lengths[3] = {1, 3, 1};
    MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, type;
    MPI_Aint places[3], extent, lower, upper;
    OK(MPI_Address(&out[0].kind, &places[0]));
    OK(MPI_Address(&out[0].place, &places[1]));
    OK(MPI_Address(&out[0].number, &places[2]));
    for (int i = 2; i >= 0; i--)
        places[i] -= places[0];
    OK(MPI_Type_struct(3, lengths, places, types, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Type_extent(type, &extent));
    OK(MPI_Type_lb(type, &lower));
    OK(MPI_Type_ub(type, &upper));
    CHECK(extent == sizeof(struct particle) && lower == 0 && upper == extent);
    memset(in, 0, sizeof in);
    OK(MPI_Sendrecv(out, 2, type, 0, 0, in, 2, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(in[1].kind == 'b' && in[1].place[2] == 7 && in[0].number == 4);
    OK(MPI_Type_free(&type));
}

static void vectors(void)
{
    int out[6] = {0, 1, 2, 3, 4, 5}, in[6] = {9, 9, 9, 9, 9, 9}, lengths[2] = {1, 2};
    MPI_Aint places[2] = {0, 3 * sizeof(int)}, lower, extent;
    MPI_Datatype every_other, some;
    OK(MPI_Type_hvector(3, 1, 2 * sizeof(int), MPI_INT, &every_other));
    OK(MPI_Type_hindexed(2, lengths, places, MPI_INT, &some));
    OK(MPI_Type_commit(&every_other));
    OK(MPI_Type_commit(&some));
    OK(MPI_Sendrecv(out, 1, every_other, 0, 0, in, 1, some, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(in[0] == 0 && in[1] == 9 && in[3] == 2 && in[4] == 4 && in[5] == 9);
    OK(PMPI_Type_lb(some, &lower));
    OK(PMPI_Type_extent(some, &extent));
    CHECK(lower == 0 && extent == 5 * sizeof(int));
    OK(MPI_Type_free(&every_other));
    OK(MPI_Type_free(&some));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    handlers();
    structures();
    vectors();
    return check_end();
}
