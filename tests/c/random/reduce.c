/* The collectives that combine data, and the barrier, which is one of nothing. */
#include "failure.h"
#include "task.h"

#include <stdlib.h>
#include <string.h>

static int is(const struct task *task, const char *name)
{
    return strcmp(task->operation->name, name) == 0;
}

static int takes(const struct task *task)
{
    return !is(task, "reduce") || task_is_root(task);
}

static int in_place_here(const struct task *task)
{
    return task->in_place && takes(task);
}

static int gives(const struct task *task)
{
    return !in_place_here(task) && (!is(task, "reduce") || task_faces_root(task));
}

/* A common multiple of the sizes of both groups: blocks of a vector have to come out even on both sides. */
static long common_multiple(long a, long b)
{
    long multiple = a;
    while (multiple % b != 0)
        multiple += a;
    return multiple;
}

/* How the vector is cut into blocks, one for each rank of the own group. */
static void cut(struct task *task)
{
    const struct place *place = task->place;
    struct draw draw = {.seed = mixed(task->seed, (uint64_t)place->side)};
    long left = task->length;
    task->counts = allocated(place->size * sizeof *task->counts);
    task->large_counts = allocated(place->size * sizeof *task->large_counts);
    for (int r = 0; r < place->size; r++) {
        long own = task->length / place->size;
        if (is(task, "reduce_scatter"))
            own = r == place->size - 1 ? left : drawn_rarely(&draw, 4) ? 0 : (long)(drawn(&draw) % (left + 1ul));
        if (r == place->rank) {
            task->first = task->length - left;
            task->own = own;
        }
        task->large_counts[r] = task->counts[r] = (int)own;
        left -= own;
    }
    if (is(task, "reduce_scatter_block"))
        task->first = place->rank * task->own;
}

static void make_buffer(struct buffer *buffer, const struct task *task, long length)
{
    *buffer = buffer_made(16, (size_t)length * task->element.extent + 16);
}

static void prepare(struct task *task)
{
    const struct place *place = task->place;
    struct draw draw = {.seed = task->seed};
    task->element = element_drawn(task->seed, &task->op);
    task->handle = op_handle(task->op);
    long most = task->limit / ((long)task->element.extent * (place->size + place->peers));
    task->length = drawn_size(&draw, most);
    if (is(task, "reduce_scatter_block"))
        task->length = (task->length + 63) / 64 * common_multiple(place->size, place->peers);
    task->own = task->length;
    if (is(task, "reduce_scatter") || is(task, "reduce_scatter_block"))
        cut(task);
    if (gives(task))
        make_buffer(&task->gives.buffer, task, task->length);
    if (takes(task))
        make_buffer(&task->takes.buffer, task, task->in_place ? task->length : task->own);
}

static char *at(const struct task *task, const struct buffer *buffer, char *memory, long i)
{
    return memory + buffer->origin + i * (long)task->element.extent;
}

/* Element i of the vector that a world rank has. */
static void value(const struct task *task, int rank, long i, void *where)
{
    task->element.value(task->op, mixed(task_key(task, rank, 0), (uint64_t)i), where);
}

/* The peers whose vectors are combined, beginning with the first: how many. */
static int combined(const struct task *task)
{
    if (is(task, "scan"))
        return task->place->rank + 1;
    return is(task, "exscan") ? task->place->rank : task->place->peers;
}

static void fill(struct task *task)
{
    struct buffer *given = &task->gives.buffer, *taken = &task->takes.buffer;
    buffer_clear(given, task->seed);
    buffer_clear(taken, task->seed + 1);
    struct buffer *own = in_place_here(task) ? taken : given;
    for (long i = 0; own->memory != NULL && i < task->length; i++)
        value(task, task_me(task), i, at(task, own, own->memory, i));
    buffer_expect_as_is(given);
    buffer_expect_as_is(taken);
    char next[64] __attribute__((aligned(16)));
    for (long i = 0; taken->memory != NULL && combined(task) > 0 && i < task->own; i++) {
        char *result = at(task, taken, taken->expected, i);
        value(task, task->place->peer_ids[0], task->first + i, result);
        for (int peer = 1; peer < combined(task); peer++) {
            value(task, task->place->peer_ids[peer], task->first + i, next);
            task->element.combine(task->op, result, next);
        }
    }
}

static void check(struct task *task)
{
    struct buffer *taken = &task->takes.buffer;
    buffer_check(&task->gives.buffer, "send");
    if (taken->memory == NULL)
        return;
    for (long i = 0; i < task->own; i++) {
        char *expected = at(task, taken, taken->expected, i), *actual = at(task, taken, taken->memory, i);
        /* Equal values may differ in padding and in the sign of zero. */
        if (task->element.same(actual, expected))
            memcpy(expected, actual, task->element.size);
    }
    if (task->in_place && task->own < task->length) {
        /* The data beyond the rank's own block may have been used. */
        long from = task->own, bytes = (task->length - from) * (long)task->element.extent;
        memcpy(at(task, taken, taken->expected, from), at(task, taken, taken->memory, from), bytes);
    }
    buffer_check(taken, "receive");
}

static void let_go(struct task *task)
{
    element_free(&task->element);
    if (!op_is_predefined(task->op) && task->handle != MPI_OP_NULL)
        OK(MPI_Op_free(&task->handle));
}

static void release(struct task *task)
{
    let_go(task);
    buffer_free(&task->gives.buffer);
    buffer_free(&task->takes.buffer);
    free(task->counts);
    free(task->large_counts);
}

static void *address(const struct task *task, const struct parts *parts)
{
    const struct buffer *buffer = &parts->buffer;
    if (buffer->memory == NULL)
        return in_place_here(task) && parts == &task->gives ? MPI_IN_PLACE : NULL;
    return buffer->memory + buffer->origin;
}

#define BUFFERS address(task, &task->gives), address(task, &task->takes)
#define WHOLE BUFFERS, task->length, task->element.type, task->handle

static int reduce(struct task *task)
{
    TASK_CALL(task, Reduce, Ireduce, (WHOLE, task_root_argument(task)), (WHOLE, task_root_argument(task)))
}

static int allreduce(struct task *task)
{
    TASK_CALL(task, Allreduce, Iallreduce, (WHOLE), (WHOLE))
}

static int scan(struct task *task)
{
    TASK_CALL(task, Scan, Iscan, (WHOLE), (WHOLE))
}

static int exscan(struct task *task)
{
    TASK_CALL(task, Exscan, Iexscan, (WHOLE), (WHOLE))
}

static int reduce_scatter(struct task *task)
{
    TASK_CALL(task, Reduce_scatter, Ireduce_scatter, (BUFFERS, task->counts, task->element.type, task->handle),
              (BUFFERS, task->large_counts, task->element.type, task->handle))
}

static int reduce_scatter_block(struct task *task)
{
    TASK_CALL(task, Reduce_scatter_block, Ireduce_scatter_block,
              (BUFFERS, task->own, task->element.type, task->handle),
              (BUFFERS, task->own, task->element.type, task->handle))
}

static void nothing(struct task *task)
{
    (void)task;
}

static int barrier(struct task *task)
{
    switch (task->form) {
    case BLOCKING: return MPI_Barrier(task->comm);
    case NONBLOCKING: return MPI_Ibarrier(task->comm, &task->request);
    default: return MPI_Barrier_init(task->comm, MPI_INFO_NULL, &task->request);
    }
}

#define REDUCTION(NAME, INTER) {#NAME, INTER, 1, 0, prepare, fill, NAME, let_go, check, release}

const struct operation reductions[] = {
    REDUCTION(reduce, 1),
    REDUCTION(allreduce, 1),
    REDUCTION(reduce_scatter, 1),
    REDUCTION(reduce_scatter_block, 1),
    REDUCTION(scan, 0),
    REDUCTION(exscan, 0),
    {"barrier", 1, 0, 0, nothing, nothing, barrier, nothing, nothing, nothing},
};
const int reduction_count = sizeof reductions / sizeof *reductions;
