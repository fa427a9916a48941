/* Random epochs of a window, against a model that every rank computes by itself. */
#ifndef WINDOW_MODEL_H
#define WINDOW_MODEL_H

#include "mpi_check.h"
#include <stdint.h>

enum { SLOT = 96, ROUNDS = 24, OPS = 6, COMMON = 8 };

static uint64_t state;

/* The same numbers at all ranks. */
static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* Each rank has a slot for each origin, and elements for the sums of all. */
static int words;
static int64_t *model, *mine;

static int64_t *of(int target)
{
    return model + (size_t)target * words;
}

enum kind { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH, SWAP, KINDS };

/* An operation: `count` elements, `stride` apart at the target, from `at` on. */
struct operation {
    int kind, origin, target, at, count, stride, seed;
    int64_t got[SLOT];
    int64_t expected[SLOT];
};

static int64_t value(int seed, int index)
{
    return (int64_t)seed * 1000003 + index * 17 + 1;
}

static void do_model(struct operation *op)
{
    int64_t *memory = of(op->target) + op->at;
    for (int i = 0; i < op->count; i++) {
        int64_t *element = memory + i * op->stride;
        op->expected[i] = *element;
        if (op->kind == PUT)
            *element = value(op->seed, i);
        else if (op->kind == ACCUMULATE || op->kind == GET_ACCUMULATE || op->kind == FETCH)
            *element += value(op->seed, i);
        else if (op->kind == SWAP && *element == 0)
            *element = value(op->seed, i);
    }
}

static void issue(struct operation *op, MPI_Win win, int with_requests, MPI_Request *request)
{
    static int64_t data[OPS][SLOT];
    static int used;
    static const int64_t zero = 0;
    int64_t *out = data[used++ % OPS];
    MPI_Datatype type;
    for (int i = 0; i < op->count; i++)
        out[i] = value(op->seed, i);
    OK(MPI_Type_vector(op->count, 1, op->stride, MPI_INT64_T, &type));
    OK(MPI_Type_commit(&type));
    *request = MPI_REQUEST_NULL;
    switch (op->kind) {
    case PUT:
        if (with_requests)
            OK(MPI_Rput(out, op->count, MPI_INT64_T, op->target, op->at, 1, type, win, request));
        else
            OK(MPI_Put(out, op->count, MPI_INT64_T, op->target, op->at, 1, type, win));
        break;
    case GET:
        if (with_requests)
            OK(MPI_Rget(op->got, op->count, MPI_INT64_T, op->target, op->at, 1, type, win, request));
        else
            OK(MPI_Get(op->got, op->count, MPI_INT64_T, op->target, op->at, 1, type, win));
        break;
    case ACCUMULATE:
        if (with_requests)
            OK(MPI_Raccumulate(out, op->count, MPI_INT64_T, op->target, op->at, 1, type, MPI_SUM, win, request));
        else
            OK(MPI_Accumulate(out, op->count, MPI_INT64_T, op->target, op->at, 1, type, MPI_SUM, win));
        break;
    case GET_ACCUMULATE:
        if (with_requests)
            OK(MPI_Rget_accumulate(out, op->count, MPI_INT64_T, op->got, op->count, MPI_INT64_T, op->target, op->at, 1,
                                   type, MPI_SUM, win, request));
        else
            OK(MPI_Get_accumulate(out, op->count, MPI_INT64_T, op->got, op->count, MPI_INT64_T, op->target, op->at, 1,
                                  type, MPI_SUM, win));
        break;
    case FETCH:
        OK(MPI_Fetch_and_op(out, op->got, MPI_INT64_T, op->target, op->at, MPI_SUM, win));
        break;
    case SWAP:
        OK(MPI_Compare_and_swap(out, &zero, op->got, MPI_INT64_T, op->target, op->at, win));
        break;
    }
    OK(MPI_Type_free(&type));
}

enum epoch { FENCE, GENERAL, LOCK, LOCK_ALL, EPOCHS };

/* One round: each rank's operations, in its own slots of the targets, so that none conflict. */
static void play(MPI_Win win, MPI_Group everyone, int epoch, int round)
{
    static struct operation ops[OPS];
    int64_t sum[COMMON];
    int target = (check_rank + 1 + round) % check_size, with_requests = 0;
    unsigned common = draw(COMMON);
    uint64_t before = state;
    memset(ops, 0, sizeof ops);
    memset(sum, 0, sizeof sum);
    int passive = epoch == LOCK || epoch == LOCK_ALL;
    /* What all ranks do: the model needs it, in any order of the ranks. */
    for (int origin = 0; origin < check_size; origin++) {
        state = before + 77 * (unsigned)origin;
        int one = (origin + 1 + round) % check_size;
        with_requests = passive && draw(2);
        int free_from = 0;
        for (int i = 0; i < OPS; i++) {
            struct operation op = {.kind = (int)draw(KINDS), .origin = origin, .seed = round * 1000 + origin * 10 + i};
            op.target = epoch == LOCK ? one : (int)draw((unsigned)check_size);
            int single = op.kind == FETCH || op.kind == SWAP;
            op.count = single ? 1 : 1 + (int)draw(5);
            op.stride = 1 + (int)draw(3);
            op.at = origin * SLOT + free_from;
            free_from += op.count * op.stride;
            CHECK(free_from <= SLOT);
            do_model(&op);
            if (origin == check_rank)
                ops[i] = op;
        }
        of(one)[check_size * SLOT + common] += origin + 1;
    }
    state = before + 77 * (unsigned)check_rank;
    with_requests = passive && draw(2);
    state = before * 31 + 7;
    MPI_Request requests[OPS];
    switch (epoch) {
    case FENCE:
        OK(MPI_Win_fence(0, win));
        break;
    case GENERAL:
        OK(MPI_Win_post(everyone, 0, win));
        OK(MPI_Win_start(everyone, 0, win));
        break;
    case LOCK:
        OK(MPI_Win_lock(round % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
        break;
    default:
        OK(MPI_Win_lock_all(0, win));
    }
    for (int i = 0; i < OPS; i++)
        issue(&ops[i], win, with_requests, &requests[i]);
    int64_t more = check_rank + 1;
    OK(MPI_Accumulate(&more, 1, MPI_INT64_T, target, check_size * SLOT + (int)common, 1, MPI_INT64_T, MPI_SUM, win));
    if (with_requests)
        OK(MPI_Waitall(OPS, requests, MPI_STATUSES_IGNORE));
    switch (epoch) {
    case FENCE:
        OK(MPI_Win_fence(round % 2 ? MPI_MODE_NOSUCCEED : 0, win));
        break;
    case GENERAL:
        OK(MPI_Win_complete(win));
        if (round % 2) {
            OK(MPI_Win_wait(win));
        } else {
            for (int flag = 0; !flag;)
                OK(MPI_Win_test(win, &flag));
        }
        break;
    case LOCK:
        if (round % 3 == 0)
            OK(MPI_Win_flush(target, win));
        else if (round % 3 == 1)
            OK(MPI_Win_flush_local(target, win));
        OK(MPI_Win_unlock(target, win));
        break;
    default:
        if (round % 3 == 0)
            OK(MPI_Win_flush_all(win));
        else if (round % 3 == 1)
            OK(MPI_Win_flush_local_all(win));
        OK(MPI_Win_sync(win));
        OK(MPI_Win_unlock_all(win));
    }
    for (int i = 0; i < OPS; i++)
        if (ops[i].kind != PUT && ops[i].kind != ACCUMULATE)
            for (int j = 0; j < ops[i].count; j++)
                CHECK(ops[i].got[j] == ops[i].expected[j]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < words; i++)
        CHECK(mine[i] == of(check_rank)[i]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void random_epochs(MPI_Win win, int64_t *memory)
{
    MPI_Group everyone;
    mine = memory;
    memset(mine, 0, (size_t)words * sizeof *mine);
    memset(model, 0, (size_t)check_size * (size_t)words * sizeof *model);
    OK(MPI_Win_get_group(win, &everyone));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < ROUNDS; round++)
        play(win, everyone, (int)draw(EPOCHS), round);
    OK(MPI_Group_free(&everyone));
}

#endif
