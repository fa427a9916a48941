/* Ports and names of jobs in a universe. The first argument says what is done, the second is a service's name, the
 * third, where two jobs do the same, "accept" or "connect":
 *   keep      it is published, and the job ends
 *   unknown   nobody has published it
 *   own, visit   the one job has ports and names, the other looks them up, visits them and takes them for its own
 *   many, many-visit   each rank of the one job has a port, which a rank of the other visits
 *   late      two jobs meet, the first of which says that it is up, and then accepts
 *   alone     rank 0 says that it is up, and waits at a port until the universe is gone; nothing works then
 *   part, stay   two jobs meet, say that they are up, and talk when the universe is gone; then they part, or do not
 *   unaccepted   all connect to a port where nobody accepts, and give up
 *   reason    an error is the end */
#include "universe.h"

static void quiet(void)
{
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

static void up(void)
{
    if (check_rank == 0) {
        puts("up");
        fflush(stdout);
    }
}

/* The one side: each step begins and ends with a barrier of both. */
static void own(MPI_Comm other)
{
    char port[MPI_MAX_PORT_NAME] = "", waits[MPI_MAX_PORT_NAME] = "";

    OK(MPI_Open_port(MPI_INFO_NULL, port));
    OK(MPI_Open_port(MPI_INFO_NULL, waits));
    OK(MPI_Publish_name("second", MPI_INFO_NULL, port));
    OK(MPI_Sendrecv(waits, sizeof waits, MPI_CHAR, 0, 1, NULL, 0, MPI_CHAR, 0, 1, other, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(other));
    FAILS(MPI_Lookup_name("second", MPI_INFO_NULL, port), MPI_ERR_NAME);
    OK(MPI_Close_port(port));
    OK(MPI_Barrier(other));
    OK(MPI_Recv(NULL, 0, MPI_INT, 0, 2, other, MPI_STATUS_IGNORE));
    OK(MPI_Close_port(waits));
}

static void visit(MPI_Comm other)
{
    char port[MPI_MAX_PORT_NAME] = "", waits[MPI_MAX_PORT_NAME] = "";
    MPI_Comm nobody;

    OK(MPI_Sendrecv(NULL, 0, MPI_CHAR, 0, 1, waits, sizeof waits, MPI_CHAR, 0, 1, other, MPI_STATUS_IGNORE));
    OK(MPI_Lookup_name("second", MPI_INFO_NULL, port));
    FAILS(MPI_Publish_name("second", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    FAILS(MPI_Unpublish_name("second", MPI_INFO_NULL, waits), MPI_ERR_SERVICE);
    OK(MPI_Unpublish_name("second", MPI_INFO_NULL, port));
    OK(MPI_Barrier(other));
    OK(MPI_Barrier(other));
    FAILS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &nobody), MPI_ERR_PORT);
    /* The port is closed while this waits, or just before. */
    OK(MPI_Send(NULL, 0, MPI_INT, 0, 2, other));
    FAILS(MPI_Comm_accept(waits, MPI_INFO_NULL, 0, MPI_COMM_SELF, &nobody), MPI_ERR_PORT);
}

/* All ranks at once, each with one of the other job. */
static void many(int accepts, const char *service)
{
    char port[MPI_MAX_PORT_NAME], name[200];
    MPI_Comm other;

    snprintf(name, sizeof name, "%s-%d", service, check_rank);
    for (int round = 0; round < 3; round++) {
        if (accepts) {
            OK(MPI_Open_port(MPI_INFO_NULL, port));
            OK(MPI_Publish_name(name, MPI_INFO_NULL, port));
            OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
            OK(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
            OK(MPI_Close_port(port));
        } else {
            look_up(name, port);
            OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
        }
        exchange(other, 10);
        OK(MPI_Barrier(other));
        OK(MPI_Comm_disconnect(&other));
    }
}

/* Nothing of what needs the universe works any more. */
static void is_gone(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm nobody;

    FAILS(MPI_Open_port(MPI_INFO_NULL, port), MPI_ERR_PORT);
    FAILS(MPI_Comm_connect("p", MPI_INFO_NULL, 0, MPI_COMM_SELF, &nobody), MPI_ERR_PORT);
    FAILS(MPI_Publish_name("s", MPI_INFO_NULL, "p"), MPI_ERR_SERVICE);
    FAILS(MPI_Lookup_name("s", MPI_INFO_NULL, port), MPI_ERR_NAME);
}

static void alone(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm nobody;

    quiet();
    if (check_rank == 0)
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    up();
    FAILS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &nobody), MPI_ERR_PORT);
    is_gone();
}

static void unaccepted(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm nobody;
    MPI_Info info;

    quiet();
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "timeout", "1"));
    if (check_rank == 0)
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    FAILS(MPI_Comm_connect(port, info, 0, MPI_COMM_WORLD, &nobody), MPI_ERR_PORT);
    OK(MPI_Info_free(&info));
}

/* Two jobs that have met do without the universe. */
static void go_on(MPI_Comm other, int high, int part, char *program)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm nobody;

    quiet();
    up();
    while (MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS)
        usleep(1000);
    is_gone();
    /* The jobs that know the others could not be told of them. */
    FAILS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &nobody, MPI_ERRCODES_IGNORE),
          MPI_ERR_SPAWN);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    talk(other, high);
    if (part)
        OK(MPI_Comm_disconnect(&other));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *service = argc > 2 ? argv[2] : "";
    int accepts = argc > 3 && strcmp(argv[3], "accept") == 0;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;

    check_begin(&argc, &argv);
    if (strcmp(what, "keep") == 0) {
        if (check_rank == 0) {
            OK(MPI_Open_port(MPI_INFO_NULL, port));
            OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
            OK(MPI_Lookup_name(service, MPI_INFO_NULL, port));
        }
    } else if (strcmp(what, "unknown") == 0) {
        quiet();
        FAILS(MPI_Lookup_name(service, MPI_INFO_NULL, port), MPI_ERR_NAME);
    } else if (strcmp(what, "own") == 0 || strcmp(what, "visit") == 0) {
        int owns = strcmp(what, "own") == 0;
        other = owns ? accept_as(service, MPI_COMM_WORLD) : connect_to(service);
        quiet();
        (owns ? own : visit)(other);
        OK(MPI_Comm_disconnect(&other));
    } else if (strncmp(what, "many", 4) == 0) {
        many(strcmp(what, "many") == 0, service);
    } else if (strcmp(what, "late") == 0) {
        if (accepts)
            up();
        other = accepts ? accept_as(service, MPI_COMM_WORLD) : connect_to(service);
        talk(other, accepts);
        OK(MPI_Comm_disconnect(&other));
    } else if (strcmp(what, "alone") == 0) {
        alone();
    } else if (strcmp(what, "unaccepted") == 0) {
        unaccepted();
    } else if (strcmp(what, "part") == 0 || strcmp(what, "stay") == 0) {
        other = accepts ? accept_as(service, MPI_COMM_WORLD) : connect_to(service);
        go_on(other, accepts, strcmp(what, "part") == 0, argv[0]);
    } else {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    }
    return check_end();
}
