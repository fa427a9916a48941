/* The collectives that move data. */
#include "failure.h"
#include "parts.h"

#include <string.h>

/* Which rank has data for which. */
enum rooted { NOWHERE, ROOT_GIVES, ROOT_TAKES };
/* Parts of one size, parts of sizes of their own, and parts of datatypes of their own. */
enum sizes { EVEN, UNEVEN, MIXED };

struct shape {
    enum rooted rooted;
    /* A giver has another part for each rank; a taker gets a part from each. */
    int gives_each, takes_each;
    enum sizes sizes;
};

static const struct shape shapes[] = {
    {ROOT_GIVES, 0, 0, EVEN},   {ROOT_TAKES, 0, 1, EVEN}, {ROOT_TAKES, 0, 1, UNEVEN}, {ROOT_GIVES, 1, 0, EVEN},
    {ROOT_GIVES, 1, 0, UNEVEN}, {NOWHERE, 0, 1, EVEN},    {NOWHERE, 0, 1, UNEVEN},    {NOWHERE, 1, 1, EVEN},
    {NOWHERE, 1, 1, UNEVEN},    {NOWHERE, 1, 1, MIXED},   {NOWHERE, 0, 1, EVEN},    {NOWHERE, 0, 1, UNEVEN},
    {NOWHERE, 1, 1, EVEN},      {NOWHERE, 1, 1, UNEVEN},  {NOWHERE, 1, 1, MIXED},
};

static struct shape shape(const struct task *task)
{
    return shapes[task->operation - moves];
}

static int is_bcast(const struct task *task)
{
    return task->operation == moves;
}

/* MPI_IN_PLACE stands for the buffer that is given, or, where the root gives, for the one it would take from itself. */
static int in_place_here(const struct task *task)
{
    return task->in_place && (shape(task).rooted == NOWHERE || task_is_root(task));
}

/* The world ranks that get data from here, or whose data come here; and how many they are. */
static const int *peer_ids(const struct task *task, int giving)
{
    const struct place *place = task->place;
    if (!task->operation->neighbors)
        return place->peer_ids;
    return giving ? place->target_ids : place->source_ids;
}

static int peers(const struct task *task, int giving)
{
    const struct place *place = task->place;
    if (!task->operation->neighbors)
        return place->peers;
    return giving ? place->targets : place->sources;
}

static int gives(const struct task *task)
{
    switch (shape(task).rooted) {
    case ROOT_GIVES: return task_is_root(task);
    case ROOT_TAKES: return task_faces_root(task) && !in_place_here(task);
    default: return !task->in_place;
    }
}

static int takes(const struct task *task)
{
    switch (shape(task).rooted) {
    case ROOT_GIVES: return task_faces_root(task) && !in_place_here(task) && !(is_bcast(task) && task_is_root(task));
    case ROOT_TAKES: return task_is_root(task);
    default: return 1;
    }
}

/* Data units that go from one world rank to another. */
static long units(const struct task *task, int from, int to)
{
    struct shape s = shape(task);
    long ranks = task->place->size + task->place->peers;
    long most = task->limit / (s.gives_each || s.takes_each ? ranks : 1);
    uint64_t pair = 0;
    if (s.sizes != EVEN) {
        int low = s.rooted == ROOT_GIVES ? 0 : from, high = s.gives_each ? to : 0;
        /* A rank that works in place receives as much as it sends. */
        if (task->in_place && low > high) {
            int higher = low;
            low = high;
            high = higher;
        }
        pair = mixed((uint64_t)low, (uint64_t)high);
    }
    struct draw draw = {.seed = mixed(task->seed, pair)};
    return drawn_size(&draw, most / (MAX_WIDTH * 8));
}

static void make_parts(struct task *task, struct parts *parts, int each, int giving)
{
    struct shape s = shape(task);
    struct signature signature = signature_drawn(task->seed);
    int me = task_me(task);
    uint64_t mine = mixed(mixed(task->seed, (uint64_t)me), (uint64_t)giving);
    parts_make(parts, each ? peers(task, giving) : 1, s.sizes == MIXED);
    for (int i = 0; i < parts->n; i++) {
        int peer = each ? peer_ids(task, giving)[i] : !giving && s.rooted == ROOT_GIVES ? task_root_id(task) : 0;
        parts->units[i] = giving ? units(task, me, peer) : units(task, peer, me);
        if (i == 0 || parts->own_layouts)
            parts->layouts[i] = layout_drawn(signature, mixed(mine, (uint64_t)i));
    }
    parts_place(parts, mine, s.sizes == EVEN);
}

static void prepare(struct task *task)
{
    struct shape s = shape(task);
    if (is_bcast(task))
        task->in_place = 0;
    if (gives(task))
        make_parts(task, &task->gives, s.gives_each, 1);
    if (takes(task))
        make_parts(task, &task->takes, s.takes_each, 0);
}

/* The key of the data that a rank has for another. */
static uint64_t key(const struct task *task, int from, int to)
{
    return task_key(task, from, shape(task).gives_each ? to : 0);
}

static void fill(struct task *task)
{
    const struct place *place = task->place;
    struct parts *given = &task->gives, *taken = &task->takes;
    int me = task_me(task);
    buffer_clear(&given->buffer, task->seed);
    buffer_clear(&taken->buffer, task->seed + 1);
    for (int i = 0; i < given->n; i++)
        parts_write(given, i, key(task, me, shape(task).gives_each ? peer_ids(task, 1)[i] : 0), given->buffer.memory);
    for (int i = 0; i < taken->n && in_place_here(task); i++)
        if (shape(task).gives_each || place->peer_ids[i] == me)
            parts_write(taken, i, key(task, me, place->peer_ids[i]), taken->buffer.memory);
    buffer_expect_as_is(&given->buffer);
    buffer_expect_as_is(&taken->buffer);
    for (int i = 0; i < taken->n; i++) {
        int from = shape(task).takes_each ? peer_ids(task, 0)[i] : task_root_id(task);
        parts_write(taken, i, key(task, from, me), taken->buffer.expected);
    }
}

static void check(struct task *task)
{
    buffer_check(&task->gives.buffer, "send");
    buffer_check(&task->takes.buffer, "receive");
}

static void let_go(struct task *task)
{
    parts_forget_types(&task->gives);
    parts_forget_types(&task->takes);
}

static void release(struct task *task)
{
    parts_free(&task->gives);
    parts_free(&task->takes);
}

/* The arguments of parts that this rank has none of: the standard says that they mean nothing. */
static const int no_count = -3;

static void *address(const struct task *task, const struct parts *parts)
{
    if (parts->n > 0)
        return parts->address;
    int stands_in = parts == &task->takes ? shape(task).rooted == ROOT_GIVES : shape(task).rooted != ROOT_GIVES;
    return in_place_here(task) && stands_in ? MPI_IN_PLACE : NULL;
}

static int count(const struct parts *parts)
{
    return parts->n > 0 ? parts->counts[0] : no_count;
}

static MPI_Datatype type(const struct parts *parts)
{
    return parts->n > 0 ? parts->types[0] : MPI_DATATYPE_NULL;
}

#define GIVEN address(task, &task->gives), count(&task->gives), type(&task->gives)
#define TAKEN address(task, &task->takes), count(&task->takes), type(&task->takes)
#define GIVEN_V address(task, &task->gives), task->gives.counts, task->gives.displacements
#define TAKEN_V address(task, &task->takes), task->takes.counts, task->takes.displacements
#define GIVEN_LARGE_V address(task, &task->gives), task->gives.large_counts, task->gives.large_displacements
#define TAKEN_LARGE_V address(task, &task->takes), task->takes.large_counts, task->takes.large_displacements
#define ROOT task_root_argument(task)

static int bcast(struct task *task)
{
    const struct parts *parts = gives(task) ? &task->gives : &task->takes;
    /* Some MPIs look at these arguments where the root is MPI_PROC_NULL, too. */
    int n = parts->n > 0 ? parts->counts[0] : 0;
    MPI_Datatype base = parts->n > 0 ? parts->types[0] : MPI_BYTE;
    TASK_CALL(task, Bcast, Ibcast, (parts->address, n, base, ROOT), (parts->address, n, base, ROOT))
}

static int gather(struct task *task)
{
    TASK_CALL(task, Gather, Igather, (GIVEN, TAKEN, ROOT), (GIVEN, TAKEN, ROOT))
}

static int gatherv(struct task *task)
{
    TASK_CALL(task, Gatherv, Igatherv, (GIVEN, TAKEN_V, type(&task->takes), ROOT),
              (GIVEN, TAKEN_LARGE_V, type(&task->takes), ROOT))
}

static int scatter(struct task *task)
{
    TASK_CALL(task, Scatter, Iscatter, (GIVEN, TAKEN, ROOT), (GIVEN, TAKEN, ROOT))
}

static int scatterv(struct task *task)
{
    TASK_CALL(task, Scatterv, Iscatterv, (GIVEN_V, type(&task->gives), TAKEN, ROOT),
              (GIVEN_LARGE_V, type(&task->gives), TAKEN, ROOT))
}

static int allgather(struct task *task)
{
    TASK_CALL(task, Allgather, Iallgather, (GIVEN, TAKEN), (GIVEN, TAKEN))
}

static int allgatherv(struct task *task)
{
    TASK_CALL(task, Allgatherv, Iallgatherv, (GIVEN, TAKEN_V, type(&task->takes)),
              (GIVEN, TAKEN_LARGE_V, type(&task->takes)))
}

static int alltoall(struct task *task)
{
    TASK_CALL(task, Alltoall, Ialltoall, (GIVEN, TAKEN), (GIVEN, TAKEN))
}

static int alltoallv(struct task *task)
{
    TASK_CALL(task, Alltoallv, Ialltoallv, (GIVEN_V, type(&task->gives), TAKEN_V, type(&task->takes)),
              (GIVEN_LARGE_V, type(&task->gives), TAKEN_LARGE_V, type(&task->takes)))
}

static int alltoallw(struct task *task)
{
    TASK_CALL(task, Alltoallw, Ialltoallw, (GIVEN_V, task->gives.types, TAKEN_V, task->takes.types),
              (GIVEN_LARGE_V, task->gives.types, TAKEN_LARGE_V, task->takes.types))
}

/* The distances of parts with datatypes of their own: in bytes, in both forms of a call as in the large one. */
static int neighbor_alltoallw(struct task *task)
{
    const struct parts *given = &task->gives, *taken = &task->takes;
    TASK_CALL(task, Neighbor_alltoallw, Ineighbor_alltoallw,
              (given->address, given->counts, given->large_displacements, given->types, taken->address, taken->counts,
               taken->large_displacements, taken->types),
              (given->address, given->large_counts, given->large_displacements, given->types, taken->address,
               taken->large_counts, taken->large_displacements, taken->types))
}

static int neighbor_allgather(struct task *task)
{
    TASK_CALL(task, Neighbor_allgather, Ineighbor_allgather, (GIVEN, TAKEN), (GIVEN, TAKEN))
}

static int neighbor_allgatherv(struct task *task)
{
    TASK_CALL(task, Neighbor_allgatherv, Ineighbor_allgatherv, (GIVEN, TAKEN_V, type(&task->takes)),
              (GIVEN, TAKEN_LARGE_V, type(&task->takes)))
}

static int neighbor_alltoall(struct task *task)
{
    TASK_CALL(task, Neighbor_alltoall, Ineighbor_alltoall, (GIVEN, TAKEN), (GIVEN, TAKEN))
}

static int neighbor_alltoallv(struct task *task)
{
    TASK_CALL(task, Neighbor_alltoallv, Ineighbor_alltoallv, (GIVEN_V, type(&task->gives), TAKEN_V, type(&task->takes)),
              (GIVEN_LARGE_V, type(&task->gives), TAKEN_LARGE_V, type(&task->takes)))
}

#define MOVE(NAME) {#NAME, 1, 1, 0, prepare, fill, NAME, let_go, check, release}
#define NEIGHBOR_MOVE(NAME) {#NAME, 0, 1, 1, prepare, fill, NAME, let_go, check, release}

/* In the order of the shapes. */
const struct operation moves[] = {
    MOVE(bcast),     MOVE(gather),     MOVE(gatherv),  MOVE(scatter),   MOVE(scatterv),
    MOVE(allgather), MOVE(allgatherv), MOVE(alltoall), MOVE(alltoallv), MOVE(alltoallw),
    NEIGHBOR_MOVE(neighbor_allgather),  NEIGHBOR_MOVE(neighbor_allgatherv), NEIGHBOR_MOVE(neighbor_alltoall),
    NEIGHBOR_MOVE(neighbor_alltoallv),  NEIGHBOR_MOVE(neighbor_alltoallw),
};
const int move_count = sizeof moves / sizeof *moves;
