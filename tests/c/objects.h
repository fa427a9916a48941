/* An object of each kind that a program makes, for the programs that convert handles. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "mpi_check.h"

struct objects {
    MPI_Comm comm;
    MPI_Group group; /* that of MPI_COMM_WORLD */
    MPI_Datatype type; /* three MPI_INT */
    MPI_Op op; /* adds MPI_INT */
    MPI_Errhandler errhandler;
    MPI_Info info; /* without keys */
    MPI_Session session;
};

/* Does something to the handle of each object. */
#define EACH_OBJECT(DO, objects)              \
    do {                                      \
        DO(Comm, (objects).comm);             \
        DO(Group, (objects).group);           \
        DO(Type, (objects).type);             \
        DO(Op, (objects).op);                 \
        DO(Errhandler, (objects).errhandler); \
        DO(Info, (objects).info);             \
        DO(Session, (objects).session);       \
    } while (0)

static void add_integers(void *in, void *inout, int *count, MPI_Datatype *type)
{
    CHECK(*type == MPI_INT);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void ignore_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

/* Makes the objects; the communicator is a duplicate of this one. */
static struct objects make_objects(MPI_Comm original)
{
    struct objects made;
    OK(MPI_Comm_dup(original, &made.comm));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &made.group));
    OK(MPI_Type_contiguous(3, MPI_INT, &made.type));
    OK(MPI_Op_create(add_integers, 1, &made.op));
    OK(MPI_Comm_create_errhandler(ignore_error, &made.errhandler));
    OK(MPI_Info_create(&made.info));
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &made.session));
    return made;
}

/* Frees all objects. */
static void free_objects(struct objects *made)
{
    OK(MPI_Session_finalize(&made->session));
    OK(MPI_Info_free(&made->info));
    OK(MPI_Errhandler_free(&made->errhandler));
    OK(MPI_Op_free(&made->op));
    OK(MPI_Type_free(&made->type));
    OK(MPI_Group_free(&made->group));
    OK(MPI_Comm_free(&made->comm));
}

#endif
