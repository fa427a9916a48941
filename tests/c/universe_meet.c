/* A job that meets another one in a universe. Arguments: "accept" or "connect", the name of the service, and what is
 * done then:
 *   meet     they talk and part, three times
 *   outlive  they part, those who have connected end, and the others stay until they have
 *   stay     they do not part: who connects ends later, and the others with them
 *   spawn    they are one, start others together, and those talk with all; then each side does so for itself
 *   crash, abort, kill   the last of those who connect ends badly while the others wait for it
 *   apart    the same after all have parted
 *   wait     they say so, and wait until they are ended
 *   lonely   those who have connected part and end, and the others wait for nothing
 *   quit     programs that those who accept want to start end too soon, then as with spawn
 *   refused  they cannot meet
 *   children what each side has started meets, and stays when its parents have ended
 *   crowd    those who accept meet three jobs of one rank, which talk with each other */
#include "universe.h"

/* Jobs of one rank that come to those who accept, and these. */
enum { crowd = 5 };

static MPI_Comm find(int accepts, const char *service)
{
    return accepts ? accept_as(service, MPI_COMM_WORLD) : connect_to(service);
}

static void start_others(MPI_Comm other, int accepts, char *program)
{
    MPI_Comm all, children;

    OK(MPI_Intercomm_merge(other, accepts, &all));
    children = spawn(all, program, "child", 2);
    talk(children, 0);
    OK(MPI_Comm_disconnect(&children));
    /* Both sides at the same time. */
    children = spawn(MPI_COMM_WORLD, program, "child", 1 + accepts);
    talk(children, 0);
    OK(MPI_Barrier(all));
    OK(MPI_Comm_disconnect(&children));
    /* One after the other, by one of each. */
    for (int starts = 0; starts < 2; starts++) {
        if (starts == accepts && check_rank == check_size - 1) {
            children = spawn(MPI_COMM_SELF, program, "child", 1);
            talk(children, 0);
            OK(MPI_Comm_disconnect(&children));
        }
        OK(MPI_Barrier(all));
    }
    OK(MPI_Comm_disconnect(&all));
}

static void end_badly(MPI_Comm other, int accepts, const char *how)
{
    if (accepts || check_rank < check_size - 1) {
        OK(MPI_Barrier(other));
    } else if (strcmp(how, "crash") == 0) {
        raise(SIGSEGV);
    } else if (strcmp(how, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else {
        kill(getpid(), SIGKILL);
        pause();
    }
}

static void fail_to_start(char *program)
{
    char *arguments[] = {"quit", NULL};
    MPI_Comm children;

    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int round = 0; round < 3; round++)
        FAILS(MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* Nobody can reach the other side. */
static void be_refused(int accepts, const char *service)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;

    if (check_rank == 0 && accepts) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
    } else if (check_rank == 0) {
        look_up(service, port);
    }
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (accepts)
        FAILS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other), MPI_ERR_PORT);
    else
        FAILS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other), MPI_ERR_PORT);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* The part of a world that was started to meet others: they tell it when its parents are gone. */
static int meet_for_others(int accepts, const char *service)
{
    MPI_Comm parent = parents(), other;
    int pid;

    OK(MPI_Bcast(&pid, 1, MPI_INT, 0, parent));
    other = find(accepts, service);
    talk(other, accepts);
    OK(MPI_Comm_disconnect(&parent));
    outlive(pid);
    talk(other, accepts);
    OK(MPI_Comm_disconnect(&other));
    return check_end();
}

static void have_others_meet(int accepts, const char *service, char *program)
{
    char *arguments[] = {"instead", accepts ? "accept" : "connect", (char *)service, NULL};
    MPI_Comm children;
    int pid = getpid();

    OK(MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
    OK(MPI_Bcast(&pid, 1, MPI_INT, check_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children));
    OK(MPI_Comm_disconnect(&children));
}

/* One after the other comes, and all who have come are one. */
static void gather_crowd(int accepts, const char *service)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm all, other, more;
    int size;

    if (check_rank == 0 && accepts) {
        OK(MPI_Open_port(MPI_INFO_NULL, port));
        OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
    }
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    OK(MPI_Comm_size(all, &size));
    for (int connects = !accepts; size < crowd; connects = 0) {
        if (connects)
            other = connect_to(service);
        else
            OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, all, &other));
        talk(other, connects);
        OK(MPI_Intercomm_merge(other, connects, &more));
        OK(MPI_Comm_disconnect(&other));
        OK(MPI_Comm_free(&all));
        all = more;
        OK(MPI_Comm_size(all, &size));
        agree(all);
    }
    OK(MPI_Comm_disconnect(&all));
}

int main(int argc, char **argv)
{
    MPI_Comm other;
    int accepts = argc > 1 && strcmp(argv[1], "accept") == 0;
    const char *service = argc > 2 ? argv[2] : "", *what = argc > 3 ? argv[3] : "";

    if (strcmp(part(argc, argv), "quit") == 0)
        return 0;
    check_begin(&argc, &argv);
    if (strcmp(part(argc, argv), "instead") == 0)
        return meet_for_others(strcmp(argv[2], "accept") == 0, argv[3]);
    if (strcmp(part(argc, argv), "child") == 0) {
        other = parents();
        talk(other, 1);
        OK(MPI_Comm_disconnect(&other));
        OK(MPI_Finalize());
        return 0;
    }
    if (strcmp(what, "refused") == 0) {
        be_refused(accepts, service);
        return check_end();
    }
    if (strcmp(what, "crowd") == 0) {
        gather_crowd(accepts, service);
        return check_end();
    }
    if (strcmp(what, "children") == 0) {
        have_others_meet(accepts, service, argv[0]);
        OK(MPI_Finalize());
        return 0;
    }
    other = find(accepts, service);
    talk(other, accepts);
    if (strcmp(what, "meet") == 0) {
        for (int round = 0; round < 2; round++) {
            OK(MPI_Comm_disconnect(&other));
            other = find(accepts, service);
            talk(other, !accepts);
        }
        OK(MPI_Comm_disconnect(&other));
    } else if (strcmp(what, "outlive") == 0) {
        int pid = pid_of(other);
        OK(MPI_Comm_disconnect(&other));
        if (accepts)
            outlive(pid);
    } else if (strcmp(what, "stay") == 0) {
        int pid = pid_of(other);
        if (!accepts) {
            usleep(300000);
            CHECK(kill(pid, 0) == 0);
        }
    } else if (strcmp(what, "spawn") == 0) {
        start_others(other, accepts, argv[0]);
        OK(MPI_Comm_disconnect(&other));
    } else if (strcmp(what, "quit") == 0) {
        if (accepts)
            fail_to_start(argv[0]);
        start_others(other, accepts, argv[0]);
        OK(MPI_Comm_disconnect(&other));
    } else if (strcmp(what, "lonely") == 0) {
        OK(MPI_Comm_disconnect(&other));
        if (accepts)
            OK(MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (strcmp(what, "apart") == 0) {
        int pid = pid_of(other);
        OK(MPI_Comm_disconnect(&other));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (!accepts) {
            char port[MPI_MAX_PORT_NAME];
            look_up("all have parted", port);
            kill(getpid(), SIGKILL);
        }
        if (check_rank == 0)
            OK(MPI_Publish_name("all have parted", MPI_INFO_NULL, "nowhere"));
        outlive(pid);
    } else if (strcmp(what, "wait") == 0) {
        OK(MPI_Barrier(other));
        if (check_rank == 0 && write(1, "up\n", 3) != 3)
            MPI_Abort(MPI_COMM_WORLD, 98);
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 9, other, MPI_STATUS_IGNORE));
    } else {
        end_badly(other, accepts, what);
    }
    return check_end();
}
