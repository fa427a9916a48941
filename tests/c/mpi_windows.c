/* Windows: all ways to make them, and random epochs of all kinds against a model that every rank computes by itself.
 * Argument: the seed. */
#include "window_model.h"

static void attributes(MPI_Win win, void *base, MPI_Aint size, int unit, int flavor)
{
    int flag, length;
    void *address, *found;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &address, &flag));
    CHECK(flag && address == base);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &found, &flag));
    CHECK(flag && *(MPI_Aint *)found == size);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &found, &flag));
    CHECK(flag && *(int *)found == unit);
    OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &found, &flag));
    CHECK(flag && *(int *)found == flavor);
    OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &found, &flag));
    CHECK(flag && *(int *)found == MPI_WIN_UNIFIED);
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 0);
    OK(MPI_Win_set_name(win, "a window"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK(length == 8 && strcmp(name, "a window") == 0);
    CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
    CHECK(MPI_Win_toint(MPI_WIN_NULL) == MPI_Win_toint(MPI_Win_fromint(-1)));
    CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
}

/* Windows of all kinds whose memory is there. */
static void made(void)
{
    int64_t *base;
    MPI_Win win;
    MPI_Aint bytes = words * (MPI_Aint)sizeof *base, size, unit;
    int small;
    void *address;
    CHECK((base = malloc((size_t)bytes)));
    OK(MPI_Win_create(base, bytes, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attributes(win, base, bytes, sizeof *base, MPI_WIN_FLAVOR_CREATE);
    random_epochs(win, base);
    OK(MPI_Win_shared_query(win, check_rank, &size, &small, &address));
    CHECK(size == bytes && small == sizeof *base && address == base);
    OK(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL);
    free(base);
    OK(MPI_Win_allocate(bytes, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    attributes(win, base, bytes, sizeof *base, MPI_WIN_FLAVOR_ALLOCATE);
    random_epochs(win, base);
    OK(MPI_Win_shared_query_c(win, check_rank, &size, &unit, &address));
    CHECK(size == bytes && unit == sizeof *base && address == base);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_create_c(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate_c(100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_free(&win));
}

/* Memory to which all ranks of the node have direct access. */
static void shared(void)
{
    MPI_Comm node;
    MPI_Win win;
    MPI_Info info;
    int64_t *base, *other, *before = NULL;
    int rank, size, unit;
    MPI_Aint bytes;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    OK(MPI_Comm_rank(node, &rank));
    OK(MPI_Comm_size(node, &size));
    for (int apart = 0; apart < 2; apart++) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "alloc_shared_noncontig", apart ? "true" : "false"));
        MPI_Aint count = 3 + rank;
        if (apart)
            OK(MPI_Win_allocate_shared_c(count * 8, 8, info, node, &base, &win));
        else
            OK(MPI_Win_allocate_shared(count * 8, 8, info, node, &base, &win));
        OK(MPI_Info_free(&info));
        OK(MPI_Win_lock_all(0, win));
        for (int i = 0; i < count; i++)
            base[i] = rank * 100 + i;
        OK(MPI_Win_sync(win));
        OK(MPI_Barrier(node));
        OK(MPI_Win_sync(win));
        for (int r = 0; r < size; r++) {
            OK(MPI_Win_shared_query(win, r, &bytes, &unit, &other));
            CHECK(bytes == (3 + r) * 8 && unit == 8);
            CHECK(apart || r == 0 || other == before + 3 + r - 1);
            for (int i = 0; i < 3 + r; i++)
                CHECK(other[i] == r * 100 + i);
            before = other;
        }
        OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &other));
        CHECK(bytes == 24 && other[1] == 1);
        /* Stores, and atomic updates by all. */
        OK(MPI_Barrier(node));
        int64_t one = 1;
        for (int i = 0; i < 1000; i++)
            OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 2, 1, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Win_unlock_all(win));
        OK(MPI_Barrier(node));
        OK(MPI_Win_shared_query(win, 0, &bytes, &unit, &other));
        CHECK(other[2] == 2 + 1000 * size);
        OK(MPI_Win_free(&win));
    }
    OK(MPI_Comm_free(&node));
}

/* Memory that is attached when it is needed. */
static void dynamic(void)
{
    MPI_Win win;
    int64_t memory[40], out[10], in[10];
    MPI_Aint address, *all;
    int next = (check_rank + 1) % check_size, code;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    attributes(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_attach(win, memory, sizeof memory));
    FAILS(MPI_Win_attach(win, memory + 10, 8), MPI_ERR_RMA_ATTACH);
    OK(MPI_Get_address(memory, &address));
    CHECK((all = malloc((size_t)check_size * sizeof *all)));
    OK(MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int i = 0; i < 10; i++)
        out[i] = check_rank * 50 + i;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, 10, MPI_INT64_T, next, all[next] + 80, 10, MPI_INT64_T, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(in, 10, MPI_INT64_T, next, all[next] + 80, 10, MPI_INT64_T, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < 10; i++)
        CHECK(in[i] == out[i] && memory[10 + i] == (check_rank + check_size - 1) % check_size * 50 + i);
    /* Beyond what is attached: nothing is touched, and the origin hears of it by the next flush at the latest. */
    memory[39] = -7;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    code = MPI_Put(out, 2, MPI_INT64_T, next, all[next] + 39 * 8, 2, MPI_INT64_T, win);
    if (code == MPI_SUCCESS)
        code = MPI_Win_flush(next, win);
    FAILS(code, MPI_ERR_RMA_RANGE);
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(memory[39] == -7);
    OK(MPI_Win_detach(win, memory));
    FAILS(MPI_Win_detach(win, memory), MPI_ERR_RMA_ATTACH);
    FAILS(MPI_Win_shared_query(win, 0, &address, &code, &all), MPI_ERR_RMA_FLAVOR);
    free(all);
    OK(MPI_Win_free(&win));
}

/* All ranks at one memory: atomic updates, values of any size, mutual exclusion by locks. */
static void contention(void)
{
    enum { TIMES = 60 };
    struct { double value; int index; } best = {check_rank, check_rank}, found = {-1, -1}, *top;
    int64_t *base, one = 1, got, sum = 0;
    long double part = 0.5L, *total;
    MPI_Win win, other;
    OK(MPI_Win_allocate(check_rank ? 0 : 128, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    if (check_rank == 0) {
        memset(base, 0, 128);
        top = (void *)(base + 4);
        top->value = -1;
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int i = 0; i < TIMES; i++) {
        OK(MPI_Fetch_and_op(&one, &got, MPI_INT64_T, 0, 0, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        sum += got;
        OK(MPI_Accumulate(&part, 1, MPI_LONG_DOUBLE, 0, 16, 1, MPI_LONG_DOUBLE, MPI_SUM, win));
        /* At an address that is no multiple of its size. */
        OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, 100, 1, MPI_INT64_T, MPI_SUM, win));
    }
    OK(MPI_Accumulate(&best, 1, MPI_DOUBLE_INT, 0, 32, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win));
    OK(MPI_Win_flush_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &found, 1, MPI_DOUBLE_INT, 0, 32, 1, MPI_DOUBLE_INT, MPI_NO_OP,
                          win));
    OK(MPI_Fetch_and_op(NULL, &got, MPI_INT64_T, 0, 100, MPI_NO_OP, win));
    OK(MPI_Win_flush_local_all(win));
    CHECK(found.value == check_size - 1 && found.index == check_size - 1);
    CHECK(got == TIMES * check_size);
    OK(MPI_Win_unlock_all(win));
    int64_t all = TIMES * check_size, both = 0;
    OK(MPI_Allreduce(&sum, &both, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    CHECK(both == all * (all - 1) / 2);
    if (check_rank == 0) {
        total = (void *)(base + 2);
        CHECK(*total == 0.5L * TIMES * check_size);
    }
    /* Read, add and write under an exclusive lock; and a lock of another window at the same time. */
    int64_t cell = 0;
    OK(MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    for (int i = 0; i < TIMES; i++) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, check_size - 1, 0, other));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Get(&got, 1, MPI_INT64_T, 0, 64, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush_local(0, win));
        got++;
        OK(MPI_Put(&got, 1, MPI_INT64_T, 0, 64, 1, MPI_INT64_T, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_unlock(check_size - 1, other));
    }
    OK(MPI_Win_free(&other));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(check_rank || base[8] == TIMES * check_size);
    OK(MPI_Win_free(&win));
}

/* All ranks add to the same small elements: to many at a time, to some that begin and end anywhere, and to one. */
static void small_elements(void)
{
    enum { BYTES = 3000, TIMES = 5 };
    unsigned char *base, ones[BYTES], one = 1, got;
    short *shorts, values[BYTES / 2];
    MPI_Win win;
    OK(MPI_Win_allocate(2 * BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    shorts = (short *)(base + BYTES);
    memset(base, 0, 2 * BYTES);
    memset(ones, 1, BYTES);
    for (int i = 0; i < BYTES / 2; i++)
        values[i] = 1;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < TIMES; i++) {
        int cut = 1 + (check_rank * 7 + i) % 300, half = cut / 2;
        OK(MPI_Accumulate(ones, cut, MPI_UNSIGNED_CHAR, 0, 0, cut, MPI_UNSIGNED_CHAR, MPI_SUM, win));
        int most = BYTES - 1 - cut;
        OK(MPI_Accumulate(ones, most, MPI_UNSIGNED_CHAR, 0, cut, most, MPI_UNSIGNED_CHAR, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &got, MPI_UNSIGNED_CHAR, 0, BYTES - 1, MPI_SUM, win));
        OK(MPI_Fetch_and_op(&one, &got, MPI_UNSIGNED_CHAR, 0, BYTES / 2, MPI_SUM, win));
        OK(MPI_Accumulate(values, half, MPI_SHORT, 0, BYTES, half, MPI_SHORT, MPI_SUM, win));
        int rest = BYTES / 2 - half;
        OK(MPI_Accumulate(values, rest, MPI_SHORT, 0, BYTES + half * 2, rest, MPI_SHORT, MPI_SUM, win));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; check_rank == 0 && i < BYTES; i++)
        CHECK(base[i] == (unsigned char)(TIMES * check_size * (i == BYTES / 2 ? 2 : 1)));
    for (int i = 0; check_rank == 0 && i < BYTES / 2; i++)
        CHECK(shorts[i] == TIMES * check_size);
    OK(MPI_Win_free(&win));
}

/* Long data, and the functions with large counts. */
static void large(void)
{
    enum { LONG = 40000 };
    int *base, *data, next = (check_rank + 1) % check_size, last = (check_rank + check_size - 1) % check_size;
    MPI_Win win;
    MPI_Request request;
    MPI_Datatype every_other;
    CHECK((data = malloc(LONG * sizeof *data)));
    OK(MPI_Win_allocate(LONG * (MPI_Aint)sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Type_vector(LONG / 2, 1, 2, MPI_INT, &every_other));
    OK(MPI_Type_commit(&every_other));
    for (int i = 0; i < LONG; i++) {
        data[i] = check_rank + i;
        base[i] = -1;
    }
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put_c(data, 1, every_other, next, 0, 1, every_other, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < LONG - 1; i++)
        CHECK(base[i] == (i % 2 ? -1 : last + i));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(data, LONG, MPI_INT, next, 0, LONG, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate_c(data, LONG, MPI_INT, next, 0, LONG, MPI_INT, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    memset(data, 0, LONG * sizeof *data);
    OK(MPI_Get_c(data, LONG, MPI_INT, next, 0, LONG, MPI_INT, win));
    OK(MPI_Win_fence(0, win));
    for (int i = 0; i < LONG; i++)
        CHECK(base[i] == 2 * (last + i) && data[i] == 2 * (check_rank + i));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    OK(MPI_Rget_accumulate_c(data, LONG, MPI_INT, base, 0, MPI_INT, MPI_PROC_NULL, 0, LONG, MPI_INT, MPI_SUM, win,
                             &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    int *old = malloc(LONG * sizeof *old);
    CHECK(old);
    OK(MPI_Get_accumulate_c(data, LONG, MPI_INT, old, LONG, MPI_INT, next, 0, LONG, MPI_INT, MPI_REPLACE, win));
    OK(MPI_Win_flush(next, win));
    for (int i = 0; i < LONG; i++)
        CHECK(old[i] == 2 * (check_rank + i));
    /* The requests say nothing of the target. */
    OK(MPI_Rput_c(data, 1, MPI_INT, next, 1, 1, MPI_INT, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(next, win));
    OK(MPI_Raccumulate_c(data, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_MAX, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(next, win));
    OK(MPI_Rget_c(old, LONG, MPI_INT, next, 0, LONG, MPI_INT, win, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < LONG; i++)
        CHECK(old[i] == (i == 1 ? data[0] : data[i]));
    OK(MPI_Win_unlock(next, win));
    OK(MPI_Type_free(&every_other));
    OK(MPI_Win_free(&win));
    free(old);
    free(data);
}

static int deleted, handled;

static int copy_nothing(MPI_Win win, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)win, (void)keyval, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int note_deleted(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)win, (void)keyval, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void note_error(MPI_Win *win, int *code, ...)
{
    int class;
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Error_class(*code, &class));
    OK(MPI_Win_get_name(*win, name, &class));
    handled++;
}

/* Keys, error handlers, hints. */
static void objects(void)
{
    int key, one = 5, flag, *found, length = 100;
    char text[100];
    MPI_Win win;
    MPI_Errhandler handler, got;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
    OK(MPI_Info_set(info, "unknown", "true"));
    OK(MPI_Win_create(NULL, 0, 1, info, MPI_COMM_WORLD, &win));
    OK(MPI_Info_set(info, "same_size", "true"));
    OK(MPI_Win_set_info(win, info));
    OK(MPI_Info_free(&info));
    OK(MPI_Win_get_info(win, &info));
    OK(MPI_Info_get_string(info, "accumulate_ops", &length, text, &flag));
    CHECK(flag && strcmp(text, "same_op") == 0);
    length = 100;
    OK(MPI_Info_get_string(info, "same_size", &length, text, &flag));
    CHECK(flag && strcmp(text, "true") == 0);
    length = 100;
    OK(MPI_Info_get_string(info, "no_locks", &length, text, &flag));
    CHECK(flag && strcmp(text, "false") == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_Win_create_keyval(copy_nothing, note_deleted, &key, NULL));
    OK(MPI_Win_set_attr(win, key, &one));
    OK(MPI_Win_get_attr(win, key, &found, &flag));
    CHECK(flag && *found == 5);
    OK(MPI_Win_delete_attr(win, key));
    OK(MPI_Win_get_attr(win, key, &found, &flag));
    CHECK(!flag && deleted == 5);
    OK(MPI_Win_set_attr(win, key, &one));
    OK(MPI_Win_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);
    OK(MPI_Win_create_errhandler(note_error, &handler));
    OK(MPI_Win_set_errhandler(win, handler));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK(MPI_Win_unlock(0, win) != MPI_SUCCESS && handled == 2);
    OK(MPI_Win_free(&win));
    CHECK(deleted == 10);
}

/* Wrong calls change nothing, and say what was wrong. */
static void errors(void)
{
    int base[4] = {1, 2, 3, 4}, data[8] = {0}, flag;
    MPI_Win win, none;
    MPI_Group group, empty = MPI_GROUP_EMPTY;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_Win_create(base, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &none), MPI_ERR_SIZE);
    FAILS(MPI_Win_create(base, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &none), MPI_ERR_DISP);
    FAILS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    OK(MPI_Win_create(base, sizeof base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    FAILS(MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock(7, 0, 0, win), MPI_ERR_LOCKTYPE);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, check_size, 0, win), MPI_ERR_RANK);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
    FAILS(MPI_Win_attach(win, data, 4), MPI_ERR_RMA_FLAVOR);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_start(empty, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Put(data, 5, MPI_INT, check_rank, 0, 5, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(data, 1, MPI_INT, check_rank, -1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Get(data, 1, MPI_INT, check_rank, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Accumulate(data, 2, MPI_INT, check_rank, 3, 2, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(data, 2, MPI_INT, check_rank, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
    FAILS(MPI_Put(data, 1, MPI_INT, check_size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    FAILS(MPI_Put(data, -1, MPI_INT, check_rank, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    FAILS(MPI_Put(data, 1, MPI_DATATYPE_NULL, check_rank, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    FAILS(MPI_Accumulate(data, 1, MPI_INT, check_rank, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    FAILS(MPI_Compare_and_swap(data, data, data, MPI_DOUBLE, check_rank, 0, win), MPI_ERR_TYPE);
    OK(MPI_Put(data, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    OK(MPI_Put(data, 0, MPI_INT, check_rank, 0, 0, MPI_INT, win));
    OK(MPI_Win_unlock(check_rank, win));
    CHECK(base[0] == 1 && base[1] == 2 && base[2] == 3 && base[3] == 4);
    OK(MPI_Win_post(empty, 0, win));
    FAILS(MPI_Win_post(empty, 0, win), MPI_ERR_RMA_SYNC);
    OK(MPI_Win_start(empty, 0, win));
    OK(MPI_Win_complete(win));
    OK(MPI_Win_wait(win));
    OK(MPI_Group_free(&group));
    OK(MPI_Win_free(&win));
    FAILS(MPI_Win_free(&win), MPI_ERR_WIN);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* Locks and what they allow, right and wrong calls in any order, against a model of what the rank has locked. Nobody
 * waits, since all locks are shared. */
static void random_locks(void)
{
    enum { CALLS = 2000 };
    int64_t *base, value = check_rank;
    int locks = 0, has_all = 0, target, class;
    state += (uint64_t)check_rank * 77;
    char *has = calloc((size_t)check_size, 1);
    MPI_Win win;
    CHECK(has);
    OK(MPI_Win_allocate(check_size * (MPI_Aint)sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memset(base, 0, (size_t)check_size * sizeof *base);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int call = 0; call < CALLS; call++) {
        /* Most often of one rank, so that there are many epochs of one lock. */
        target = draw(3) ? 0 : (int)draw((unsigned)check_size);
        int open = has_all || has[target];
        switch (draw(9)) {
        case 0:
        case 1:
            OK(MPI_Error_class(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win), &class));
            CHECK(class == (open ? MPI_ERR_RMA_SYNC : MPI_SUCCESS));
            locks += !open;
            has[target] = has_all ? has[target] : 1;
            break;
        case 2:
        case 3:
            OK(MPI_Error_class(MPI_Win_unlock(target, win), &class));
            CHECK(class == (has[target] ? MPI_SUCCESS : MPI_ERR_RMA_SYNC));
            locks -= has[target];
            has[target] = 0;
            break;
        case 4:
            OK(MPI_Error_class(MPI_Win_flush(target, win), &class));
            CHECK(class == (open ? MPI_SUCCESS : MPI_ERR_RMA_SYNC));
            break;
        case 5:
            OK(MPI_Error_class(MPI_Win_lock_all(0, win), &class));
            CHECK(class == (locks || has_all ? MPI_ERR_RMA_SYNC : MPI_SUCCESS));
            has_all = has_all || !locks;
            break;
        case 6:
            OK(MPI_Error_class(MPI_Win_unlock_all(win), &class));
            CHECK(class == (has_all ? MPI_SUCCESS : MPI_ERR_RMA_SYNC));
            has_all = 0;
            break;
        case 7:
            OK(MPI_Error_class(MPI_Win_flush_all(win), &class));
            CHECK(class == (locks || has_all ? MPI_SUCCESS : MPI_ERR_RMA_SYNC));
            break;
        default:
            OK(MPI_Error_class(MPI_Put(&value, 1, MPI_INT64_T, target, check_rank, 1, MPI_INT64_T, win), &class));
            CHECK(class == (open ? MPI_SUCCESS : MPI_ERR_RMA_SYNC));
            if (open)
                OK(MPI_Win_flush(target, win));
        }
    }
    for (target = 0; target < check_size; target++)
        if (has[target])
            OK(MPI_Win_unlock(target, win));
    if (has_all)
        OK(MPI_Win_unlock_all(win));
    /* Nobody holds anything any more. */
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (target = 0; target < check_size; target++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        OK(MPI_Win_unlock(target, win));
    }
    OK(MPI_Win_free(&win));
    free(has);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 12345;
    words = check_size * SLOT + COMMON;
    CHECK((model = malloc((size_t)check_size * (size_t)words * sizeof *model)));
    made();
    shared();
    dynamic();
    contention();
    small_elements();
    large();
    objects();
    errors();
    random_locks();
    free(model);
    return check_end();
}
