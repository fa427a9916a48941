// The smallest program in C++: says who it is, by way of iostreams.
#include <mpi.h>
#include <iostream>
#include <sstream>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::ostringstream line;
    line << "hello from rank " << rank << " of " << ranks << "\n";
    std::cout << line.str();
    MPI_Finalize();
}
