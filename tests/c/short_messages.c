/* Messages of all sizes in random order and of all modes, from many ranks to many: short ones may take another way than
 * long ones, and may find their receiver at work, asleep, or looking. Those of one sender come in order.
 *
 * Arguments: the seed, and the number of rounds.
 */
#include "mpi_check.h"
#include "random/draw.h"

enum { MOST = 24, LONGEST = 70000, WITHDRAWN = 9, BESIDES = 8, LENGTHS = 3 };

static const int SIZES[] = {0, 1, 8, 40, 41, 56, 57, 96, 97, 200, 264, 512, 513, 2048, 2049, 5000, LONGEST};
enum { KINDS = sizeof SIZES / sizeof *SIZES };

static uint64_t seed;

/* The messages of a round from one rank to another: both draw the same. */
struct stream {
    int count, sizes[MOST], tags[MOST];
};

static struct stream stream_of(int round, int from, int to)
{
    struct stream stream;
    struct draw draw = {mixed(mixed(seed, round), mixed(from, to)), 0};
    stream.count = drawn_below(&draw, MOST + 1);
    for (int i = 0; i < stream.count; i++) {
        stream.sizes[i] = SIZES[drawn_below(&draw, drawn_rarely(&draw, 3) ? KINDS : KINDS - 4)];
        stream.tags[i] = drawn_below(&draw, 2);
    }
    return stream;
}

static unsigned char content(int round, int number, int place)
{
    return (unsigned char)(round * 31 + number * 7 + place + (place >> 8));
}

/* Computes for a moment, long enough now and then for others to fall asleep. */
static void compute(struct draw *draw)
{
    double end = MPI_Wtime() + (drawn_rarely(draw, 8) ? 2e-4 : 2e-6) * drawn_below(draw, 3);
    while (MPI_Wtime() < end)
        ;
}

static void send_all(int round, int to, struct draw *draw)
{
    struct stream stream = stream_of(round, check_rank, to);
    MPI_Request requests[MOST];
    unsigned char *data[MOST];
    for (int i = 0; i < stream.count; i++) {
        int size = stream.sizes[i], tag = stream.tags[i];
        data[i] = malloc(size + 1);
        for (int k = 0; k < size; k++)
            data[i][k] = content(round, i, k);
        requests[i] = MPI_REQUEST_NULL;
        if (drawn_rarely(draw, 4))
            compute(draw);
        switch (drawn_below(draw, 6)) {
        case 0:
            OK(MPI_Issend(data[i], size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests[i]));
            break;
        case 1:
            OK(MPI_Bsend(data[i], size, MPI_BYTE, to, tag, MPI_COMM_WORLD));
            break;
        case 2:
            if (size < 1000) {
                OK(MPI_Send(data[i], size, MPI_BYTE, to, tag, MPI_COMM_WORLD));
                break;
            }
            /* fall through */
        case 3:
            if (size < 1000) {
                OK(MPI_Sendrecv(data[i], size, MPI_BYTE, to, tag, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
                break;
            }
            /* fall through */
        default:
            OK(MPI_Isend(data[i], size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &requests[i]));
        }
    }
    OK(MPI_Waitall(stream.count, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < stream.count; i++)
        free(data[i]);
}

/* The next message of a stream with this tag, or with any, that has not been received. */
static int next_of(const struct stream *stream, const int *taken, int tag)
{
    for (int i = 0; i < stream->count; i++)
        if (!taken[i] && (tag == MPI_ANY_TAG || stream->tags[i] == tag))
            return i;
    return -1;
}

static void check_message(int round, const struct stream *stream, int number, const unsigned char *data,
                          MPI_Status *status)
{
    int bytes;
    OK(MPI_Get_count(status, MPI_BYTE, &bytes));
    CHECK(bytes == stream->sizes[number] && status->MPI_TAG == stream->tags[number]);
    for (int k = 0; k < bytes; k++)
        CHECK(data[k] == content(round, number, k));
    CHECK(data[bytes] == 0xee);
}

/* Receives one message of a rank, or of any, in one of many ways. */
static void receive_one(int round, struct stream *streams, int (*taken)[MOST], int from, struct draw *draw)
{
    static unsigned char data[LONGEST + 1];
    memset(data, 0xee, sizeof data);
    int tag = drawn_rarely(draw, 2) ? MPI_ANY_TAG : drawn_below(draw, 2), flag = 0;
    if (next_of(&streams[from], taken[from], tag) < 0)
        tag = MPI_ANY_TAG;
    /* From any rank only with any tag: there may be no other message with this one. */
    int source = tag == MPI_ANY_TAG && drawn_rarely(draw, 3) ? MPI_ANY_SOURCE : from;
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    switch (drawn_below(draw, 5)) {
    case 0:
        OK(MPI_Recv(data, LONGEST, MPI_BYTE, source, tag, MPI_COMM_WORLD, &status));
        break;
    case 1:
        OK(MPI_Probe(source, tag, MPI_COMM_WORLD, &status));
        OK(MPI_Recv(data, LONGEST, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status));
        break;
    case 2:
        while (!flag)
            OK(MPI_Improbe(source, tag, MPI_COMM_WORLD, &flag, &message, &status));
        OK(MPI_Mrecv(data, LONGEST, MPI_BYTE, &message, &status));
        break;
    case 3:
        OK(MPI_Irecv(data, LONGEST, MPI_BYTE, source, tag, MPI_COMM_WORLD, &request));
        compute(draw);
        while (!flag)
            OK(MPI_Test(&request, &flag, &status));
        break;
    default:
        OK(MPI_Irecv(data, LONGEST, MPI_BYTE, source, tag, MPI_COMM_WORLD, &request));
        OK(MPI_Wait(&request, &status));
    }
    from = status.MPI_SOURCE;
    int number = next_of(&streams[from], taken[from], tag);
    CHECK(number >= 0);
    check_message(round, &streams[from], number, data, &status);
    taken[from][number] = 1;
}

/* Receives all messages of the ranks of the other parity, in random order. */
static void receive_all(int round, struct draw *draw)
{
    struct stream *streams = calloc(check_size, sizeof *streams);
    int(*taken)[MOST] = calloc(check_size, sizeof *taken);
    for (int from = !(check_rank % 2); from < check_size; from += 2)
        streams[from] = stream_of(round, from, check_rank);
    for (;;) {
        int first = drawn_below(draw, check_size), from = -1;
        for (int i = 0; i < check_size && from < 0; i++)
            if (next_of(&streams[(first + i) % check_size], taken[(first + i) % check_size], MPI_ANY_TAG) >= 0)
                from = (first + i) % check_size;
        if (from < 0)
            break;
        receive_one(round, streams, taken, from, draw);
    }
    free(streams);
    free(taken);
}

/* A message that nobody has received can be taken back, and those beside it come. */
static void withdraw(int round)
{
    static const int LENGTH[LENGTHS] = {1, 50, 500};
    int mate = check_rank ^ 1, length = LENGTH[round % LENGTHS], got[500], sent[3][500], cancelled;
    if (mate >= check_size)
        return;
    for (int i = 0; i < length; i++) {
        sent[0][i] = 1 - round;
        sent[1][i] = round + i;
        sent[2][i] = -round;
    }
    if (check_rank % 2) {
        OK(MPI_Recv(got, length, MPI_INT, mate, BESIDES, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got[length - 1] == -round);
        OK(MPI_Recv(got, length, MPI_INT, mate, WITHDRAWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(got[length - 1] == round + length - 1);
        return;
    }
    MPI_Request requests[3];
    MPI_Status statuses[3];
    OK(MPI_Isend(sent[0], length, MPI_INT, mate, WITHDRAWN, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(sent[1], length, MPI_INT, mate, WITHDRAWN, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Cancel(&requests[0]));
    OK(MPI_Isend(sent[2], length, MPI_INT, mate, BESIDES, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Waitall(3, requests, statuses));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Test_cancelled(&statuses[i], &cancelled));
        CHECK(cancelled == (i == 0));
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 3);
    seed = strtoull(argv[1], NULL, 10);
    int rounds = atoi(argv[2]), size = MOST * (LONGEST + MPI_BSEND_OVERHEAD) * check_size;
    void *buffer = malloc(size);
    OK(MPI_Buffer_attach(buffer, size));
    struct draw draw = {mixed(seed, check_rank), 0};
    for (int round = 0; round < rounds; round++) {
        if ((round + check_rank) % 2)
            receive_all(round, &draw);
        else
            for (int to = !(check_rank % 2); to < check_size; to += 2)
                send_all(round, to, &draw);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        withdraw(round);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Buffer_detach(&buffer, &size));
    free(buffer);
    return check_end();
}
