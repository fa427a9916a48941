/* Files, in memory (/dev/shm) and on disk (/var/tmp): a keyword ends with the place. Rates are those of the whole job.
 *
 * "contiguous_write_PLACE BYTES MB_PER_S", "contiguous_read_PLACE ...": each rank has one piece of BYTES.
 * "system_write_PLACE BYTES MB_PER_S", "system_read_PLACE ...": the same pieces, by pwrite and pread.
 * "strided_write_PLACE BYTES MB_PER_S", "strided_read_PLACE ...": each rank has every n-th block of BYTES.
 * "alone_write_PLACE BYTES MB_PER_S", "alone_read_PLACE ...": the same blocks, which each rank moves by itself.
 * "spaced_write_PLACE BYTES MB_PER_S", "spaced_read_PLACE ...": all of them together, with a gap of BYTES behind each.
 * "square_write_PLACE BYTES MB_PER_S", "cube_write_PLACE ...": each rank has a block of an array of so many bytes.
 * "shared_PLACE BYTES NS": records at the shared file pointer, the time between records of the whole job.
 * "ordered_PLACE BYTES NS": the same in the order of ranks, collectively.
 * "records_PLACE BYTES NS": records that each rank writes by itself, one after the other.
 * "overlapped_PLACE BYTES PERCENT": rank 0 posts nonblocking writes of BYTES, up to 64, works as long as they take by
 * themselves, and waits for them. The share of that time in which it works: 100 if the writes cost it nothing, 50 if
 * nothing overlaps. Medians.
 * "posted_PLACE BYTES NS": the time of each of these writes, by themselves.
 *
 * Each of the others is the best of several batches, and what was written is checked. Arguments name the kinds to
 * measure ("strided", "records"): all if there are none.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chosen.h"

enum { BATCHES = 3, TOTAL = 16 << 20, FEW = 1 << 20, RECORDS = 200, RECORD = 64, WRITES = 64, TRIALS = 9 };

static const int BLOCKS[] = {8, 512, 65536};

static int rank, ranks;
static unsigned char *mine, *got;
static char path[256];
static MPI_File file;
static int descriptor;

static void stop(const char *reason)
{
    fprintf(stderr, "rank %d: %s\n", rank, reason);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void open_new(void)
{
    int code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                             MPI_INFO_NULL, &file);
    if (code != MPI_SUCCESS)
        stop("cannot open the file");
}

static void fill(size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        mine[i] = (unsigned char)(i * 7 + i / 251 + (size_t)rank * 31);
}

static void row(const char *kind, const char *place, int bytes, double value)
{
    if (rank == 0)
        printf("%s_%s %d %.1f\n", kind, place, bytes, value);
}

/* The time before all ranks begin. */
static double begun(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    return begin;
}

/* The seconds until all ranks have come here, as rank 0 sees it. */
static double since(double begin)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - begin;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return seconds;
}

/* How ranks reach the file: all together, each by itself, or without MPI. */
enum way { TOGETHER, ALONE, SYSTEM };

/* Writes this rank's part of a view, or reads it. */
static void move_part(enum way way, int writes, MPI_Offset first, size_t each)
{
    ssize_t done = (ssize_t)each;
    int count = (int)each;
    if (way == SYSTEM)
        done = writes ? pwrite(descriptor, mine, each, first) : pread(descriptor, got, each, first);
    else if (writes)
        (way == ALONE ? MPI_File_write_at : MPI_File_write_at_all)(file, 0, mine, count, MPI_BYTE, MPI_STATUS_IGNORE);
    else
        (way == ALONE ? MPI_File_read_at : MPI_File_read_at_all)(file, 0, got, count, MPI_BYTE, MPI_STATUS_IGNORE);
    if (done != (ssize_t)each)
        stop(writes ? "the system has written less" : "the system has read less");
}

/* All ranks write and read their parts of a view, of `each` bytes: MB/s. */
static void view(const char *kind, const char *place, enum way way, MPI_Datatype filetype, MPI_Offset first,
                 size_t each, int bytes)
{
    double best_write = 1e9, best_read = 1e9;
    char name[64];
    fill(each);
    for (int batch = 0; batch <= BATCHES; batch++) {
        int counts = batch > 0; /* the first one gets memory from the system */
        open_new();
        MPI_File_set_view(file, first, MPI_BYTE, filetype, "native", MPI_INFO_NULL);
        descriptor = open(path, O_RDWR);
        double begin = begun();
        move_part(way, 1, first, each);
        double seconds = since(begin);
        best_write = counts && seconds < best_write ? seconds : best_write;
        memset(got, 0, each);
        /* Some libraries do not synchronise a file that they have not written. */
        if (way == SYSTEM)
            fsync(descriptor);
        else
            MPI_File_sync(file);
        begin = begun();
        move_part(way, 0, first, each);
        seconds = since(begin);
        best_read = counts && seconds < best_read ? seconds : best_read;
        if (memcmp(mine, got, each) != 0)
            stop("other bytes were read than written");
        close(descriptor);
        MPI_File_close(&file);
    }
    snprintf(name, sizeof name, "%s_write", kind);
    row(name, place, bytes, (double)each * ranks / best_write / 1e6);
    snprintf(name, sizeof name, "%s_read", kind);
    row(name, place, bytes, (double)each * ranks / best_read / 1e6);
}

static void contiguous(const char *place)
{
    size_t each = TOTAL / (size_t)ranks;
    view("contiguous", place, TOGETHER, MPI_BYTE, (MPI_Offset)each * rank, each, (int)each);
    view("system", place, SYSTEM, MPI_BYTE, (MPI_Offset)each * rank, each, (int)each);
}

static void strided(const char *kind, const char *place, enum way way, int block, int gap)
{
    size_t total = block < 512 ? FEW : TOTAL, each = total / (size_t)ranks / (size_t)block * (size_t)block;
    MPI_Datatype blocks, filetype;
    if (each == 0)
        return;
    MPI_Type_contiguous(block, MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, (MPI_Aint)(block + gap) * ranks, &filetype);
    MPI_Type_commit(&filetype);
    view(kind, place, way, filetype, (MPI_Offset)(block + gap) * rank, each, block);
    MPI_Type_free(&filetype);
    MPI_Type_free(&blocks);
}

/* Blocks of an array of doubles, whose last dimension is not cut. */
static void array(const char *kind, const char *place, int dimensions, int length)
{
    int grid[3] = {0, 0, 0}, place_of[3], sizes[3], parts[3], starts[3], bytes = 8;
    size_t each = 8;
    MPI_Datatype filetype;
    MPI_Dims_create(ranks, dimensions, grid);
    for (int i = dimensions - 1, left = rank; i >= 0; i--) {
        place_of[i] = left % grid[i];
        left /= grid[i];
        parts[i] = length / grid[i];
        sizes[i] = parts[i] * grid[i];
        starts[i] = place_of[i] * parts[i];
        each *= (size_t)parts[i];
        bytes *= sizes[i];
    }
    MPI_Type_create_subarray(dimensions, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &filetype);
    MPI_Type_commit(&filetype);
    view(kind, place, TOGETHER, filetype, 0, each, bytes);
    MPI_Type_free(&filetype);
}

enum how { SHARED, ORDERED, OWN };

/* Records: nanoseconds between records of the whole job. */
static void records(const char *kind, const char *place, enum how how)
{
    double best = 1e9;
    fill(RECORD);
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Offset size;
        open_new();
        MPI_File_seek(file, (MPI_Offset)rank * RECORDS * RECORD, MPI_SEEK_SET);
        double begin = begun();
        for (int i = 0; i < RECORDS; i++)
            switch (how) {
            case SHARED:
                MPI_File_write_shared(file, mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
                break;
            case ORDERED:
                MPI_File_write_ordered(file, mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
                break;
            case OWN:
                MPI_File_write(file, mine, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
                break;
            }
        double seconds = since(begin);
        best = seconds < best ? seconds : best;
        MPI_File_get_size(file, &size);
        if (size != (MPI_Offset)ranks * RECORDS * RECORD)
            stop("the file has another size");
        MPI_File_close(&file);
    }
    row(kind, place, RECORD, best / RECORDS / ranks * 1e9);
}

static double computed(long steps)
{
    volatile double x = 1;
    double begin = MPI_Wtime();
    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    return MPI_Wtime() - begin;
}

/* The seconds from the first of some nonblocking writes to the end of the last one, with a computation between. */
static double posted(int count, int bytes, long steps)
{
    static MPI_Request requests[WRITES];
    double begin = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        MPI_Offset at = (MPI_Offset)i * bytes;
        MPI_File_iwrite_at(file, at, mine + at, bytes, MPI_BYTE, requests + i);
    }
    if (steps > 0)
        computed(steps);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    return MPI_Wtime() - begin;
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

static double median(double *seconds)
{
    qsort(seconds, TRIALS, sizeof *seconds, compare);
    return seconds[TRIALS / 2];
}

/* One rank posts writes, works as long as they take by themselves, and waits for them. */
static void overlapped(const char *place, int bytes)
{
    int count = TOTAL / bytes < WRITES ? TOTAL / bytes : WRITES;
    double alone[TRIALS], work[TRIALS], both[TRIALS], share = 0, each = 0;
    fill(rank == 0 ? (size_t)count * (size_t)bytes : 0);
    open_new();
    if (rank == 0) {
        const long sample = 1000000;
        double step = 1e9;
        posted(count, bytes, 0);
        for (int i = 0; i < TRIALS; i++) {
            double seconds = computed(sample) / (double)sample;
            step = seconds < step ? seconds : step;
            alone[i] = posted(count, bytes, 0);
        }
        long steps = (long)(median(alone) / step);
        for (int i = 0; i < TRIALS; i++) {
            work[i] = computed(steps);
            both[i] = posted(count, bytes, steps);
        }
        share = median(work) / median(both) * 100;
        each = median(alone) / count;
        MPI_File_read_at(file, 0, got, count * bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        if (memcmp(mine, got, (size_t)count * (size_t)bytes) != 0)
            stop("other bytes were read than written");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_close(&file);
    row("overlapped", place, bytes, share);
    row("posted", place, bytes, each * 1e9);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *folder;
    } PLACES[] = {{"memory", "/dev/shm"}, {"disk", "/var/tmp"}};
    MPI_Init(&argc, &argv);
    choose(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t most = rank == 0 ? TOTAL : TOTAL / (size_t)ranks + 4096;
    mine = calloc(1, most);
    got = calloc(1, most);
    if (mine == NULL || got == NULL)
        stop("no memory");
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        const char *place = PLACES[i].name;
        snprintf(path, sizeof path, "%s/simurgh-bench-%ld", PLACES[i].folder, (long)getpid());
        MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (chosen("contiguous"))
            contiguous(place);
        for (int k = 0; k < 3 && chosen("strided"); k++)
            strided("strided", place, TOGETHER, BLOCKS[k], 0);
        for (int k = 0; k < 2 && chosen("spaced"); k++)
            strided("spaced", place, TOGETHER, BLOCKS[k], BLOCKS[k]);
        for (int k = 0; k < 2 && chosen("alone"); k++)
            strided("alone", place, ALONE, BLOCKS[k], 0);
        if (chosen("square"))
            array("square", place, 2, 1024);
        if (chosen("cube"))
            array("cube", place, 3, 96);
        if (chosen("shared"))
            records("shared", place, SHARED);
        if (chosen("ordered"))
            records("ordered", place, ORDERED);
        if (chosen("records"))
            records("records", place, OWN);
        for (int bytes = 4096; chosen("overlapped") && bytes <= TOTAL; bytes *= 16)
            overlapped(place, bytes);
    }
    free(mine);
    free(got);
    MPI_Finalize();
    return 0;
}
