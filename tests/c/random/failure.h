/* The report of a failure: the rank, the call, and how to repeat it. */
#ifndef FAILURE_H
#define FAILURE_H

#include <mpi.h>
#include <stddef.h>

/* The call being made or checked, for the message. */
void failure_at(const char *what, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong and ends the job. */
_Noreturn void failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define OK(call)                                              \
    do {                                                      \
        int ok_code = (call);                                 \
        if (ok_code != MPI_SUCCESS)                           \
            failure("%s returned error %d", #call, ok_code);  \
    } while (0)

/* Memory that is there. */
void *allocated(size_t bytes);

#endif
