/* Random views and accesses, checked against a model of the file in memory. All ranks draw the same numbers, so each
 * knows what all write. Arguments: the file, the seed, the number of rounds. */
#include "mpi_check.h"

#define SLOTS 96
#define TILES 5
#define ROOM (1 << 16)

static unsigned long long state;
static unsigned char model[ROOM], content[ROOM];
static long long end_of_model;

static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % below;
}

/* The byte that a rank writes at a place of its data. */
static unsigned char value(unsigned round, int rank, int place)
{
    return (unsigned char)(round * 37u + (unsigned)rank * 101u + (unsigned)place * 7u + 1u);
}

struct pattern {
    int etype_size;
    MPI_Datatype etype;
    int slots;             /* of a tile */
    int owner[SLOTS];      /* -1: nobody */
    MPI_Offset displacement;
    int tiles;
};

/* The etypes of a rank in a tile. */
static int share(const struct pattern *p, int rank)
{
    int count = 0;
    for (int slot = 0; slot < p->slots; slot++)
        count += p->owner[slot] == rank;
    return count;
}

static MPI_Datatype filetype_of(const struct pattern *p, int rank)
{
    int lengths[SLOTS], places[SLOTS], blocks = 0;
    for (int slot = 0; slot < p->slots; slot++) {
        if (p->owner[slot] != rank)
            continue;
        if (blocks && places[blocks - 1] + lengths[blocks - 1] == slot && draw(2))
            lengths[blocks - 1]++;
        else {
            places[blocks] = slot;
            lengths[blocks++] = 1;
        }
    }
    MPI_Datatype list, tile;
    OK(MPI_Type_indexed(blocks, lengths, places, p->etype, &list));
    OK(MPI_Type_create_resized(list, 0, (MPI_Aint)p->slots * p->etype_size, &tile));
    OK(MPI_Type_commit(&tile));
    OK(MPI_Type_free(&list));
    return tile;
}

static struct pattern draw_pattern(void)
{
    struct pattern p;
    MPI_Datatype of_size[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE};
    unsigned kind = draw(5);
    if (kind < 4) {
        p.etype_size = 1 << kind;
        OK(MPI_Type_dup(of_size[kind], &p.etype));
    } else {
        p.etype_size = 3;
        OK(MPI_Type_contiguous(3, MPI_CHAR, &p.etype));
    }
    OK(MPI_Type_commit(&p.etype));
    p.slots = check_size + (int)draw(SLOTS - (unsigned)check_size);
    int one = (int)draw(3) == 0;
    for (int slot = 0; slot < p.slots; slot++)
        p.owner[slot] = draw(4) == 0 ? -1 : one ? slot * check_size / p.slots : (int)draw((unsigned)check_size);
    /* Each rank has something. */
    for (int rank = 0; rank < check_size; rank++)
        p.owner[rank] = rank;
    p.displacement = draw(200);
    p.tiles = 1 + (int)draw(TILES);
    return p;
}

/* Where byte `place` of a rank's data lies in the file. */
static long long offset_of(const struct pattern *p, int rank, int place)
{
    int etype = place / p->etype_size, per_tile = share(p, rank), left = etype % per_tile, slot = 0;
    for (;; slot++)
        if (p->owner[slot] == rank && left-- == 0)
            break;
    return p->displacement + ((long long)(etype / per_tile) * p->slots + slot) * p->etype_size + place % p->etype_size;
}

static void write_model(const struct pattern *p, unsigned round, int rank, int first, int bytes)
{
    for (int place = 0; place < bytes; place++) {
        long long at = offset_of(p, rank, first + place);
        CHECK(at < ROOM);
        model[at] = value(round, rank, first + place);
        if (at >= end_of_model)
            end_of_model = at + 1;
    }
}

/* A buffer whose elements lie apart, if `stride` is more than the size of an etype. */
struct memory {
    unsigned char *bytes;
    int stride, count;
    MPI_Datatype type;
};

static struct memory memory_of(const struct pattern *p, int etypes, int apart)
{
    struct memory m = {NULL, p->etype_size + apart, etypes, MPI_DATATYPE_NULL};
    m.bytes = malloc((size_t)(m.stride * etypes + 1));
    memset(m.bytes, 0xee, (size_t)(m.stride * etypes + 1));
    OK(MPI_Type_create_resized(p->etype, 0, m.stride, &m.type));
    OK(MPI_Type_commit(&m.type));
    return m;
}

static unsigned char *byte_of(const struct pattern *p, struct memory m, int place)
{
    return m.bytes + place / p->etype_size * m.stride + place % p->etype_size;
}

static void free_memory(struct memory *m)
{
    OK(MPI_Type_free(&m->type));
    free(m->bytes);
}

static void check_status(MPI_Status *status, const struct pattern *p, int etypes)
{
    int got;
    OK(MPI_Get_count(status, p->etype, &got));
    CHECK(got == etypes);
}

static void access_file(MPI_File f, int writes, unsigned way, MPI_Offset at, struct memory m, MPI_Status *status)
{
    MPI_Request request;
    OK(MPI_File_seek(f, at, MPI_SEEK_SET));
    if (writes) {
        switch (way) {
        case 0: OK(MPI_File_write(f, m.bytes, m.count, m.type, status)); return;
        case 1: OK(MPI_File_write_at_c(f, at, m.bytes, m.count, m.type, status)); return;
        case 2: OK(MPI_File_write_all(f, m.bytes, m.count, m.type, status)); return;
        case 3: OK(MPI_File_write_at_all(f, at, m.bytes, m.count, m.type, status)); return;
        case 4: OK(MPI_File_iwrite(f, m.bytes, m.count, m.type, &request)); break;
        case 5: OK(MPI_File_iwrite_at(f, at, m.bytes, m.count, m.type, &request)); break;
        case 6: OK(MPI_File_iwrite_all(f, m.bytes, m.count, m.type, &request)); break;
        case 7: OK(MPI_File_iwrite_at_all(f, at, m.bytes, m.count, m.type, &request)); break;
        case 8:
            OK(MPI_File_write_all_begin(f, m.bytes, m.count, m.type));
            OK(MPI_File_write_all_end(f, m.bytes, status));
            return;
        default:
            OK(MPI_File_write_at_all_begin(f, at, m.bytes, m.count, m.type));
            OK(MPI_File_write_at_all_end(f, m.bytes, status));
            return;
        }
    } else {
        switch (way) {
        case 0: OK(MPI_File_read(f, m.bytes, m.count, m.type, status)); return;
        case 1: OK(MPI_File_read_at_c(f, at, m.bytes, m.count, m.type, status)); return;
        case 2: OK(MPI_File_read_all(f, m.bytes, m.count, m.type, status)); return;
        case 3: OK(MPI_File_read_at_all(f, at, m.bytes, m.count, m.type, status)); return;
        case 4: OK(MPI_File_iread(f, m.bytes, m.count, m.type, &request)); break;
        case 5: OK(MPI_File_iread_at(f, at, m.bytes, m.count, m.type, &request)); break;
        case 6: OK(MPI_File_iread_all(f, m.bytes, m.count, m.type, &request)); break;
        case 7: OK(MPI_File_iread_at_all(f, at, m.bytes, m.count, m.type, &request)); break;
        case 8:
            OK(MPI_File_read_all_begin(f, m.bytes, m.count, m.type));
            OK(MPI_File_read_all_end(f, m.bytes, status));
            return;
        default:
            OK(MPI_File_read_at_all_begin(f, at, m.bytes, m.count, m.type));
            OK(MPI_File_read_at_all_end(f, m.bytes, status));
            return;
        }
    }
    OK(MPI_Wait(&request, status));
}

static void check_content(const char *name)
{
    if (check_rank != 0)
        return;
    FILE *file = fopen(name, "rb");
    CHECK(file != NULL);
    size_t got = fread(content, 1, ROOM, file);
    fclose(file);
    CHECK((long long)got == end_of_model);
    for (long long at = 0; at < end_of_model; at++)
        if (content[at] != model[at]) {
            fprintf(stderr, "byte %lld is %d, not %d\n", at, content[at], model[at]);
            CHECK(content[at] == model[at]);
        }
}

/* Hints that change the way in which accesses reach the file, and nothing else. */
static void draw_hints(MPI_File f)
{
    const char *ways[] = {"automatic", "automatic", "enable", "disable"};
    const char *windows[] = {"1", "64", "256", "4096"};
    char nodes[16];
    MPI_Info info;
    snprintf(nodes, sizeof nodes, "%u", 1 + draw(4));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cb_nodes", nodes));
    OK(MPI_Info_set(info, "cb_buffer_size", windows[draw(4)]));
    OK(MPI_Info_set(info, "striping_unit", draw(2) ? "512" : "1"));
    OK(MPI_Info_set(info, "romio_cb_write", ways[draw(4)]));
    OK(MPI_Info_set(info, "romio_cb_read", ways[draw(4)]));
    OK(MPI_Info_set(info, "romio_ds_write", ways[draw(4)]));
    OK(MPI_Info_set(info, "romio_ds_read", ways[draw(4)]));
    OK(MPI_Info_set(info, "ind_wr_buffer_size", windows[draw(4)]));
    OK(MPI_Info_set(info, "ind_rd_buffer_size", windows[draw(4)]));
    OK(MPI_File_set_info(f, info));
    OK(MPI_Info_free(&info));
}

static void run_round(MPI_File f, const char *name, unsigned round)
{
    struct pattern p = draw_pattern();
    draw_hints(f);
    unsigned write_way = draw(10), read_way = draw(10);
    int apart = (int)draw(3) == 0 ? 1 + (int)draw(5) : 0, starts[SLOTS], lengths[SLOTS];
    /* Views are drawn by each rank alone, so the common numbers go on from here. */
    unsigned long long common = state;
    state ^= (unsigned long long)check_rank << 40;
    MPI_Datatype filetype = filetype_of(&p, check_rank);
    state = common;
    for (int rank = 0; rank < check_size; rank++) {
        int most = share(&p, rank) * p.tiles;
        starts[rank] = (int)draw((unsigned)most);
        lengths[rank] = (int)draw((unsigned)(most - starts[rank]) + 1);
        write_model(&p, round, rank, starts[rank] * p.etype_size, lengths[rank] * p.etype_size);
    }
    int start = starts[check_rank], etypes = lengths[check_rank];
    OK(MPI_File_set_view(f, p.displacement, p.etype, filetype, "native", MPI_INFO_NULL));
    OK(MPI_File_set_atomicity(f, round % 5 == 4));

    MPI_Status status;
    struct memory m = memory_of(&p, etypes, apart);
    for (int place = 0; place < etypes * p.etype_size; place++)
        *byte_of(&p, m, place) = value(round, check_rank, start * p.etype_size + place);
    access_file(f, 1, write_way, start, m, &status);
    check_status(&status, &p, etypes);
    if (write_way != 1 && write_way != 3 && write_way != 5 && write_way != 7 && write_way != 9) {
        MPI_Offset position;
        OK(MPI_File_get_position(f, &position));
        CHECK(position == start + etypes);
    }
    free_memory(&m);
    OK(MPI_File_sync(f));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check_content(name);

    m = memory_of(&p, etypes, apart ? 0 : 2);
    access_file(f, 0, read_way, start, m, &status);
    check_status(&status, &p, etypes);
    for (int place = 0; place < etypes * p.etype_size; place++)
        CHECK(*byte_of(&p, m, place) == value(round, check_rank, start * p.etype_size + place));
    CHECK(m.bytes[m.stride * etypes] == 0xee);
    free_memory(&m);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Type_free(&filetype));
    OK(MPI_Type_free(&p.etype));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 4);
    state = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
    unsigned rounds = (unsigned)atoi(argv[3]);
    MPI_File f;
    MPI_Info info;
    OK(MPI_Info_create(&info));
    /* Several hosts rewrite gaps if all of them have agreed to lock what they write. */
    OK(MPI_Info_set(info, "romio_ds_write", draw(4) ? "enable" : "automatic"));
    OK(MPI_File_open(MPI_COMM_WORLD, argv[1],
                     MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
    OK(MPI_Info_free(&info));
    for (unsigned round = 0; round < rounds; round++)
        run_round(f, argv[1], round);
    OK(MPI_File_close(&f));
    return check_end();
}
