/* The parts in C of a program in Fortran (tests/fortran/mixed_attributes.f90) that sets and gets attributes. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void c_make_key(int *key)
{
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0);
}

void c_set(int comm, int key, intptr_t address)
{
    MPI_Comm_set_attr(MPI_Comm_fromint(comm), key, (void *)address);
}

static void *get(int comm, int key)
{
    void *found;
    int flag;
    MPI_Comm_get_attr(MPI_Comm_fromint(comm), key, &found, &flag);
    if (!flag) {
        fprintf(stderr, "there is no attribute\n");
        abort();
    }
    return found;
}

intptr_t c_pointer(int comm, int key)
{
    return (intptr_t)get(comm, key);
}

intptr_t c_value(int comm, int key)
{
    return *(MPI_Aint *)get(comm, key);
}

int c_low_half(int comm, int key)
{
    return *(int *)get(comm, key);
}
