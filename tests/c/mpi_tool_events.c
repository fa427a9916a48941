/* Events reach the callbacks of the rank that registered, with the right contents, and only those. */
#include "mpi_check.h"
#include <stddef.h>

enum { UNEXPECTED, MATCHED, RENDEZVOUS, BLOCKED, WOKEN, KINDS };
static const char *const names[KINDS] = {"message_unexpected", "message_matched", "rendezvous_started", "rank_blocked",
                                         "rank_woken"};

/* The layout of a message's event in memory, as its displacements say. */
struct message {
    int peer, tag, communicator;
    unsigned long bytes;
};

struct seen {
    int kind, times, freed;
    struct message last;
    MPI_Count time;
    MPI_T_event_registration registration;
};

static struct seen seen[KINDS];
static MPI_Count lost;

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                     void *user_data)
{
    struct seen *mine = user_data;
    int source = -1, first = -1;
    MPI_Count time;
    CHECK(registration == mine->registration && safety == MPI_T_CB_REQUIRE_NONE);
    OK(MPI_T_event_get_timestamp(instance, &time));
    CHECK(time >= mine->time);
    mine->time = time;
    OK(MPI_T_event_get_source(instance, &source));
    CHECK(source == 0);
    OK(MPI_T_event_read(instance, 0, &first));
    CHECK(MPI_T_event_read(instance, 9, &first) == MPI_T_ERR_INVALID_INDEX);
    if (mine->kind < BLOCKED) {
        OK(MPI_T_event_copy(instance, &mine->last));
        CHECK(mine->last.peer == first);
    } else {
        CHECK(first >= 0 && first < 3);
    }
    mine->times++;
    int flag; /* a callback may make calls, which deliver nothing meanwhile */
    OK(MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
}

static void on_drop(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety,
                    void *user_data)
{
    struct seen *mine = user_data;
    CHECK(registration == mine->registration && source == 0 && safety == MPI_T_CB_REQUIRE_NONE);
    lost += count;
}

static void on_free(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user_data)
{
    struct seen *mine = user_data;
    CHECK(registration == mine->registration && safety == MPI_T_CB_REQUIRE_NONE);
    mine->freed++;
}

static void describe(int kind)
{
    MPI_Datatype types[8];
    MPI_Aint places[8];
    MPI_T_enum elements;
    MPI_Info info = MPI_INFO_NULL;
    char name[64], text[256];
    int index, length = sizeof name, text_length = sizeof text, count = 8, verbosity, bind, items, keys = -1;
    OK(MPI_T_event_get_index(names[kind], &index));
    OK(MPI_T_event_get_info(index, name, &length, &verbosity, types, places, &count, &elements, &info, text,
                            &text_length, &bind));
    CHECK(strcmp(name, names[kind]) == 0 && bind == MPI_T_BIND_NO_OBJECT && text[0] != '\0');
    OK(MPI_Info_get_nkeys(info, &keys));
    CHECK(keys == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_T_enum_get_info(elements, &items, NULL, NULL));
    CHECK(items == count);
    if (kind < BLOCKED) {
        CHECK(count == 4 && types[0] == MPI_INT && types[3] == MPI_UNSIGNED_LONG);
        CHECK(places[0] == offsetof(struct message, peer) && places[1] == offsetof(struct message, tag));
        CHECK(places[3] == offsetof(struct message, bytes));
        length = sizeof name;
        OK(MPI_T_enum_get_item(elements, 1, NULL, name, &length));
        CHECK(strcmp(name, "tag") == 0);
    }
    count = 1; /* room for one only */
    types[1] = MPI_DATATYPE_NULL;
    OK(MPI_T_event_get_info(index, NULL, NULL, NULL, types, NULL, &count, NULL, NULL, NULL, NULL, NULL));
    CHECK(count == items && types[1] == MPI_DATATYPE_NULL);
}

static void sign_on(int kind)
{
    struct seen *mine = &seen[kind];
    MPI_Info info;
    int index, keys = -1;
    mine->kind = kind;
    OK(MPI_T_event_get_index(names[kind], &index));
    OK(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &mine->registration));
    OK(MPI_T_event_register_callback(mine->registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, mine,
                                     on_event));
    OK(MPI_T_event_set_dropped_handler(mine->registration, on_drop));
    OK(MPI_Info_create(&info));
    OK(MPI_T_event_handle_set_info(mine->registration, info));
    OK(MPI_T_event_callback_set_info(mine->registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, info));
    OK(MPI_Info_free(&info));
    OK(MPI_T_event_handle_get_info(mine->registration, &info));
    OK(MPI_Info_get_nkeys(info, &keys));
    CHECK(keys == 0);
    OK(MPI_Info_free(&info));
    OK(MPI_T_event_callback_get_info(mine->registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, &info));
    OK(MPI_Info_free(&info));
    CHECK(MPI_T_event_callback_get_info(mine->registration, MPI_T_CB_REQUIRE_NONE, &info) == MPI_T_ERR_INVALID);
}

static void sources(void)
{
    int count, length = 64;
    char name[64];
    MPI_T_source_order order;
    MPI_Count ticks, most, before = -1, after = -1;
    MPI_Info info;
    OK(MPI_T_source_get_num(&count));
    CHECK(count == 1);
    OK(MPI_T_source_get_info(0, name, &length, NULL, NULL, &order, &ticks, &most, &info));
    CHECK(strcmp(name, "rank") == 0 && order == MPI_T_SOURCE_ORDERED && ticks == 1000000000 && most > ticks);
    OK(MPI_Info_free(&info));
    OK(MPI_T_source_get_timestamp(0, &before));
    OK(MPI_T_source_get_timestamp(0, &after));
    CHECK(before >= 0 && after >= before);
    CHECK(MPI_T_source_get_timestamp(1, &after) == MPI_T_ERR_INVALID_INDEX);
    CHECK(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
}

int main(int argc, char **argv)
{
    enum { LARGE = 100000, MANY = 1500 };
    static char data[LARGE], room[LARGE];
    int number, index;
    MPI_T_event_registration registration;
    MPI_Request request;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &index));
    check_begin(&argc, &argv);
    sources();
    OK(MPI_T_event_get_num(&number));
    CHECK(number == KINDS);
    CHECK(MPI_T_event_get_index("no such event", &index) == MPI_T_ERR_INVALID_NAME);
    CHECK(MPI_T_event_handle_alloc(number, NULL, MPI_INFO_NULL, &registration) == MPI_T_ERR_INVALID_INDEX);
    for (int kind = 0; kind < KINDS; kind++) {
        describe(kind);
        sign_on(kind);
    }

    /* To oneself: everything is known. */
    struct message *found = &seen[UNEXPECTED].last, *met = &seen[MATCHED].last, *waits = &seen[RENDEZVOUS].last;
    OK(MPI_Send(data, 100, MPI_CHAR, 0, 11, MPI_COMM_SELF));
    CHECK(seen[UNEXPECTED].times == 1 && seen[MATCHED].times == 0 && seen[RENDEZVOUS].times == 0);
    CHECK(found->peer == 0 && found->tag == 11 && found->bytes == 100);
    OK(MPI_Recv(room, LARGE, MPI_CHAR, 0, 11, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(seen[UNEXPECTED].times == 1 && seen[MATCHED].times == 1 && met->tag == 11 && met->bytes == 100);
    OK(MPI_Irecv(room, LARGE, MPI_CHAR, 0, 12, MPI_COMM_SELF, &request));
    OK(MPI_Send(data, 7, MPI_CHAR, 0, 12, MPI_COMM_SELF));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(seen[UNEXPECTED].times == 1 && seen[MATCHED].times == 2 && met->tag == 12 && met->bytes == 7);
    OK(MPI_Isend(data, LARGE, MPI_CHAR, 0, 13, MPI_COMM_SELF, &request));
    CHECK(seen[RENDEZVOUS].times == 1 && waits->peer == check_rank && waits->tag == 13 && waits->bytes == LARGE);
    OK(MPI_Recv(room, LARGE, MPI_CHAR, 0, 13, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(seen[BLOCKED].times == 0 && seen[WOKEN].times == 0);

    /* From another rank, which does not know: the receiver is told of both ends of the match. */
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    int matched = seen[MATCHED].times;
    OK(MPI_Sendrecv(data, 20, MPI_CHAR, right, 21, room, LARGE, MPI_CHAR, left, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    /* Only this message is matched until the neighbour has passed the next barrier. */
    CHECK(seen[MATCHED].times == matched + 1 && met->peer == left && met->tag == 21 && met->bytes == 20);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(seen[BLOCKED].times == seen[WOKEN].times);

    /* A rank that comes first to a receive waits. */
    if (check_size > 1 && check_rank == 0) {
        int before = seen[WOKEN].times;
        OK(MPI_Recv(room, 1, MPI_CHAR, 1, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Recv(room, 1, MPI_CHAR, 1, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(seen[WOKEN].times >= before && seen[BLOCKED].times == seen[WOKEN].times);
    } else if (check_rank == 1) {
        OK(MPI_Ssend(data, 1, MPI_CHAR, 0, 22, MPI_COMM_WORLD));
        OK(MPI_Ssend(data, 1, MPI_CHAR, 0, 23, MPI_COMM_WORLD));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));

    /* Nobody who has taken the callback away is told any more. */
    OK(MPI_T_event_register_callback(seen[MATCHED].registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, NULL,
                                     NULL));
    matched = seen[MATCHED].times;
    OK(MPI_Send(data, 1, MPI_CHAR, 0, 31, MPI_COMM_SELF));
    OK(MPI_Recv(room, 1, MPI_CHAR, 0, 31, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(seen[MATCHED].times == matched);

    /* Events that do not fit between two calls of a rank are counted: rank 1 floods rank 0. When its last message has
     * come, all others have. */
    if (check_size > 1) {
        int times = seen[UNEXPECTED].times;
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; check_rank == 1 && i < MANY; i++)
            OK(MPI_Send(data, 1, MPI_CHAR, 0, 41, MPI_COMM_WORLD));
        if (check_rank == 1)
            OK(MPI_Send(data, 1, MPI_CHAR, 0, 42, MPI_COMM_WORLD));
        if (check_rank == 0)
            OK(MPI_Recv(room, 1, MPI_CHAR, 1, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; check_rank == 0 && i < MANY; i++)
            OK(MPI_Recv(room, 1, MPI_CHAR, 1, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (check_rank == 0)
            CHECK(seen[UNEXPECTED].times - times + lost >= MANY);
    }

    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int kind = 0; kind < KINDS; kind++) {
        int times = seen[kind].times;
        registration = seen[kind].registration;
        OK(MPI_T_event_handle_free(registration, &seen[kind], on_free));
        CHECK(seen[kind].freed == 1 && seen[kind].times == times);
        CHECK(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL) == MPI_T_ERR_INVALID_HANDLE);
    }
    int times = seen[UNEXPECTED].times;
    OK(MPI_Send(data, 1, MPI_CHAR, 0, 51, MPI_COMM_SELF));
    OK(MPI_Recv(room, 1, MPI_CHAR, 0, 51, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(seen[UNEXPECTED].times == times);
    OK(MPI_T_finalize());
    return check_end();
}
