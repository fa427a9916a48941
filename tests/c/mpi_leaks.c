/* Leaves something of each kind behind; prints the class of a wrong argument that does no harm. */
#include "mpi_check.h"

static void sum(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    int code = MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD);
    if (check_rank == 0)
        printf("negative tag: %d\n", code);

    MPI_Comm halo, other;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    MPI_Errhandler errhandler;
    MPI_Info info;
    void *memory;
    int keyval;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &halo));
    OK(MPI_Comm_set_name(halo, "halo"));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_set_name(type, "row"));
    OK(MPI_Op_create(sum, 1, &op));
    OK(MPI_Recv_init(NULL, 0, MPI_INT, 0, 9, halo, &request));
    OK(MPI_Comm_create_errhandler(handle, &errhandler));
    OK(MPI_Info_create(&info));
    OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL));
    OK(MPI_Alloc_mem(100, MPI_INFO_NULL, &memory));
    OK(MPI_Send(&code, 1, MPI_INT, (check_rank + 1) % check_size, 7, MPI_COMM_WORLD));
    /* Freed objects are not reported. */
    MPI_Group freed;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &freed));
    OK(MPI_Group_free(&freed));
    return check_end();
}
