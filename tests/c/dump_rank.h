/* Dumping the calling rank, and restoring it, by the control variable for that. */
#ifndef DUMP_RANK_H
#define DUMP_RANK_H

#include <mpi.h>
#include <stdlib.h>

static inline MPI_T_cvar_handle dump_control(const char *name)
{
    MPI_T_cvar_handle handle;
    int level, index, count;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) || MPI_T_cvar_get_index(name, &index) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count))
        abort();
    return handle;
}

static inline unsigned long control_value(const char *name)
{
    unsigned long value = 0;
    MPI_T_cvar_handle handle = dump_control(name);
    if (MPI_T_cvar_read(handle, &value) || MPI_T_cvar_handle_free(&handle) || MPI_T_finalize())
        abort();
    return value;
}

/* Gives the code of the call that dumps. */
static inline int dump_rank(unsigned long times)
{
    MPI_T_cvar_handle handle = dump_control("rank_dump");
    int code = MPI_T_cvar_write(handle, &times);
    if (MPI_T_cvar_handle_free(&handle) || MPI_T_finalize())
        abort();
    return code;
}

#endif
