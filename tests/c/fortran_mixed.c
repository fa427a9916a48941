/* Ranks whose Fortran compilers differ: even ranks have reals of 8 bytes and Intel's words for true and false, odd ones
   declare nothing. With an argument, all ranks combine their reals, which do not fit together. */
#include "mpi_check.h"
#include <stdint.h>

static void declare(void)
{
    MPI_Info info;
    int32_t yes = -1, no = 0;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_real_size", "8"));
    OK(MPI_Abi_set_fortran_info(info));
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
}

static void logicals(void)
{
    int32_t own = check_rank % 2 ? 1 : -1, none = 0, result;
    const MPI_Op ops[] = {MPI_LAND, MPI_LOR, MPI_LXOR};
    for (int o = 0; o < 3; o++) {
        result = own;
        OK(MPI_Reduce_local(o ? &none : &own, &result, 1, MPI_LOGICAL, ops[o]));
        CHECK(result == own);
        /* All understand what the others mean by true. */
        OK(MPI_Allreduce(&own, &result, 1, MPI_LOGICAL, ops[o], MPI_COMM_WORLD));
        CHECK(!result == (o == 2 && check_size % 2 == 0));
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    double out[3] = {check_rank, 1, 2}, in[3];
    int size, wide = check_rank % 2 == 0;
    if (wide)
        declare();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (argc > 1)
        MPI_Allreduce(out, in, 3, MPI_REAL, MPI_SUM, MPI_COMM_WORLD);
    OK(MPI_Type_size(MPI_REAL, &size));
    CHECK(size == (wide ? 8 : 4));
    OK(MPI_Type_size(MPI_2REAL, &size));
    CHECK(size == (wide ? 16 : 8));
    /* Single to single precision among the odd ranks, double to double among the even ones. */
    MPI_Comm alike;
    OK(MPI_Comm_split(MPI_COMM_WORLD, wide, check_rank, &alike));
    int members;
    OK(MPI_Comm_size(alike, &members));
    float single = 1, singles;
    OK(MPI_Allreduce(wide ? (void *)&out[1] : &single, wide ? (void *)in : &singles, 1, MPI_REAL, MPI_SUM, alike));
    CHECK(wide ? in[0] == members : singles == (float)members);
    OK(MPI_Comm_free(&alike));
    logicals();
    return check_end();
}
