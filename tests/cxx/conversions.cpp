// A program in C++ only that converts handles, as libraries do whose interface is one of integers.
#include <mpi.h>
#include <iostream>
#include <vector>

template <typename Handle> struct Kind {
    MPI_Fint (*to)(Handle);
    Handle (*from)(MPI_Fint);
    bool comes_back(Handle handle) const { return from(to(handle)) == handle; }
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const Kind<MPI_Comm> comms = {MPI_Comm_c2f, MPI_Comm_f2c};
    const Kind<MPI_Datatype> types = {MPI_Type_c2f, MPI_Type_f2c};
    const Kind<MPI_Op> ops = {PMPI_Op_c2f, PMPI_Op_f2c};
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    bool good = comms.comes_back(comm) && comms.comes_back(MPI_COMM_WORLD) && comms.comes_back(MPI_COMM_NULL);
    good = good && types.comes_back(MPI_CXX_DOUBLE_COMPLEX) && ops.comes_back(MPI_SUM);
    int rank, size;
    MPI_Comm_rank(comms.from(comms.to(comm)), &rank);
    MPI_Comm_size(comm, &size);
    std::vector<MPI_Fint> integers(MPI_F_STATUS_SIZE);
    MPI_Status status = {}, back;
    status.MPI_TAG = 7;
    MPI_Status_c2f(&status, &integers[0]);
    MPI_Status_f2c(&integers[0], &back);
    good = good && back.MPI_TAG == 7;
    MPI_Comm_free(&comm);
    if (good)
        std::cout << "hello from rank " << rank << " of " << size << std::endl;
    MPI_Finalize();
}
