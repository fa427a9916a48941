/* Communicators of ranks that have something in common, and communicators from groups without another one. */
#include "mpi_check.h"

static int class_of(int code)
{
    int class;
    OK(MPI_Error_class(code, &class));
    return class;
}

static int size_of(MPI_Comm comm)
{
    int size = 0;
    if (comm != MPI_COMM_NULL)
        OK(MPI_Comm_size(comm, &size));
    return size;
}

/* Splits the world, with one key in the info, and checks that the parts make up the whole. */
static int split(int type, const char *key, const char *value, int everybody)
{
    MPI_Comm part;
    MPI_Info info = MPI_INFO_NULL;
    if (key) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, key, value));
    }
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, -check_rank, info, &part));
    int size = size_of(part), rank, one = 1, members = 0;
    CHECK(!everybody || size > 0);
    if (size > 0) {
        OK(MPI_Comm_rank(part, &rank));
        OK(MPI_Allreduce(&one, &members, 1, MPI_INT, MPI_SUM, part));
        CHECK(members == size && rank < size);
        int right = (rank + 1) % size, left = (rank + size - 1) % size, above;
        OK(MPI_Sendrecv(&check_rank, 1, MPI_INT, right, 0, &above, 1, MPI_INT, left, 0, part, MPI_STATUS_IGNORE));
        CHECK(rank == 0 || above > check_rank);
        OK(MPI_Comm_free(&part));
    }
    if (info != MPI_INFO_NULL)
        OK(MPI_Info_free(&info));
    return size;
}

static void types(void)
{
    const char *hardware = "mpi_hw_resource_type", *set = "mpi_pset_name";
    MPI_Comm part;
    CHECK(split(MPI_COMM_TYPE_SHARED, NULL, NULL, 1) == check_size);
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, hardware, "mpi_shared_memory", 1) == check_size);
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, hardware, "hwloc://Machine", 1) == check_size);
    /* A rank that is a process is not bound to a core. */
    split(MPI_COMM_TYPE_HW_GUIDED, hardware, "hwloc://Core", getenv("SIMURGH_RANK") == NULL);
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, hardware, "abacus", 0) == 0);
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, NULL, NULL, 0) == 0);
    CHECK(split(MPI_COMM_TYPE_HW_GUIDED, set, "mpi://WORLD", 0) == 0);
    CHECK(split(MPI_COMM_TYPE_RESOURCE_GUIDED, hardware, "hwloc://Machine", 1) == check_size);
    CHECK(split(MPI_COMM_TYPE_RESOURCE_GUIDED, set, "mpi://WORLD", 1) == check_size);
    CHECK(split(MPI_COMM_TYPE_RESOURCE_GUIDED, set, "mpi://SELF", 1) == 1);
    CHECK(split(MPI_COMM_TYPE_RESOURCE_GUIDED, set, "mpi://NOBODY", 0) == 0);
    CHECK(split(MPI_COMM_TYPE_RESOURCE_GUIDED, NULL, NULL, 0) == 0);

    int type = check_rank % 2 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &part));
    CHECK(size_of(part) == (check_rank % 2 ? 0 : (check_size + 1) / 2));
    if (part != MPI_COMM_NULL)
        OK(MPI_Comm_free(&part));

    MPI_Info info;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, hardware, "hwloc://Machine"));
    OK(MPI_Info_set(info, set, "mpi://WORLD"));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK(class_of(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part)) == MPI_ERR_INFO);
    CHECK(class_of(MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, info, &part)) == MPI_ERR_ARG);
    OK(MPI_Info_free(&info));
}

/* Level by level down to what is not divided any more. */
static void unguided(void)
{
    MPI_Comm comm = MPI_COMM_WORLD, part;
    for (int level = 0;; level++) {
        CHECK(level < 10);
        MPI_Info info;
        char resource[64] = "";
        int length = sizeof resource, flag, result;
        OK(MPI_Info_create(&info));
        OK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_UNGUIDED, check_rank, info, &part));
        OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &length, resource, &flag));
        OK(MPI_Info_free(&info));
        CHECK(flag == (part != MPI_COMM_NULL));
        if (part == MPI_COMM_NULL)
            break;
        CHECK(size_of(part) < size_of(comm) && !strncmp(resource, "hwloc://", 8));
        /* Asking for this resource gives the same ranks. */
        MPI_Comm same;
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "mpi_hw_resource_type", resource));
        OK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_HW_GUIDED, check_rank, info, &same));
        OK(MPI_Info_free(&info));
        OK(MPI_Comm_compare(part, same, &result));
        CHECK(result == MPI_CONGRUENT);
        OK(MPI_Comm_free(&same));
        if (comm != MPI_COMM_WORLD)
            OK(MPI_Comm_free(&comm));
        comm = part;
    }
    if (comm != MPI_COMM_WORLD)
        OK(MPI_Comm_free(&comm));
}

static void from_groups(void)
{
    MPI_Comm comm, inter;
    MPI_Group world, own, halves[2];
    MPI_Info info;
    int range[1][3] = {{check_size - 1, 0, -1}}, rank, result;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, range, &own));
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    OK(MPI_Comm_create_from_group(own, "turned", info, MPI_ERRORS_RETURN, &comm));
    OK(MPI_Info_free(&info));
    OK(MPI_Comm_rank(comm, &rank));
    CHECK(rank == check_size - 1 - check_rank);
    int got;
    CHECK(class_of(MPI_Recv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE)) == MPI_ERR_TAG);
    OK(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    CHECK(result == (check_size == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
    OK(MPI_Barrier(comm));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "nobody", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK(comm == MPI_COMM_NULL);
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    memset(tag, 'x', sizeof tag - 1);
    tag[sizeof tag - 1] = 0;
    CHECK(class_of(MPI_Comm_create_from_group(own, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm)) == MPI_ERR_ARG);

    if (check_size > 1) {
        int side = check_rank % 2, size;
        int even[1][3] = {{0, check_size - 1, 2}};
        OK(MPI_Group_range_incl(world, 1, even, &halves[0]));
        OK(MPI_Group_range_excl(world, 1, even, &halves[1]));
        /* Only the leader has to know the other group. */
        MPI_Group remote = check_rank < 2 ? halves[!side] : MPI_GROUP_NULL;
        OK(MPI_Intercomm_create_from_groups(halves[side], 0, remote, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                            &inter));
        OK(MPI_Comm_remote_size(inter, &size));
        CHECK(size == (side ? (check_size + 1) / 2 : check_size / 2));
        OK(MPI_Barrier(inter));
        OK(MPI_Comm_free(&inter));
        CHECK(class_of(MPI_Intercomm_create_from_groups(halves[side], 0, halves[!side], check_size, "halves",
                  MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter)) == MPI_ERR_RANK);
        CHECK(class_of(MPI_Intercomm_create_from_groups(halves[!side], 0, halves[side], 0, "halves", MPI_INFO_NULL,
                  MPI_ERRORS_RETURN, &inter)) == MPI_ERR_GROUP);
        OK(MPI_Group_free(&halves[0]));
        OK(MPI_Group_free(&halves[1]));
    }
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    types();
    unguided();
    from_groups();
    return check_end();
}
