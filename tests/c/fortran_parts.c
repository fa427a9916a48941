/* The parts in C of a program in Fortran, as mixed programs have them: handles and statuses are passed as integers. */
#include <mpi.h>

void c_begin_(MPI_Fint *world)
{
    MPI_Init(0, 0);
    *world = MPI_Comm_c2f(MPI_COMM_WORLD);
}

void c_size_(const MPI_Fint *comm, MPI_Fint *rank, MPI_Fint *size)
{
    MPI_Comm_rank(MPI_Comm_f2c(*comm), rank);
    MPI_Comm_size(MPI_Comm_f2c(*comm), size);
}

void c_dup_(const MPI_Fint *comm, MPI_Fint *copy)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_Comm_f2c(*comm), &made);
    *copy = MPI_Comm_c2f(made);
}

void c_row_(const MPI_Fint *count, MPI_Fint *row)
{
    MPI_Datatype made;
    MPI_Type_contiguous(*count, MPI_INTEGER, &made);
    MPI_Type_commit(&made);
    *row = MPI_Type_c2f(made);
}

void c_start_receive_(MPI_Fint *buffer, const MPI_Fint *type, const MPI_Fint *source, const MPI_Fint *comm,
                      MPI_Fint *request)
{
    MPI_Request made;
    MPI_Irecv(buffer, 1, MPI_Type_f2c(*type), *source, 5, MPI_Comm_f2c(*comm), &made);
    *request = MPI_Request_c2f(made);
}

void c_send_(const MPI_Fint *buffer, const MPI_Fint *type, const MPI_Fint *dest, const MPI_Fint *comm)
{
    MPI_Send(buffer, 1, MPI_Type_f2c(*type), *dest, 5, MPI_Comm_f2c(*comm));
}

void c_wait_(MPI_Fint *request, MPI_Fint *integers)
{
    MPI_Request waited = MPI_Request_f2c(*request);
    MPI_Status status;
    MPI_Wait(&waited, &status);
    *request = MPI_Request_c2f(waited);
    if (integers != MPI_F_STATUS_IGNORE)
        MPI_Status_c2f(&status, integers);
}

void c_count_(const MPI_Fint *integers, const MPI_Fint *type, MPI_Fint *count)
{
    MPI_Status status;
    MPI_Status_f2c(integers, &status);
    MPI_Get_count(&status, MPI_Type_f2c(*type), count);
}

void c_end_(MPI_Fint *comm, MPI_Fint *row)
{
    MPI_Comm ended = MPI_Comm_f2c(*comm);
    MPI_Datatype freed = MPI_Type_f2c(*row);
    MPI_Comm_free(&ended);
    MPI_Type_free(&freed);
    *comm = MPI_Comm_c2f(ended);
    *row = MPI_Type_c2f(freed);
    MPI_Finalize();
}
