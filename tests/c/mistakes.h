/* The common parts of the programs of mistakes: collective calls that do not fit together. With the name of a
 * mistake a program makes it under the default error handler, which ends the job. Without a name it makes them all,
 * and each may only fail: nothing beyond the buffers is written, and communicators work as before. */
#ifndef MISTAKES_H
#define MISTAKES_H

#include "mpi_check.h"

enum { N = 4, MOST = 64, GUARD = -77 };

static int send_room[MOST * N + 2], recv_room[MOST * N + 2];
static int *const out = send_room + 1, *const in = recv_room + 1;
static MPI_Comm comm;

/* The one rank that makes the mistake, and what it takes for the others' value. */
static int odd(void)
{
    return check_rank == 1;
}

#define ODD(mistaken, right) (odd() ? (mistaken) : (right))

/* A mistake: what it is called, and a function that makes it and returns the error code. After some the ranks are at
 * different collectives unless everything is checked, so that nothing can follow. */
struct mistake {
    const char *name;
    int (*make)(void);
    int parts;
};

#define MISTAKE(name) {#name, name, 0}
#define PARTING(name) {#name, name, 1}

static void prepare(void)
{
    int end = N * check_size;
    for (int i = 0; i < end; i++)
        out[i] = in[i] = i;
    send_room[0] = recv_room[0] = out[end] = in[end] = GUARD;
}

static int intact(void)
{
    int end = N * check_size;
    return send_room[0] == GUARD && recv_room[0] == GUARD && out[end] == GUARD && in[end] == GUARD;
}

/* A mistake may spoil what is in the buffers and nothing else. */
static void survive(const struct mistake *mistake)
{
    int sum = -1;
    prepare();
    int code = mistake->make();
    if (!intact())
        fprintf(stderr, "%s (code %d) ", mistake->name, code);
    CHECK(intact());
    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == check_size * (check_size - 1) / 2);
    OK(MPI_Barrier(comm));
}

/* Makes the mistake that the argument names, or all that something can follow. `comm` is where they are made. */
static int make_mistakes(int argc, char **argv, const struct mistake *mistakes, int count)
{
    CHECK(check_size <= MOST);
    if (argc > 1) {
        for (int i = 0; i < count; i++) {
            if (strcmp(argv[1], mistakes[i].name) == 0) {
                prepare();
                mistakes[i].make();
            }
        }
        printf("not reached after a mistake\n");
    } else {
        OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        for (int i = 0; i < count; i++) {
            if (!mistakes[i].parts)
                survive(&mistakes[i]);
        }
    }
    OK(MPI_Comm_free(&comm));
    return check_end();
}

#endif
