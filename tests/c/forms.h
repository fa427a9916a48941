/* Collectives in all forms, each completed at once, for tests of what they do. */
#ifndef FORMS_H
#define FORMS_H

#include "mpi_check.h"

/* How the test calls collectives. */
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static enum form form;

/* Calls a collective and completes it; a persistent one twice. */
#define CALL(Name, name, ...)                                                    \
    do {                                                                         \
        MPI_Request request;                                                     \
        switch (form) {                                                          \
        case BLOCKING:                                                           \
            OK(MPI_##Name(__VA_ARGS__));                                         \
            break;                                                               \
        case NONBLOCKING:                                                        \
            OK(MPI_I##name(__VA_ARGS__, &request));                              \
            OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                           \
            break;                                                               \
        default:                                                                 \
            OK(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request));         \
            for (int start = 0; start < 2; start++) {                            \
                OK(MPI_Start(&request));                                         \
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                       \
            }                                                                    \
            OK(MPI_Request_free(&request));                                      \
        }                                                                        \
    } while (0)

#endif
