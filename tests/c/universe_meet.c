/* A job that meets another one in a universe. Arguments: "accept" or "connect", the name of the service, and what is
 * done then:
 *   meet     they talk and part, three times
 *   outlive  they part, those who have connected end, and the others stay until they have
 *   stay     they do not part: who connects ends later, and the others with them
 *   spawn    they are one, start others together, and those talk with all; then each side does so for itself
 *   crash, abort, kill   the last of those who connect ends badly while the others wait for it
 *   apart    the same after all have parted
 *   wait     they say so, and wait until they are ended */
#include "universe.h"

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

int main(int argc, char **argv)
{
    MPI_Comm other;
    int accepts = argc > 1 && strcmp(argv[1], "accept") == 0;
    const char *service = argc > 2 ? argv[2] : "", *what = argc > 3 ? argv[3] : "";

    check_begin(&argc, &argv);
    if (strcmp(part(argc, argv), "child") == 0) {
        other = parents();
        talk(other, 1);
        OK(MPI_Comm_disconnect(&other));
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
