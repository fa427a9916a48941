/* The common parts of the MPI test programs: a check that names the rank and the place, and the end of a program. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_rank, check_size;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "rank %d: %s:%d: not so: %s\n", check_rank, __FILE__, __LINE__, #condition); \
            MPI_Abort(MPI_COMM_WORLD, 99);                                                      \
        }                                                                                       \
    } while (0)

#define OK(call) CHECK((call) == MPI_SUCCESS)

/* The call fails with a code of this class. */
#define FAILS(call, class)                                 \
    do {                                                   \
        int check_code = (call), check_class = -1;         \
        OK(MPI_Error_class(check_code, &check_class));     \
        CHECK(check_class == (class));                     \
    } while (0)

static inline void check_place(void)
{
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
}

static inline void check_begin(int *argc, char ***argv)
{
    OK(MPI_Init(argc, argv));
    check_place();
}

/* For programs several of whose threads call MPI at a time. */
static inline void check_begin_threads(int *argc, char ***argv)
{
    int provided;
    OK(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK(provided == MPI_THREAD_MULTIPLE);
    check_place();
}

static inline int check_end(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        printf("passed with %d ranks\n", check_size);
    OK(MPI_Finalize());
    return 0;
}

#endif
