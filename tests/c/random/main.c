/* Random collectives: operations, forms of the call, communicators, roots, sizes, datatypes, in place or not, any
 * number under way, all checked byte by byte against what the plainest code says.
 *
 *   main SEED ROUNDS [FIRST [FORMS [PLACES]]]
 *
 * All follows from the seed. A failure names the seed and the round: `main SEED 1 ROUND` runs that round alone. FORMS
 * is 1 for blocking calls only, 2 for nonblocking ones too, 3, as if not given, for all. PLACES is how many of the
 * communicators take part, of which the inter-communicators are the last.
 */
#include "failure.h"
#include "task.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TASKS = 8, MOST_STARTS = 3 };

static struct place places[PLACES];
static int forms = FORMS, kinds = PLACES, rank, size;

static const struct operation *operation_drawn(struct draw *draw)
{
    int which = drawn_below(draw, move_count + reduction_count);
    return which < move_count ? &moves[which] : &reductions[which - move_count];
}

/* A task whose arguments all ranks of its communicator draw alike. */
static void task_draw(struct task *task, uint64_t seed, long limit)
{
    struct draw common = {.seed = seed};
    const struct place *place = &places[drawn_below(&common, kinds)];
    const struct operation *operation = operation_drawn(&common);
    if (place->comm == MPI_COMM_NULL || (place->inter && !operation->inter))
        place = &places[0];
    struct draw draw = {.seed = mixed(seed, place->colour)};
    *task = (struct task){
        .operation = operation,
        .place = place,
        .comm = operation->neighbors ? place->graph : place->comm,
        .request = MPI_REQUEST_NULL,
        .form = (enum form)drawn_below(&common, forms),
        .limit = limit,
        .large = operation->large && drawn_rarely(&common, 2),
        .in_place = !place->inter && !operation->neighbors && drawn_rarely(&draw, 3),
        .root_side = place->inter ? drawn_below(&draw, 2) : place->side,
        .seed = mixed(seed, place->colour),
    };
    int roots = place->side == task->root_side ? place->size : place->peers;
    task->root = (int)(drawn(&draw) % (uint64_t)roots);
}

static void task_at(const struct task *task, const char *step, uint64_t seed, long round, int number)
{
    static const char *const names[] = {"blocking", "nonblocking", "persistent"};
    const struct place *place = task->place;
    failure_at("seed %ld, round %ld, call %d, %s: %s %s%s on %s (%s%d ranks, this is %d of %d), root %d, %s%ld %s",
               (long)seed, round, number, step, names[task->form], task->operation->name, task->large ? "_c" : "",
               place->name, place->inter ? "inter, " : "", place->peers, place->rank, place->size, task->root,
               task->in_place ? "in place, " : "", task->length, task->element.name ? task->element.name : "");
}

/* Calls it. Handles it was called with may go at once, unless it is still to be started again and again. */
static void task_begin(struct task *task, struct draw *draw)
{
    task->operation->prepare(task);
    task->operation->fill(task);
    int freed = task->form == NONBLOCKING && drawn_rarely(draw, 3);
    if (freed)
        OK(MPI_Comm_dup(task->comm, &task->comm));
    OK(task->operation->call(task));
    if (task->form == PERSISTENT)
        OK(MPI_Start(&task->request));
    if (freed)
        OK(MPI_Comm_free(&task->comm));
    if (drawn_rarely(draw, 2))
        task->operation->let_go(task);
}

/* Waits for all requests, each rank in a manner and an order of its own. */
static void complete(MPI_Request *requests, int count, struct draw *draw)
{
    int index, done, indices[MOST_TASKS];
    switch (drawn_below(draw, 5)) {
    case 0:
        OK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
        break;
    case 1:
        for (index = 0; index != MPI_UNDEFINED;)
            OK(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
        break;
    case 2:
        for (done = 0; done != MPI_UNDEFINED;)
            OK(MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE));
        break;
    case 3:
        for (int k = 0, turn = drawn_below(draw, count); k < count; k++)
            OK(MPI_Wait(&requests[(k + turn) % count], MPI_STATUS_IGNORE));
        break;
    default:
        for (int k = count - 1; k >= 0; k--)
            for (done = 0; !done;)
                OK(MPI_Test(&requests[k], &done, MPI_STATUS_IGNORE));
        break;
    }
}

/* Starts persistent tasks anew, with other data, and completes them. */
static void again(struct task *tasks, int count, uint64_t seed, long round, struct draw *own)
{
    MPI_Request requests[MOST_TASKS];
    int started[MOST_TASKS], active = 0;
    for (int i = 0; i < count; i++) {
        struct task *task = &tasks[i];
        if (task->form != PERSISTENT)
            continue;
        task_at(task, "starting again", seed, round, i);
        task->repetition++;
        task->operation->fill(task);
        OK(MPI_Start(&task->request));
        started[active] = i;
        requests[active++] = task->request;
    }
    if (active == 0)
        return;
    complete(requests, active, own);
    for (int k = 0; k < active; k++) {
        task_at(&tasks[started[k]], "checking again", seed, round, started[k]);
        tasks[started[k]].operation->check(&tasks[started[k]]);
    }
}

static void run_round(uint64_t seed, long round)
{
    uint64_t key = mixed(seed, (uint64_t)round);
    struct draw draw = {.seed = key}, own = {.seed = mixed(key, (uint64_t)rank)};
    struct task tasks[MOST_TASKS];
    MPI_Request requests[MOST_TASKS];
    int count = 1 + drawn_below(&draw, MOST_TASKS), starts = drawn_below(&draw, MOST_STARTS);
    /* Now and then a large one; together they take no more than the small ones. */
    long total = drawn_rarely(&draw, 12) ? 1L << 22 : 1L << 16;
    for (int i = 0; i < count; i++) {
        task_draw(&tasks[i], mixed(key, (uint64_t)i), total);
        task_at(&tasks[i], "calling", seed, round, i);
        task_begin(&tasks[i], &draw);
        requests[i] = tasks[i].request;
    }
    failure_at("seed %ld, round %ld, completing", (long)seed, round);
    complete(requests, count, &own);
    for (int i = 0; i < count; i++) {
        task_at(&tasks[i], "checking", seed, round, i);
        tasks[i].operation->check(&tasks[i]);
    }
    for (int k = 0; k < starts; k++)
        again(tasks, count, seed, round, &own);
    for (int i = 0; i < count; i++) {
        if (tasks[i].form == PERSISTENT)
            OK(MPI_Request_free(&tasks[i].request));
        tasks[i].operation->release(&tasks[i]);
    }
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (argc < 3)
        failure("give a seed and a number of rounds");
    uint64_t seed = strtoull(argv[1], NULL, 10);
    long rounds = atol(argv[2]), first = argc > 3 ? atol(argv[3]) : 0;
    if (argc > 4)
        forms = atoi(argv[4]);
    if (argc > 5)
        kinds = atoi(argv[5]);
    places_make(places, seed);
    for (long round = first; round < first + rounds; round++)
        run_round(seed, round);
    places_free(places);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        printf("passed with %d ranks\n", size);
    OK(MPI_Finalize());
    return 0;
}
