/* Three jobs in a row: "first" knows "middle", and both together come to know "last". Arguments: which one this is, and
 * what is done then:
 *   part    last parts from the others and ends; those go on
 *   spawn   all together start others, and part
 *   crash   last crashes, while first waits for middle alone
 *   leave   last crashes, after it has parted */
#include "universe.h"

/* The first and the middle one, together. */
static MPI_Comm pair(int is_first)
{
    MPI_Comm other, both;

    other = is_first ? accept_as("first", MPI_COMM_WORLD) : connect_to("first");
    OK(MPI_Intercomm_merge(other, !is_first, &both));
    OK(MPI_Comm_disconnect(&other));
    agree(both);
    return both;
}

/* The last one. */
static void follow(const char *what, char *program)
{
    MPI_Comm others = connect_to("both"), all;
    char port[MPI_MAX_PORT_NAME];

    talk(others, 1);
    if (strcmp(what, "spawn") == 0) {
        OK(MPI_Intercomm_merge(others, 1, &all));
        MPI_Comm children = spawn(all, program, "child", 2);
        talk(children, 0);
        OK(MPI_Comm_disconnect(&children));
        OK(MPI_Comm_disconnect(&all));
    }
    if (strcmp(what, "crash") == 0)
        raise(SIGSEGV);
    OK(MPI_Comm_disconnect(&others));
    if (strcmp(what, "leave") == 0) {
        look_up("all have parted", port);
        raise(SIGSEGV);
    }
}

/* The other ones. */
static void lead(const char *what, int is_first, char *program)
{
    MPI_Comm both = pair(is_first), others = accept_as("both", both), all;
    int rank;

    talk(others, 0);
    OK(MPI_Comm_rank(both, &rank));
    if (strcmp(what, "spawn") == 0) {
        OK(MPI_Intercomm_merge(others, 0, &all));
        MPI_Comm children = spawn(all, program, "child", 2);
        talk(children, 0);
        OK(MPI_Comm_disconnect(&children));
        OK(MPI_Comm_disconnect(&all));
    }
    if (strcmp(what, "crash") == 0) {
        /* Only the middle one has still to do with the last one. */
        OK(MPI_Barrier(both));
        OK(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 9, both, MPI_STATUS_IGNORE));
    }
    OK(MPI_Comm_disconnect(&others));
    OK(MPI_Barrier(both));
    if (strcmp(what, "leave") == 0 && rank == 0)
        OK(MPI_Publish_name("all have parted", MPI_INFO_NULL, "nowhere"));
    for (int round = 0; round < 10; round++)
        agree(both);
    OK(MPI_Comm_disconnect(&both));
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "", *what = argc > 2 ? argv[2] : "";

    check_begin(&argc, &argv);
    if (strcmp(role, "child") == 0) {
        MPI_Comm parent = parents();
        talk(parent, 1);
        OK(MPI_Comm_disconnect(&parent));
        OK(MPI_Finalize());
        return 0;
    }
    if (strcmp(role, "last") == 0)
        follow(what, argv[0]);
    else
        lead(what, strcmp(role, "first") == 0, argv[0]);
    return check_end();
}
