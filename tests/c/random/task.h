/* One collective call, from the drawing of its arguments to the check of what it did. */
#ifndef TASK_H
#define TASK_H

#include "buffer.h"
#include "draw.h"
#include "element.h"
#include "layout.h"
#include "place.h"

/* How a collective is called. */
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

/* Pieces of a buffer, one for each peer or only one, and the arguments that describe them. */
struct parts {
    int n;
    struct buffer buffer;
    /* For each part: data units, distance from the origin in elements, and the seed of its data. */
    long *units, *starts;
    uint64_t *keys;
    /* One for all parts or one for each. */
    int own_layouts;
    struct layout *layouts;
    /* The address, and of each part items and distance, as both forms of a call want them. */
    void *address;
    int *counts, *displacements;
    MPI_Count *large_counts;
    MPI_Aint *large_displacements;
    MPI_Datatype *types;
};

struct task;

struct operation {
    const char *name;
    /* Defined on inter-communicators; has the form with large counts; is among neighbours. */
    int inter, large, neighbors;
    /* Draws arguments and makes buffers. */
    void (*prepare)(struct task *task);
    /* Writes data into the buffers, and what is expected of them. */
    void (*fill)(struct task *task);
    int (*call)(struct task *task);
    /* Frees what the call needs no more once it has been made. */
    void (*let_go)(struct task *task);
    void (*check)(struct task *task);
    void (*release)(struct task *task);
};

struct task {
    const struct operation *operation;
    const struct place *place;
    MPI_Comm comm;
    MPI_Request request;
    enum form form;
    int large, in_place;
    /* Decides the rest, alike for all ranks of the communicator; and how often it has been started. */
    uint64_t seed;
    int repetition;
    /* Bytes of data that a rank may have. */
    long limit;
    int root, root_side;
    struct parts gives, takes;
    /* For reductions: the number of elements of each vector, and which elements of the result are this rank's. */
    struct element element;
    enum op op;
    MPI_Op handle;
    long length, first, own;
    int *counts;
    MPI_Count *large_counts;
};

extern const struct operation moves[], reductions[];
extern const int move_count, reduction_count;

/* The seed of the data that one rank has for another, or for all (`to` is 0). */
static inline uint64_t task_key(const struct task *task, int from, int to)
{
    return mixed(mixed(mixed(task->seed, (uint64_t)task->repetition), (uint64_t)from), (uint64_t)to);
}

static inline int task_me(const struct task *task)
{
    return task->place->ids[task->place->rank];
}

static inline int task_is_root(const struct task *task)
{
    return task->place->side == task->root_side && task->place->rank == task->root;
}

/* Whether the root is among the ranks that this one exchanges data with. */
static inline int task_faces_root(const struct task *task)
{
    return !task->place->inter || task->place->side != task->root_side;
}

/* The world rank of the root, for a rank that faces it. */
static inline int task_root_id(const struct task *task)
{
    return task->place->peer_ids[task->root];
}

/* The root argument of this rank. */
static inline int task_root_argument(const struct task *task)
{
    if (task_faces_root(task))
        return task->root;
    return task_is_root(task) ? MPI_ROOT : MPI_PROC_NULL;
}

/* Calls a function in the form that the task has; the arguments before the communicator are in parentheses. */
#define TASK_CALL(task, NAME, INAME, arguments, large_arguments)                                             \
    switch ((task)->form) {                                                                                  \
    case BLOCKING:                                                                                           \
        return (task)->large ? MPI_##NAME##_c(OPEN large_arguments, (task)->comm)                            \
                             : MPI_##NAME(OPEN arguments, (task)->comm);                                     \
    case NONBLOCKING:                                                                                        \
        return (task)->large ? MPI_##INAME##_c(OPEN large_arguments, (task)->comm, &(task)->request)         \
                             : MPI_##INAME(OPEN arguments, (task)->comm, &(task)->request);                  \
    case PERSISTENT:                                                                                         \
        return (task)->large                                                                                 \
                   ? MPI_##NAME##_init_c(OPEN large_arguments, (task)->comm, MPI_INFO_NULL, &(task)->request) \
                   : MPI_##NAME##_init(OPEN arguments, (task)->comm, MPI_INFO_NULL, &(task)->request);       \
    default:                                                                                                 \
        return MPI_ERR_INTERN;                                                                               \
    }
#define OPEN(...) __VA_ARGS__

#endif
