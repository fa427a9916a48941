/* Collectives that are called again and again allocate nothing and make no system call.
 *
 *   steady [SYSTEM_CALLS]
 *
 * SYSTEM_CALLS says that all ranks share one kernel thread, so that its system calls can be counted too. */
#include "count_system_calls.h"

#include "count_allocations.h"
#include "mpi_check.h"

enum { MOST_RANKS = 64, LONGEST = 4000, WARM_UP = 30, ROUNDS = 50, TRIES = 10 };

static double given[MOST_RANKS * LONGEST], taken[MOST_RANKS * LONGEST];
static int n, counts[MOST_RANKS], starts[MOST_RANKS], offsets[MOST_RANKS];
static MPI_Aint far[MOST_RANKS];
static MPI_Datatype types[MOST_RANKS];
/* The ranks as a ring: each has two neighbours. */
static MPI_Comm ring;

#define OPEN(...) __VA_ARGS__

#define COLLECTIVES(X)                                                                                          \
    X(Bcast, Ibcast, (given, n, MPI_DOUBLE, 0))                                                                 \
    X(Gather, Igather, (given, n, MPI_DOUBLE, taken, n, MPI_DOUBLE, 0))                                         \
    X(Gatherv, Igatherv, (given, n, MPI_DOUBLE, taken, counts, starts, MPI_DOUBLE, 0))                          \
    X(Scatter, Iscatter, (given, n, MPI_DOUBLE, taken, n, MPI_DOUBLE, 0))                                       \
    X(Scatterv, Iscatterv, (given, counts, starts, MPI_DOUBLE, taken, n, MPI_DOUBLE, 0))                        \
    X(Allgather, Iallgather, (given, n, MPI_DOUBLE, taken, n, MPI_DOUBLE))                                      \
    X(Allgatherv, Iallgatherv, (given, n, MPI_DOUBLE, taken, counts, starts, MPI_DOUBLE))                       \
    X(Alltoall, Ialltoall, (given, n, MPI_DOUBLE, taken, n, MPI_DOUBLE))                                        \
    X(Alltoallv, Ialltoallv, (given, counts, starts, MPI_DOUBLE, taken, counts, starts, MPI_DOUBLE))            \
    X(Alltoallw, Ialltoallw, (given, counts, offsets, types, taken, counts, offsets, types))                    \
    X(Reduce, Ireduce, (given, taken, n, MPI_DOUBLE, MPI_SUM, 0))                                               \
    X(Allreduce, Iallreduce, (given, taken, n, MPI_DOUBLE, MPI_SUM))                                            \
    X(Reduce_scatter_block, Ireduce_scatter_block, (given, taken, n, MPI_DOUBLE, MPI_SUM))                      \
    X(Reduce_scatter, Ireduce_scatter, (given, taken, counts, MPI_DOUBLE, MPI_MAX))                             \
    X(Scan, Iscan, (given, taken, n, MPI_DOUBLE, MPI_SUM))                                                      \
    X(Exscan, Iexscan, (given, taken, n, MPI_DOUBLE, MPI_SUM))

#define NEIGHBOR_COLLECTIVES(X)                                                                                 \
    X(Neighbor_allgather, Ineighbor_allgather, (given, n, MPI_DOUBLE, taken, n, MPI_DOUBLE))                    \
    X(Neighbor_allgatherv, Ineighbor_allgatherv, (given, n, MPI_DOUBLE, taken, counts, starts, MPI_DOUBLE))     \
    X(Neighbor_alltoall, Ineighbor_alltoall, (given, n, MPI_DOUBLE, taken, n, MPI_DOUBLE))                      \
    X(Neighbor_alltoallv, Ineighbor_alltoallv,                                                                  \
      (given, counts, starts, MPI_DOUBLE, taken, counts, starts, MPI_DOUBLE))                                   \
    X(Neighbor_alltoallw, Ineighbor_alltoallw, (given, counts, far, types, taken, counts, far, types))

/* One function for each that calls it in one of its forms. */
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

#define DEFINE_ON(COMM, NAME, INAME, arguments)                                                \
    static void NAME(enum form form, MPI_Request *request)                                     \
    {                                                                                          \
        if (form == BLOCKING) {                                                                \
            OK(MPI_##NAME(OPEN arguments, COMM));                                              \
            return;                                                                            \
        }                                                                                      \
        if (form == NONBLOCKING)                                                               \
            OK(MPI_##INAME(OPEN arguments, COMM, request));                                    \
        else if (*request == MPI_REQUEST_NULL)                                                 \
            OK(MPI_##NAME##_init(OPEN arguments, COMM, MPI_INFO_NULL, request));               \
        if (form == PERSISTENT)                                                                \
            OK(MPI_Start(request));                                                            \
        OK(MPI_Wait(request, MPI_STATUS_IGNORE));                                              \
    }
#define DEFINE(...) DEFINE_ON(MPI_COMM_WORLD, __VA_ARGS__)
#define DEFINE_NEIGHBOR(...) DEFINE_ON(ring, __VA_ARGS__)
COLLECTIVES(DEFINE)
NEIGHBOR_COLLECTIVES(DEFINE_NEIGHBOR)

static void Barrier(enum form form, MPI_Request *request)
{
    if (form == BLOCKING) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        return;
    }
    if (form == NONBLOCKING)
        OK(MPI_Ibarrier(MPI_COMM_WORLD, request));
    else if (*request == MPI_REQUEST_NULL)
        OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request));
    if (form == PERSISTENT)
        OK(MPI_Start(request));
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static const struct {
    const char *name;
    void (*call)(enum form, MPI_Request *);
} collectives[] = {
#define ENTRY(NAME, INAME, arguments) {#NAME, NAME},
    COLLECTIVES(ENTRY) NEIGHBOR_COLLECTIVES(ENTRY){"Barrier", Barrier},
};

static int counts_system_calls, unsteady;
static long made[2];

static void several(void (*call)(enum form, MPI_Request *), enum form form, MPI_Request *request, int rounds)
{
    for (int i = 0; i < rounds; i++)
        call(form, request);
}

/* Whether rounds of calls did what they must not. No rank is elsewhere than in the rounds while rank 0 counts: the
 * others are in the same barrier before and after. */
static int strays(int which, enum form form, MPI_Request *request)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    long before = allocations;
    if (check_rank == 0 && counts_system_calls)
        CHECK(system_calls_count());
    several(collectives[which].call, form, request, ROUNDS);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0 && counts_system_calls)
        system_calls_count_no_more();
    made[0] = allocations - before;
    made[1] = system_calls;
    system_calls = 0;
    OK(MPI_Bcast(made, 2, MPI_LONG, 0, MPI_COMM_WORLD));
    return made[0] != 0 || made[1] != 0;
}

/* Pools grow until they hold as much as is ever under way, so it need not be steady from the beginning. */
static void becomes_steady(int which, enum form form)
{
    static const char *const forms[] = {"blocking", "nonblocking", "persistent"};
    MPI_Request request = MPI_REQUEST_NULL;
    int tries = 0;
    several(collectives[which].call, form, &request, WARM_UP);
    while (strays(which, form, &request) && tries < TRIES)
        tries++;
    if (tries == TRIES && check_rank == 0)
        fprintf(stderr, "%d calls of %s, %s, of %d elements: %ld allocations, %ld system calls\n", ROUNDS,
                collectives[which].name, forms[form], n, made[0], made[1]);
    unsteady += tries == TRIES;
    if (request != MPI_REQUEST_NULL)
        OK(MPI_Request_free(&request));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(check_size <= MOST_RANKS);
    if (check_rank == 0)
        CHECK(allocations_count() > 0);
    counts_system_calls = argc > 1;
    int periodic = 1;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &check_size, &periodic, 0, &ring));
    for (n = 1; n <= LONGEST; n = n * 50 + 17) {
        for (int which = 0; which < (int)(sizeof collectives / sizeof *collectives); which++) {
            for (enum form form = 0; form < FORMS; form++) {
                for (int r = 0; r < check_size || r < 2; r++) {
                    counts[r] = n;
                    starts[r] = r * n;
                    far[r] = offsets[r] = starts[r] * (int)sizeof(double);
                    types[r] = MPI_DOUBLE;
                }
                becomes_steady(which, form);
            }
        }
    }
    OK(MPI_Comm_free(&ring));
    CHECK(unsteady == 0);
    return check_end();
}
