/* Statuses: their fields by functions, elements and counts of every width, also by the deprecated names. */
#include "mpi_check.h"

static void fields(void)
{
    MPI_Status status;
    int source, tag, error, flag;
    OK(MPI_Status_set_source(&status, 7));
    OK(MPI_Status_set_tag(&status, 1 << 20));
    OK(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE));
    CHECK(status.MPI_SOURCE == 7 && status.MPI_TAG == 1 << 20 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
    OK(MPI_Status_set_source(&status, MPI_ANY_SOURCE));
    OK(MPI_Status_get_source(&status, &source));
    OK(MPI_Status_get_tag(&status, &tag));
    OK(MPI_Status_get_error(&status, &error));
    CHECK(source == MPI_ANY_SOURCE && tag == 1 << 20 && error == MPI_ERR_TRUNCATE);

    /* A real message fills all but the error. */
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    int out[3] = {1, 2, 3}, in[5];
    OK(MPI_Sendrecv(out, 3, MPI_INT, right, 9, in, 5, MPI_INT, left, 9, MPI_COMM_WORLD, &status));
    OK(MPI_Status_get_source(&status, &source));
    OK(MPI_Status_get_tag(&status, &tag));
    OK(MPI_Status_get_error(&status, &error));
    CHECK(source == left && tag == 9 && error == MPI_ERR_TRUNCATE);

    OK(MPI_Status_set_cancelled(&status, 1));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    OK(MPI_Status_set_cancelled(&status, 0));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(!flag);
}

static void elements(void)
{
    MPI_Status status;
    MPI_Count count, many = (MPI_Count)3 << 31;
    int narrow;
    OK(MPI_Status_set_elements(&status, MPI_INT, 6));
    OK(MPI_Get_elements(&status, MPI_INT, &narrow));
    CHECK(narrow == 6);
    OK(MPI_Get_elements_c(&status, MPI_SHORT, &count));
    CHECK(count == 12);
    OK(MPI_Get_elements_x(&status, MPI_DOUBLE, &count));
    CHECK(count == 3);
    OK(MPI_Status_set_elements_c(&status, MPI_BYTE, many));
    OK(MPI_Get_elements_x(&status, MPI_BYTE, &count));
    CHECK(count == many);
    OK(MPI_Get_elements(&status, MPI_BYTE, &narrow));
    CHECK(narrow == MPI_UNDEFINED);
    OK(MPI_Status_set_elements_x(&status, MPI_INT, many));
    OK(MPI_Get_count_c(&status, MPI_INT, &count));
    CHECK(count == many);
    OK(MPI_Status_set_elements(&status, MPI_BYTE, 6));
    OK(MPI_Get_count(&status, MPI_INT, &narrow));
    CHECK(narrow == MPI_UNDEFINED);
}

/* Sizes in 64 bits, by the deprecated names and the others. */
static void sizes(void)
{
    MPI_Datatype wide;
    MPI_Count size, lb, extent;
    OK(MPI_Type_vector(2, 1, 1 << 30, MPI_INT, &wide));
    OK(MPI_Type_size_x(wide, &size));
    OK(MPI_Type_get_extent_x(wide, &lb, &extent));
    CHECK(size == 2 * sizeof(int) && lb == 0 && extent == ((MPI_Count)1 << 32) + 4);
    OK(MPI_Type_get_true_extent_x(wide, &lb, &extent));
    CHECK(lb == 0 && extent == ((MPI_Count)1 << 32) + 4);
    OK(MPI_Type_free(&wide));

    /* Strides that need them. */
    MPI_Count stride = (MPI_Count)1 << 40, span = stride + sizeof(int);
    OK(MPI_Type_vector_c(2, 1, stride / sizeof(int), MPI_INT, &wide));
    OK(MPI_Type_get_true_extent_c(wide, &lb, &extent));
    CHECK(lb == 0 && extent == span);
    OK(MPI_Type_free(&wide));
    OK(MPI_Type_create_hvector_c(2, 1, -stride, MPI_INT, &wide));
    OK(MPI_Type_get_true_extent_c(wide, &lb, &extent));
    CHECK(lb == -stride && extent == span);
    OK(MPI_Type_free(&wide));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    fields();
    elements();
    sizes();
    return check_end();
}
