/* All memory of a rank lies in its range of addresses. The rank is dumped, the range is wiped and mapped again, and the
 * rank goes on with what it had in memory of all kinds. Rank 1 sees that rank 0 was away.
 *
 * Arguments: "refused" for a job that is not relocatable. */
#define _GNU_SOURCE
#include "dump_rank.h"
#include "mpi_check.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

enum { NODES = 2000, LONG = 24 << 20, STEP = 500000, ROUNDS = 3 };

struct node {
    struct node *next;
    size_t size;
    unsigned char bytes[];
};

static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }

static int initialised[1000] = {7, 8, 9};
static char zeroed[3 << 20];
static int (*functions[2])(int) = {one, two};
static int *const constant_pointers[2] = {&initialised[1], &initialised[2]};
static __thread int thread_local_initialised = 41;
static __thread struct node *thread_local_list;
static struct node *list;
static int *into_stack;
static jmp_buf place;
static volatile int seen_away;
static unsigned char *long_block, *aligned_block, *from_mpi, *from_break;
static char *text, *line, *printed;
static FILE *file, *memory;
static size_t line_room, memory_size;
static uintptr_t begin, end;

static int *count_calls(void)
{
    static int calls;
    calls++;
    return &calls;
}

static bool is_mine(const void *address)
{
    return (uintptr_t)address >= begin && (uintptr_t)address < end;
}

static void find_range(void)
{
    /* docs/user-guide.md: the ranges lie one behind the other, in the order of ranks. */
    uintptr_t size = 1;
    while (size < control_value("rank_range"))
        size *= 2;
    begin = 0x300000000000 + check_rank * size;
    end = begin + size;
}

static struct node *make_list(unsigned seed)
{
    struct node *first = NULL;
    for (unsigned i = 0; i < NODES; i++) {
        size_t size = (i * 2654435761u + seed) % (i % 100 ? 900 : 90000);
        struct node *node = malloc(sizeof *node + size);
        CHECK(node && is_mine(node));
        node->next = first;
        node->size = size;
        memset(node->bytes, (int)(i + seed) & 255, size);
        first = node;
    }
    return first;
}

static void check_list(const struct node *node, unsigned seed)
{
    for (unsigned i = NODES; i-- > 0; node = node->next) {
        CHECK(node && node->size == (i * 2654435761u + seed) % (i % 100 ? 900 : 90000));
        for (size_t at = 0; at < node->size; at += 97)
            CHECK(node->bytes[at] == ((i + seed) & 255));
    }
    CHECK(!node);
}

static void free_list(struct node *node)
{
    while (node) {
        struct node *next = node->next;
        free(node);
        node = next;
    }
}

static void fill_memory(int argc, char **argv)
{
    (void)argc;
    list = make_list(check_rank);
    thread_local_list = make_list(check_rank + 1000);
    long_block = malloc(LONG);
    aligned_block = memalign(8 << 20, 100000);
    OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &from_mpi));
    from_break = sbrk(50000);
    text = strdup("a text of the rank");
    CHECK(asprintf(&printed, "%s, rank %d", text, check_rank) > 0);
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], "a line\nanother\n", 15) == 15 && close(ends[1]) == 0);
    file = fdopen(ends[0], "r");
    CHECK(getline(&line, &line_room, file) == 7 && strcmp(line, "a line\n") == 0);
    memory = open_memstream(&line, &memory_size);
    CHECK(memory && fprintf(memory, "rank %d", check_rank) > 0);
    CHECK(is_mine(argv) && is_mine(argv[0]) && is_mine(*environ) && is_mine(getenv("PATH")));
    const void *all[] = {long_block, aligned_block,           from_mpi, from_break,         text, printed, initialised,
                         zeroed,     &thread_local_initialised, &errno,   (void *)fill_memory, &all};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(is_mine(all[i]));
    for (size_t at = 0; at < LONG; at += STEP)
        long_block[at] = (unsigned char)(at / STEP + check_rank);
    memset(aligned_block, 0x55, 100000);
    memset(from_mpi, 0x66, 100000);
    memset(from_break, 0x77, 50000);
    memset(zeroed + 70000, check_rank + 1, 5000);
    initialised[999] = check_rank;
    thread_local_initialised += check_rank;
    *count_calls() += 10;
    errno = EDOM;
}

/* A call of MPI may leave EAGAIN in errno: it waited for a lock of the library that was free again at that moment. */
static void check_errno(void)
{
    int found = errno;
    if (found != EDOM && found != EAGAIN)
        fprintf(stderr, "rank %d: errno is %d (%s)\n", check_rank, found, strerror(found));
    CHECK(found == EDOM || found == EAGAIN);
}

static void check_memory(int round)
{
    check_errno();
    CHECK(initialised[0] == 7 && initialised[999] == check_rank && *constant_pointers[1] == 9);
    CHECK(functions[0](1) == 2 && functions[1](1) == 3 && thread_local_initialised == 41 + check_rank);
    CHECK(zeroed[0] == 0 && zeroed[70000] == check_rank + 1 && zeroed[74999] == check_rank + 1);
    CHECK(zeroed[sizeof zeroed - 1] == 0 && *count_calls() == 12 + round);
    for (size_t at = 0; at < LONG; at += STEP)
        CHECK(long_block[at] == (unsigned char)(at / STEP + check_rank) && long_block[at + 1] == 0);
    CHECK(aligned_block[99999] == 0x55 && from_mpi[99999] == 0x66 && from_break[49999] == 0x77);
    check_list(list, check_rank);
    check_list(thread_local_list, check_rank + 1000);
    CHECK(strcmp(text, "a text of the rank") == 0 && strncmp(printed, text, strlen(text)) == 0);
    CHECK(*into_stack == 1234 + round);
    /* The heap goes on to work. */
    free_list(list);
    list = make_list(check_rank);
    free(malloc(30 << 20));
    errno = EDOM;
}

/* A constant page of the program's data stays so: another mapping would let this write through. */
static void check_protection(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    CHECK(read(ends[0], (void *)(uintptr_t)constant_pointers, 1) == -1 && errno == EFAULT);
    CHECK(read(ends[0], (void *)(uintptr_t)functions, 0) == 0);
    close(ends[0]);
    close(ends[1]);
    errno = EDOM;
}

static void exchange(int round)
{
    int next = (check_rank + 1) % check_size, previous = (check_rank + check_size - 1) % check_size;
    int out[5000], in[5000], sum;
    for (int i = 0; i < 5000; i++)
        out[i] = check_rank * 10 + round + i;
    OK(MPI_Sendrecv(out, 5000, MPI_INT, next, round, in, 5000, MPI_INT, previous, round, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(in[0] == previous * 10 + round && in[4999] == in[0] + 4999);
    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == check_size * (check_size - 1) / 2);
}

/* Rank 1 looks at a variable of rank 0 until it is not there. A message to rank 0 waits meanwhile. Rank 1 stays until
 * rank 0 has seen that: rank 0 looks at a variable of rank 1 as well. */
static void look(void)
{
    static volatile int *addresses[2];
    int value = 17, ends[2];
    if (check_rank > 1 || check_size < 2)
        return;
    addresses[check_rank] = check_rank ? &seen_away : &initialised[500];
    OK(MPI_Sendrecv((void *)&addresses[check_rank], sizeof(void *), MPI_BYTE, 1 - check_rank, 1,
                    (void *)&addresses[1 - check_rank], sizeof(void *), MPI_BYTE, 1 - check_rank, 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    if (check_rank == 1) {
        OK(MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
        CHECK(pipe(ends) == 0);
        char byte;
        while (write(ends[1], (void *)addresses[0], 1) == 1)
            CHECK(read(ends[0], &byte, 1) == 1);
        CHECK(errno == EFAULT);
        seen_away = 1;
        errno = EDOM;
        OK(MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return;
    }
    unsigned long before = control_value("rank_dump");
    int dumps = 0;
    for (; !*addresses[1]; dumps++)
        OK(dump_rank(1));
    CHECK(control_value("rank_dump") == before + dumps);
    value = 0;
    OK(MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(value == 17 && dumps > 0);
    OK(MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD));
}

static void *dump_in_thread(void *code)
{
    *(int *)code = dump_rank(1);
    return NULL;
}

/* What would use the memory of a rank that is away is refused before. */
static void refusals(void)
{
    MPI_Request request;
    int received = 0, code = 0;
    OK(MPI_Irecv(&received, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request));
    CHECK(dump_rank(1) == MPI_T_ERR_CVAR_SET_NOT_NOW);
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, dump_in_thread, &code) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(code == MPI_T_ERR_CVAR_SET_NOT_NOW);
    /* The thread's last moments, after it has been joined, are not for the program to see. */
    while (dump_rank(1) != MPI_SUCCESS)
        usleep(1000);
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv);
    if (argc > 1) {
        CHECK(dump_rank(1) == MPI_T_ERR_CVAR_SET_NOT_NOW && control_value("rank_dump") == 0);
        return check_end();
    }
    find_range();
    fill_memory(argc, argv);
    volatile int on_stack = 1234;
    into_stack = (int *)&on_stack;
    for (volatile int round = 0; round < ROUNDS; round++) {
        exchange(round);
        if (setjmp(place) == 0) {
            OK(dump_rank(1));
            check_memory(round);
            check_protection();
            longjmp(place, 1);
        }
        on_stack++;
        exchange(round + 100);
    }
    CHECK(getline(&text, &(size_t){malloc_usable_size(text)}, file) == 8 && strcmp(text, "another\n") == 0);
    fclose(file);
    fclose(memory);
    char expected[32];
    snprintf(expected, sizeof expected, "rank %d", check_rank);
    CHECK(strcmp(line, expected) == 0 && is_mine(line));
    look();
    refusals();
    free_list(list);
    free_list(thread_local_list);
    OK(MPI_Free_mem(from_mpi));
    free(aligned_block);
    free(long_block);
    return check_end();
}
