/* The part in C of benches/fortran/binding.f90: the same messages by the C interface. */
#include <mpi.h>

static int peer(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 1 - rank;
}

/* Seconds that so many round trips of `count` elements of a datatype take. */
static double round_trips(int times, const void *ping, void *pong, int count, MPI_Datatype type)
{
    int other = peer();
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        if (other == 1) {
            MPI_Send(ping, count, type, other, 0, MPI_COMM_WORLD);
            MPI_Recv(pong, count, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(pong, count, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(ping, count, type, other, 0, MPI_COMM_WORLD);
        }
    }
    return MPI_Wtime() - start;
}

double c_messages(int times, const char *ping, char *pong, int bytes)
{
    return round_trips(times, ping, pong, bytes, MPI_BYTE);
}

/* Blocks of `block` numbers, as many as make n * n numbers, `distance` numbers apart. */
double c_face(int times, const double *ping, double *pong, int n, int block, int distance)
{
    MPI_Datatype face;
    MPI_Type_vector(n * n / block, block, distance, MPI_DOUBLE, &face);
    MPI_Type_commit(&face);
    double seconds = round_trips(times, ping, pong, 1, face);
    MPI_Type_free(&face);
    return seconds;
}
