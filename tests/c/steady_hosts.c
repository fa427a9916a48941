/* Short collectives between hosts that are called again and again allocate no more than they are known to.
 *
 *   steady_hosts HOSTS
 *
 * HOSTS is how many hosts the ranks are on, as many on each. */
#include "count_allocations.h"
#include "mpi_check.h"

enum { WARM_UP = 100, ROUNDS = 200, TRIES = 10 };

static double given = 1, taken;

static void barrier(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void bcast(void)
{
    OK(MPI_Bcast(&given, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
}

static void allreduce(void)
{
    OK(MPI_Allreduce(&given, &taken, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

/* The allocations that a host may make in a call: for each round of messages, of which there are log2 of the hosts,
 * and besides them. */
static const struct {
    const char *name;
    void (*call)(void);
    int beside, round;
} collectives[] = {{"barrier", barrier, 1, 5}, {"bcast", bcast, 2, 5}, {"allreduce", allreduce, 4, 6}};

/* Allocations of this host in so many calls, as its first rank counts them. */
static long made(void (*call)(void), int rounds)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    long before = allocations;
    for (int i = 0; i < rounds; i++)
        call();
    return allocations - before;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 2);
    int hosts = atoi(argv[1]), here = check_size / hosts, rounds = 0;
    while (1 << rounds < hosts)
        rounds++;
    int counts = check_rank % here == 0;
    if (counts)
        CHECK(allocations_count() > 0);
    for (size_t k = 0; k < sizeof collectives / sizeof *collectives; k++) {
        made(collectives[k].call, WARM_UP);
        long least = -1;
        for (int i = 0; i < TRIES; i++) {
            long now = made(collectives[k].call, ROUNDS);
            least = least < 0 || now < least ? now : least;
        }
        long most = collectives[k].beside + collectives[k].round * rounds;
        if (counts && least > most * ROUNDS) {
            fprintf(stderr, "%s, rank %d: %ld allocations in %d calls, at most %ld in each expected\n",
                    collectives[k].name, check_rank, least, ROUNDS, most);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    }
    return check_end();
}
