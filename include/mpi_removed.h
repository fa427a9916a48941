/* What MPI has had and removed, for old programs: each use is a warning that says what to use instead.
 * Generated from the declarations in crates/mpi-abi/src; SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * mpi.h includes this header unless MPI_NO_REMOVED is defined. */
#ifndef SIMURGH_MPI_REMOVED_H
#define SIMURGH_MPI_REMOVED_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the program that the library calls */
typedef MPI_Comm_errhandler_function MPI_Handler_function;

/* Functions */
__attribute__((deprecated("removed from MPI: use MPI_Get_address")))
int MPI_Address(void *location,
                MPI_Aint *address);

__attribute__((deprecated("removed from MPI: use MPI_Comm_create_errhandler")))
int MPI_Errhandler_create(MPI_Comm_errhandler_function *comm_errhandler_fn,
                          MPI_Errhandler *errhandler);

__attribute__((deprecated("removed from MPI: use MPI_Comm_get_errhandler")))
int MPI_Errhandler_get(MPI_Comm comm,
                       MPI_Errhandler *errhandler);

__attribute__((deprecated("removed from MPI: use MPI_Comm_set_errhandler")))
int MPI_Errhandler_set(MPI_Comm comm,
                       MPI_Errhandler errhandler);

/**
 * `MPI_Type_extent`: the distance from one element to the next.
 */
__attribute__((deprecated("removed from MPI: use MPI_Type_get_extent")))
int MPI_Type_extent(MPI_Datatype datatype,
                    MPI_Aint *extent);

__attribute__((deprecated("removed from MPI: use MPI_Type_create_hindexed")))
int MPI_Type_hindexed(int count,
                      int *array_of_blocklengths,
                      MPI_Aint *array_of_displacements,
                      MPI_Datatype oldtype,
                      MPI_Datatype *newtype);

__attribute__((deprecated("removed from MPI: use MPI_Type_create_hvector")))
int MPI_Type_hvector(int count,
                     int blocklength,
                     MPI_Aint stride,
                     MPI_Datatype oldtype,
                     MPI_Datatype *newtype);

/**
 * `MPI_Type_lb`: the lower bound.
 */
__attribute__((deprecated("removed from MPI: use MPI_Type_get_extent")))
int MPI_Type_lb(MPI_Datatype datatype,
                MPI_Aint *displacement);

__attribute__((deprecated("removed from MPI: use MPI_Type_create_struct")))
int MPI_Type_struct(int count,
                    int *array_of_blocklengths,
                    MPI_Aint *array_of_displacements,
                    MPI_Datatype *array_of_types,
                    MPI_Datatype *newtype);

/**
 * `MPI_Type_ub`: the upper bound.
 */
__attribute__((deprecated("removed from MPI: use MPI_Type_get_extent")))
int MPI_Type_ub(MPI_Datatype datatype,
                MPI_Aint *displacement);

/* The same functions, for tools */
__attribute__((deprecated("removed from MPI: use PMPI_Get_address")))
int PMPI_Address(void *location,
                 MPI_Aint *address);

__attribute__((deprecated("removed from MPI: use PMPI_Comm_create_errhandler")))
int PMPI_Errhandler_create(MPI_Comm_errhandler_function *comm_errhandler_fn,
                           MPI_Errhandler *errhandler);

__attribute__((deprecated("removed from MPI: use PMPI_Comm_get_errhandler")))
int PMPI_Errhandler_get(MPI_Comm comm,
                        MPI_Errhandler *errhandler);

__attribute__((deprecated("removed from MPI: use PMPI_Comm_set_errhandler")))
int PMPI_Errhandler_set(MPI_Comm comm,
                        MPI_Errhandler errhandler);

__attribute__((deprecated("removed from MPI: use PMPI_Type_get_extent")))
int PMPI_Type_extent(MPI_Datatype datatype,
                     MPI_Aint *extent);

__attribute__((deprecated("removed from MPI: use PMPI_Type_create_hindexed")))
int PMPI_Type_hindexed(int count,
                       int *array_of_blocklengths,
                       MPI_Aint *array_of_displacements,
                       MPI_Datatype oldtype,
                       MPI_Datatype *newtype);

__attribute__((deprecated("removed from MPI: use PMPI_Type_create_hvector")))
int PMPI_Type_hvector(int count,
                      int blocklength,
                      MPI_Aint stride,
                      MPI_Datatype oldtype,
                      MPI_Datatype *newtype);

__attribute__((deprecated("removed from MPI: use PMPI_Type_get_extent")))
int PMPI_Type_lb(MPI_Datatype datatype,
                 MPI_Aint *displacement);

__attribute__((deprecated("removed from MPI: use PMPI_Type_create_struct")))
int PMPI_Type_struct(int count,
                     int *array_of_blocklengths,
                     MPI_Aint *array_of_displacements,
                     MPI_Datatype *array_of_types,
                     MPI_Datatype *newtype);

__attribute__((deprecated("removed from MPI: use PMPI_Type_get_extent")))
int PMPI_Type_ub(MPI_Datatype datatype,
                 MPI_Aint *displacement);

#ifdef __cplusplus
}
#endif

#endif /* SIMURGH_MPI_REMOVED_H */
