/* Worlds that ranks start: their size, their arguments, and that they talk with those who have started them. */
#include "spawned.h"

/* Both sides do the same: messages, collectives between the groups, and in the union of both. */
static void talk(MPI_Comm other, int high)
{
    int rank, size, remote, sum, mine = high ? 100 : 1;
    MPI_Comm all;

    OK(MPI_Comm_rank(other, &rank));
    OK(MPI_Comm_size(other, &size));
    OK(MPI_Comm_remote_size(other, &remote));
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, other));
    CHECK(sum == remote * (high ? 1 : 100));
    OK(MPI_Intercomm_merge(other, high, &all));
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK(sum == (high ? size * 100 + remote : size + remote * 100));

    /* Long messages round all. */
    int members, place, length = 50000;
    int *out = malloc(length * sizeof *out), *in = malloc(length * sizeof *in);
    OK(MPI_Comm_size(all, &members));
    OK(MPI_Comm_rank(all, &place));
    for (int i = 0; i < length; i++)
        out[i] = place * length + i;
    int next = (place + 1) % members, last = (place + members - 1) % members;
    OK(MPI_Sendrecv(out, length, MPI_INT, next, 3, in, length, MPI_INT, last, 3, all, MPI_STATUS_IGNORE));
    for (int i = 0; i < length; i++)
        CHECK(in[i] == last * length + i);
    free(out);
    free(in);
    OK(MPI_Comm_free(&all));
}

static int child(int argc, char **argv)
{
    MPI_Comm parent = parents(), gone;

    if (strcmp(part(argc, argv), "grandparent") == 0) {
        MPI_Comm children = spawn(MPI_COMM_WORLD, argv[0], "child", 2);
        talk(children, 0);
        OK(MPI_Comm_disconnect(&children));
    }
    talk(parent, 1);
    OK(MPI_Comm_disconnect(&parent));
    CHECK(parent == MPI_COMM_NULL);
    OK(MPI_Comm_get_parent(&gone));
    CHECK(gone == MPI_COMM_NULL);
    OK(MPI_Finalize());
    return 0;
}

/* A mistake is as harmful as those want it who have started this world. */
static int careless(void)
{
    MPI_Comm parent = parents();
    int rank;

    FAILS(MPI_Comm_rank(MPI_COMM_NULL, &rank), MPI_ERR_COMM);
    OK(MPI_Comm_disconnect(&parent));
    OK(MPI_Finalize());
    return 0;
}

/* A world of two programs, each with its own arguments and its number. */
static int one_of_two(int argc, char **argv)
{
    MPI_Comm parent = parents();
    int *number, found;

    CHECK(argc == 3 && check_size == 3);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found));
    CHECK(found && *number == (check_rank == 0 ? 0 : 1) && *number == atoi(argv[2]));
    talk(parent, 1);
    OK(MPI_Comm_disconnect(&parent));
    OK(MPI_Finalize());
    return 0;
}

static void two_programs(char *program)
{
    char *commands[] = {program, program};
    char *first[] = {"two", "0", NULL}, *second[] = {"two", "1", NULL};
    char **arguments[] = {first, second};
    int numbers[] = {1, 2}, codes[3];
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children;

    OK(MPI_Comm_spawn_multiple(2, commands, arguments, numbers, infos, 0, MPI_COMM_WORLD, &children, codes));
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS && codes[2] == MPI_SUCCESS);
    talk(children, 0);
    OK(MPI_Comm_disconnect(&children));
}

/* A program that cannot be started is an error and no more; only the root's arguments count. */
static void mistakes(char *program)
{
    char missing[] = "/no/such/program", nothing[] = "";
    MPI_Comm children;
    int codes[2] = {-1, -1};

    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    char *command = check_rank == check_size - 1 ? missing : nothing;
    FAILS(MPI_Comm_spawn(command, MPI_ARGV_NULL, 2, MPI_INFO_NULL, check_size - 1, MPI_COMM_WORLD, &children, codes),
          MPI_ERR_SPAWN);
    if (check_rank == check_size - 1) {
        int class;
        for (int i = 0; i < 2; i++) {
            OK(MPI_Error_class(codes[i], &class));
            CHECK(class == MPI_ERR_SPAWN);
        }
    }
    FAILS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE),
          MPI_ERR_ARG);
    FAILS(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, check_size, MPI_COMM_WORLD, &children,
                         MPI_ERRCODES_IGNORE),
          MPI_ERR_ROOT);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* Hints: where to look for the program, which numbers will do, and what errors do. */
static void hints(char *program)
{
    char *arguments[] = {"child", NULL}, path[4096], *name = strrchr(program, '/') + 1;
    int codes[5], class, remote;
    MPI_Info info;
    MPI_Comm children;

    snprintf(path, sizeof path, "%.*s", (int)(name - program - 1), program);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "path", path));
    OK(MPI_Info_set(info, "soft", "1:2,7"));
    OK(MPI_Comm_spawn(name, arguments, 5, info, 0, MPI_COMM_WORLD, &children, codes));
    OK(MPI_Comm_remote_size(children, &remote));
    CHECK(remote == 2 && codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
    if (check_rank == 0) {
        OK(MPI_Error_class(codes[4], &class));
        CHECK(class == MPI_ERR_SPAWN);
    }
    OK(MPI_Info_free(&info));
    talk(children, 0);
    OK(MPI_Comm_disconnect(&children));

    arguments[0] = "careless";
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_initial_errhandler", "mpi_errors_return"));
    OK(MPI_Comm_spawn(program, arguments, 2, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_disconnect(&children));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (strcmp(part(argc, argv), "two") == 0)
        return one_of_two(argc, argv);
    if (strcmp(part(argc, argv), "careless") == 0)
        return careless();
    if (*part(argc, argv))
        return child(argc, argv);
    int numbers[] = {1, 2, 7}, *size, found;
    MPI_Comm parent;

    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &size, &found));
    CHECK(!found || *size >= check_size);
    for (int i = 0; i < 3; i++) {
        MPI_Comm children = spawn(MPI_COMM_WORLD, argv[0], "child", numbers[i]);
        talk(children, 0);
        OK(MPI_Comm_disconnect(&children));
    }
    MPI_Comm children = spawn(MPI_COMM_WORLD, argv[0], "grandparent", 2);
    talk(children, 0);
    OK(MPI_Comm_disconnect(&children));
    /* Each rank for itself, all at once. */
    MPI_Comm own = spawn(MPI_COMM_SELF, argv[0], "child", 1);
    talk(own, 0);
    OK(MPI_Comm_disconnect(&own));
    two_programs(argv[0]);
    mistakes(argv[0]);
    hints(argv[0]);
    return check_end();
}
