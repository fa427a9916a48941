/* Control variables change what a rank does, performance variables count it, and both say what they are. */
#include "mpi_check.h"

static int cvar(const char *name)
{
    int index = -1;
    OK(MPI_T_cvar_get_index(name, &index));
    return index;
}

static int pvar(const char *name, int class)
{
    int index = -1;
    OK(MPI_T_pvar_get_index(name, class, &index));
    return index;
}

static unsigned long eager_limit(unsigned long set)
{
    MPI_T_cvar_handle handle;
    unsigned long before;
    int count;
    OK(MPI_T_cvar_handle_alloc(cvar("eager_limit"), NULL, &handle, &count));
    CHECK(count == 1);
    OK(MPI_T_cvar_read(handle, &before));
    OK(MPI_T_cvar_write(handle, &set));
    unsigned long now;
    OK(MPI_T_cvar_read(handle, &now));
    CHECK(now == set);
    unsigned long wrong = ~0ul;
    CHECK(MPI_T_cvar_write(handle, &wrong) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_write(handle, NULL) == MPI_T_ERR_INVALID);
    OK(MPI_T_cvar_handle_free(&handle));
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    CHECK(MPI_T_cvar_handle_free(&handle) == MPI_T_ERR_INVALID_HANDLE);
    return before;
}

static unsigned long processors(void)
{
    MPI_T_cvar_handle handle;
    unsigned long number;
    OK(MPI_T_cvar_handle_alloc(cvar("vps"), NULL, &handle, NULL));
    OK(MPI_T_cvar_read(handle, &number));
    OK(MPI_T_cvar_handle_free(&handle));
    return number;
}

/* Strings are cut to the room there is; the length says what they need. */
static void strings(void)
{
    int index = cvar("eager_limit"), full = -1, short_length = 4, verbosity, bind, scope;
    char name[64], cut[4] = "zzz";
    MPI_Datatype type;
    MPI_T_enum numbers;
    OK(MPI_T_cvar_get_info(index, NULL, &full, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(full == sizeof "eager_limit");
    full = 0;
    OK(MPI_T_cvar_get_info(index, name, &full, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(full == sizeof "eager_limit");
    OK(MPI_T_cvar_get_info(index, cut, &short_length, &verbosity, &type, &numbers, NULL, NULL, &bind, &scope));
    CHECK(strcmp(cut, "eag") == 0 && short_length == full);
    CHECK(verbosity == MPI_T_VERBOSITY_TUNER_BASIC && type == MPI_UNSIGNED_LONG && numbers == MPI_T_ENUM_NULL);
    CHECK(bind == MPI_T_BIND_NO_OBJECT && scope == MPI_T_SCOPE_LOCAL);
    OK(MPI_T_cvar_get_info(index, cut, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_cvar_get_index("no such name", &index) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_cvar_get_index(NULL, &index) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_cvar_get_num(NULL) == MPI_T_ERR_INVALID);
}

/* A constant cannot be changed; its numbers have names. */
static void fixed(void)
{
    MPI_T_cvar_handle handle;
    MPI_T_enum modes;
    int count, items, value = 7, length = 32, scope, mode;
    char name[32];
    unsigned long slots = 0;
    double timeout = -1;
    OK(MPI_T_cvar_get_info(cvar("mode"), NULL, NULL, NULL, NULL, &modes, NULL, NULL, NULL, &scope));
    CHECK(scope == MPI_T_SCOPE_READONLY && modes != MPI_T_ENUM_NULL);
    OK(MPI_T_enum_get_info(modes, &items, name, &length));
    CHECK(items == 3 && strcmp(name, "mode") == 0 && length == 5);
    length = 32;
    OK(MPI_T_enum_get_item(modes, 1, &value, name, &length));
    CHECK(value == 1 && strcmp(name, "threads") == 0 && length == 8);
    CHECK(MPI_T_enum_get_item(modes, 3, &value, name, &length) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &items, name, &length) == MPI_T_ERR_INVALID_HANDLE);

    OK(MPI_T_cvar_handle_alloc(cvar("mode"), NULL, &handle, &count));
    OK(MPI_T_cvar_read(handle, &mode));
    CHECK(0 <= mode && mode < items && MPI_T_cvar_write(handle, &mode) == MPI_T_ERR_CVAR_SET_NEVER);
    OK(MPI_T_cvar_handle_free(&handle));

    OK(MPI_T_cvar_handle_alloc(cvar("call_slots"), NULL, &handle, NULL));
    OK(MPI_T_cvar_read(handle, &slots));
    CHECK(slots > 0 && MPI_T_cvar_write(handle, &slots) == MPI_T_ERR_CVAR_SET_NEVER);
    OK(MPI_T_cvar_handle_free(&handle));

    OK(MPI_T_cvar_handle_alloc(cvar("timeout"), NULL, &handle, &count));
    OK(MPI_T_cvar_read(handle, &timeout));
    CHECK(timeout >= 0);
    OK(MPI_T_cvar_handle_free(&handle));
    CHECK(MPI_T_cvar_read(handle, &timeout) == MPI_T_ERR_INVALID_HANDLE);
}

/* A text is as many characters as it has, and a null character; NULL stands for the text that nobody has set. */
static void text(const char *told)
{
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    int index = cvar("collectives"), count = -1, scope;
    char value[256] = "?";
    OK(MPI_T_cvar_get_info(index, NULL, NULL, NULL, &type, NULL, NULL, NULL, NULL, &scope));
    CHECK(type == MPI_CHAR && scope == MPI_T_SCOPE_READONLY);
    OK(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    OK(MPI_T_cvar_read(handle, value));
    CHECK(count == (int)strlen(value) + 1 && strcmp(value, told ? told : "") == 0);
    CHECK(MPI_T_cvar_write(handle, value) == MPI_T_ERR_CVAR_SET_NEVER);
    CHECK(MPI_T_cvar_read(handle, NULL) == MPI_T_ERR_INVALID);
    OK(MPI_T_cvar_handle_free(&handle));
}

/* Every variable and event is in one category, and the root leads to all. */
static void categories(void)
{
    int categories, cvars, pvars, events, stamp = -1, sum[3] = {0, 0, 0}, below[16], root;
    OK(MPI_T_category_get_num(&categories));
    OK(MPI_T_cvar_get_num(&cvars));
    OK(MPI_T_pvar_get_num(&pvars));
    OK(MPI_T_event_get_num(&events));
    OK(MPI_T_category_changed(&stamp));
    CHECK(stamp == 0);
    OK(MPI_T_category_get_index("simurgh", &root));
    OK(MPI_T_category_get_categories(root, 16, below));
    for (int i = 0; i < categories; i++) {
        int own[3], children, again, length = 64, lists[3][256];
        char name[64], text[256];
        int text_length = sizeof text;
        OK(MPI_T_category_get_info(i, name, &length, text, &text_length, &own[0], &own[1], &children));
        OK(MPI_T_category_get_num_events(i, &own[2]));
        OK(MPI_T_category_get_index(name, &again));
        CHECK(again == i && (i == root) == (children > 0) && text[0] != '\0');
        CHECK(i != root || children == categories - 1);
        OK(MPI_T_category_get_cvars(i, 256, lists[0]));
        OK(MPI_T_category_get_pvars(i, 256, lists[1]));
        OK(MPI_T_category_get_events(i, 256, lists[2]));
        for (int kind = 0; kind < 3; kind++) {
            for (int k = 0; k < own[kind]; k++)
                sum[kind] += lists[kind][k] >= 0;
        }
    }
    CHECK(sum[0] == cvars && sum[1] == pvars && sum[2] == events);
    CHECK(MPI_T_category_get_cvars(categories, 1, below) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_category_get_index("nothing", &root) == MPI_T_ERR_INVALID_NAME);
}

static MPI_T_pvar_session session;

static MPI_T_pvar_handle handle_of(const char *name, int class, void *object, int values)
{
    MPI_T_pvar_handle handle;
    int count = -1;
    OK(MPI_T_pvar_handle_alloc(session, pvar(name, class), object, &handle, &count));
    CHECK(values < 0 || count == values);
    return handle;
}

static unsigned long value_of(MPI_T_pvar_handle handle)
{
    unsigned long value = ~0ul;
    OK(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/* Queues: what lies there, on a communicator and in all; the limit decides whether a send waits. */
static void queues(void)
{
    enum { LENGTH = 1000 };
    MPI_Comm other, self = MPI_COMM_SELF;
    MPI_Request requests[2];
    char data[LENGTH], room[LENGTH];
    int done;
    OK(MPI_Comm_dup(MPI_COMM_SELF, &other));
    MPI_T_pvar_handle length = handle_of("unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL, NULL, 1);
    MPI_T_pvar_handle most = handle_of("unexpected_recvq_length_max", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL, 1);
    MPI_T_pvar_handle bytes = handle_of("unexpected_recvq_bytes", MPI_T_PVAR_CLASS_LEVEL, NULL, 1);
    MPI_T_pvar_handle on_self = handle_of("comm_unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL, &self, 1);
    MPI_T_pvar_handle on_other = handle_of("comm_unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL, &other, 1);
    MPI_T_pvar_handle of_other = handle_of("comm_unexpected_recvq_bytes", MPI_T_PVAR_CLASS_LEVEL, &other, 1);
    MPI_T_pvar_handle posted = handle_of("posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL, NULL, 1);
    MPI_T_pvar_handle posted_on = handle_of("comm_posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL, &self, 1);
    memset(data, 5, sizeof data);
    unsigned long before = eager_limit(LENGTH - 1);
    OK(MPI_Isend(data, LENGTH, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]));
    OK(MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE));
    CHECK(!done); /* beyond the limit: it waits for its receive */
    CHECK(eager_limit(before) == LENGTH - 1);
    OK(MPI_Isend(data, LENGTH, MPI_CHAR, 0, 2, other, &requests[1]));
    OK(MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE));
    CHECK(done); /* within the limit: it was copied */
    CHECK(value_of(length) >= 2 && value_of(most) >= 2 && value_of(bytes) >= 2 * LENGTH);
    CHECK(value_of(on_self) == 1 && value_of(on_other) == 1 && value_of(of_other) == LENGTH);
    OK(MPI_Recv(room, LENGTH, MPI_CHAR, 0, 2, other, MPI_STATUS_IGNORE));
    CHECK(value_of(on_self) == 1 && value_of(on_other) == 0 && value_of(of_other) == 0);
    OK(MPI_Recv(room, LENGTH, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(value_of(on_self) == 0 && value_of(most) >= 2);

    OK(MPI_Irecv(room, LENGTH, MPI_CHAR, 0, 3, MPI_COMM_SELF, &requests[0]));
    CHECK(value_of(posted) >= 1 && value_of(posted_on) == 1);
    OK(MPI_Send(data, 1, MPI_CHAR, 0, 3, MPI_COMM_SELF));
    OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(value_of(posted_on) == 0);

    unsigned long zero = 0;
    CHECK(MPI_T_pvar_start(session, length) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_stop(session, length) == MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK(MPI_T_pvar_write(session, length, &zero) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_reset(session, length) == MPI_T_ERR_PVAR_NO_WRITE);
    CHECK(MPI_T_pvar_readreset(session, length, &zero) == MPI_T_ERR_PVAR_NO_ATOMIC);
    OK(MPI_T_pvar_handle_free(session, &on_other));
    CHECK(on_other == MPI_T_PVAR_HANDLE_NULL);
    CHECK(MPI_T_pvar_read(session, on_other, &zero) == MPI_T_ERR_INVALID_HANDLE);
    OK(MPI_Comm_free(&other));
    MPI_Comm null = MPI_COMM_NULL;
    int index = pvar("comm_posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL), count;
    CHECK(MPI_T_pvar_handle_alloc(session, index, &null, &on_other, &count) == MPI_T_ERR_INVALID);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &on_other, &count) == MPI_T_ERR_INVALID);
}

/* Counters: messages by size, waits, collectives; each handle starts from zero. */
static void counts(void)
{
    enum { CLASSES = 7, LARGE = 100000 };
    static char data[LARGE], room[LARGE];
    MPI_T_pvar_handle sent = handle_of("messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL, CLASSES);
    MPI_T_pvar_handle sent_bytes = handle_of("bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, NULL, CLASSES);
    MPI_T_pvar_handle got = handle_of("messages_received", MPI_T_PVAR_CLASS_COUNTER, NULL, CLASSES);
    MPI_T_pvar_handle got_bytes = handle_of("bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, NULL, CLASSES);
    MPI_T_pvar_handle unexpected = handle_of("unexpected_messages", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    MPI_T_pvar_handle barriers = handle_of("collectives_barrier", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    MPI_T_pvar_handle late = handle_of("collectives_barrier", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    MPI_T_pvar_handle blocked = handle_of("blocked_calls", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    MPI_T_pvar_handle time = handle_of("time_blocked", MPI_T_PVAR_CLASS_TIMER, NULL, 1);
    unsigned long values[CLASSES];
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;

    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(value_of(barriers) == 0); /* it was not started */
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_T_pvar_stop(session, late));
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_start(session, late));
    OK(MPI_T_pvar_start(session, late)); /* once more changes nothing */
    OK(MPI_Sendrecv(data, 3, MPI_CHAR, right, 1, room, LARGE, MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(data, 300, MPI_CHAR, right, 2, room, LARGE, MPI_CHAR, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(data, LARGE, MPI_CHAR, right, 3, room, LARGE, MPI_CHAR, left, 3, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    OK(MPI_Send(data, 5, MPI_CHAR, check_rank, 4, MPI_COMM_WORLD));
    OK(MPI_Recv(room, 5, MPI_CHAR, check_rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Barrier(MPI_COMM_WORLD));

    OK(MPI_T_pvar_read(session, sent, values));
    CHECK(values[0] == 2 && values[1] == 0 && values[2] == 1 && values[4] == 1 && values[6] == 0);
    OK(MPI_T_pvar_read(session, got, values));
    CHECK(values[0] == 2 && values[1] == 0 && values[2] == 1 && values[4] == 1 && values[6] == 0);
    OK(MPI_T_pvar_read(session, sent_bytes, values));
    CHECK(values[0] == 8 && values[2] == 300 && values[4] == LARGE);
    OK(MPI_T_pvar_readreset(session, got_bytes, values));
    CHECK(values[0] == 8 && values[2] == 300 && values[4] == LARGE);
    OK(MPI_T_pvar_read(session, got_bytes, values));
    CHECK(values[0] == 0 && values[2] == 0 && values[4] == 0);
    CHECK(value_of(unexpected) >= 1 && value_of(barriers) == 2 && value_of(late) == 1);
    CHECK((value_of(blocked) > 0) == (value_of(time) > 0));
    unsigned long forty = 40;
    OK(MPI_T_pvar_write(session, late, &forty));
    CHECK(value_of(late) == 40);

    /* A rank that waits for another is blocked. On one virtual processor, rank 0 gets to its receive when rank 1 lets
     * it run, before that one sends. */
    OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    if (check_size > 1 && check_rank == 0) {
        OK(MPI_Recv(room, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK((value_of(blocked) >= 1 && value_of(time) > 0) || processors() > 1);
    } else if (check_rank == 1) {
        for (int flag, i = 0; i < 100; i++)
            OK(MPI_Iprobe(0, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        OK(MPI_Ssend(data, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD));
    }
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
}

/* The number of ranks of this process. */
static unsigned long ranks_here(void)
{
    unsigned long counts[3];
    MPI_T_pvar_handle handle = handle_of("ranks_by_purpose", MPI_T_PVAR_CLASS_LEVEL, NULL, 3);
    OK(MPI_T_pvar_read(session, handle, counts));
    return counts[0] + counts[1] + counts[2];
}

/* Virtual processors: as many values as there are, and they grow. A rank that is alone need not switch. */
static void statistics(void)
{
    unsigned long vps = processors(), switches[64], before[64], grown = 0;
    double share[64];
    /* A rank that is a process runs on its program's threads. */
    if (vps == 0 && getenv("SIMURGH_RANK"))
        return;
    CHECK(vps >= 1 && vps <= 64);
    MPI_T_pvar_handle handle = handle_of("vp_switches", MPI_T_PVAR_CLASS_COUNTER, NULL, (int)vps);
    MPI_T_pvar_handle busy = handle_of("vp_compute_time", MPI_T_PVAR_CLASS_TIMER, NULL, (int)vps);
    MPI_T_pvar_handle used = handle_of("vp_utilisation", MPI_T_PVAR_CLASS_PERCENTAGE, NULL, (int)vps);
    OK(MPI_T_pvar_read(session, handle, before));
    OK(MPI_T_pvar_start(session, handle));
    OK(MPI_T_pvar_start(session, busy));
    for (int i = 0; i < 20; i++)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_T_pvar_read(session, handle, switches));
    for (unsigned long i = 0; i < vps; i++) {
        CHECK(before[i] == 0);
        grown += switches[i];
    }
    CHECK(ranks_here() == 1 || vps > 1 || grown > 0);
    OK(MPI_T_pvar_read(session, busy, switches));
    OK(MPI_T_pvar_read(session, used, share));
    for (unsigned long i = 0; i < vps; i++)
        CHECK(share[i] >= 0 && share[i] <= 1);
}

static void descriptions(void)
{
    int number, class, bind, readonly, continuous, atomic, length = 64, index, phase = -1;
    char name[64];
    MPI_Datatype type;
    MPI_T_enum states;
    OK(MPI_T_pvar_get_num(&number));
    OK(MPI_T_pvar_get_info(pvar("time_blocked", MPI_T_PVAR_CLASS_TIMER), name, &length, NULL, &class, &type, NULL, NULL,
                           NULL, &bind, &readonly, &continuous, &atomic));
    CHECK(strcmp(name, "time_blocked") == 0 && class == MPI_T_PVAR_CLASS_TIMER && type == MPI_UNSIGNED_LONG);
    CHECK(bind == MPI_T_BIND_NO_OBJECT && !readonly && !continuous && atomic);
    index = pvar("phase", MPI_T_PVAR_CLASS_STATE);
    OK(MPI_T_pvar_get_info(index, NULL, NULL, NULL, &class, &type, &states, NULL, NULL, NULL, &readonly, &continuous,
                           NULL));
    CHECK(type == MPI_INT && states != MPI_T_ENUM_NULL && readonly && continuous);
    MPI_T_pvar_handle handle = handle_of("phase", MPI_T_PVAR_CLASS_STATE, NULL, 1);
    OK(MPI_T_pvar_read(session, handle, &phase));
    length = 64;
    OK(MPI_T_enum_get_item(states, phase, NULL, name, &length));
    CHECK(strcmp(name, "active") == 0);
    CHECK(MPI_T_pvar_get_index("phase", MPI_T_PVAR_CLASS_TIMER, &index) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_pvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
          MPI_T_ERR_INVALID_INDEX);
}

int main(int argc, char **argv)
{
    int provided = -1, number;
    MPI_T_pvar_session other;
    MPI_T_pvar_handle handle;
    unsigned long value;
    CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)); /* before MPI_Init */
    CHECK(provided >= MPI_THREAD_SINGLE);
    OK(MPI_T_cvar_get_num(&number));
    check_begin(&argc, &argv);
    OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, NULL));
    if (argc > 1) { /* what mpiexec was told */
        unsigned long told = strtoul(argv[1], NULL, 10);
        CHECK(eager_limit(told) == told);
    }
    text(argc > 2 ? argv[2] : NULL);
    strings();
    fixed();
    categories();
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_T_pvar_session_create(&other));
    descriptions();
    queues();
    counts();
    statistics();
    handle = handle_of("blocked_calls", MPI_T_PVAR_CLASS_COUNTER, NULL, 1);
    CHECK(MPI_T_pvar_read(other, handle, &value) == MPI_T_ERR_INVALID_HANDLE);
    CHECK(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value) == MPI_T_ERR_INVALID_HANDLE);
    OK(MPI_T_pvar_session_free(&other));
    CHECK(other == MPI_T_PVAR_SESSION_NULL);
    CHECK(MPI_T_pvar_read(other, handle, &value) == MPI_T_ERR_INVALID_SESSION);
    OK(MPI_T_finalize());
    OK(MPI_T_pvar_read(session, handle, &value)); /* the first use goes on */
    OK(MPI_T_finalize());
    CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_T_ERR_NOT_INITIALIZED);
    int status = check_end();
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)); /* after MPI_Finalize */
    OK(MPI_T_cvar_get_num(&number));
    OK(MPI_T_finalize());
    return status;
}
