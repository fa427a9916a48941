/* Inter-communicators: making them, messages over them, what is made from them, and wrong arguments. */
#include "mpi_check.h"

static int even(void) { return check_rank % 2 == 0; }
static int local_size(void) { return even() ? (check_size + 1) / 2 : check_size / 2; }
static int remote_size(void) { return check_size - local_size(); }

static int class_of(int code)
{
    int class;
    OK(MPI_Error_class(code, &class));
    return class;
}

/* The even and the odd ranks. */
static MPI_Comm two_groups(int tag)
{
    MPI_Comm half, inter;
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
    /* Only the leader's peer communicator counts. */
    MPI_Comm peer = check_rank < 2 ? MPI_COMM_WORLD : MPI_COMM_NULL;
    OK(MPI_Intercomm_create(half, 0, peer, even(), tag, &inter));
    OK(MPI_Comm_free(&half));
    return inter;
}

/* Every rank sends its number in the world to all of the other group. */
static void talk(MPI_Comm inter, int local, int remote, int step, int first)
{
    for (int to = 0; to < remote; to++)
        OK(MPI_Send(&check_rank, 1, MPI_INT, to, 9, inter));
    for (int from = 0; from < remote; from++) {
        int got = -1;
        MPI_Status status;
        OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status));
        CHECK(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < remote && status.MPI_TAG == 9);
        OK(MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 9, inter, MPI_STATUS_IGNORE));
        CHECK(got == first + step * status.MPI_SOURCE);
    }
    int size;
    OK(MPI_Comm_size(inter, &size));
    CHECK(size == local);
    OK(MPI_Barrier(inter));
}

static void asked(MPI_Comm inter)
{
    int flag, size, rank, result;
    OK(MPI_Comm_test_inter(inter, &flag));
    CHECK(flag);
    OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
    CHECK(!flag);
    OK(MPI_Comm_size(inter, &size));
    OK(MPI_Comm_rank(inter, &rank));
    CHECK(size == local_size() && rank == check_rank / 2);
    OK(MPI_Comm_remote_size(inter, &size));
    CHECK(size == remote_size());
    MPI_Group local, remote, world, all;
    OK(MPI_Comm_group(inter, &local));
    OK(MPI_Comm_remote_group(inter, &remote));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_union(local, remote, &all));
    OK(MPI_Group_compare(all, world, &result));
    CHECK(result == (check_size == 2 && even() ? MPI_IDENT : MPI_SIMILAR));
    int mine = 0, there;
    OK(MPI_Group_translate_ranks(remote, 1, &mine, world, &there));
    CHECK(there == even());
    OK(MPI_Group_free(&local));
    OK(MPI_Group_free(&remote));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&all));
    OK(MPI_Comm_compare(inter, MPI_COMM_WORLD, &result));
    CHECK(result == MPI_UNEQUAL);
}

static void derived(MPI_Comm inter)
{
    MPI_Comm dup, merged, part;
    int result, rank, size;
    OK(MPI_Comm_dup(inter, &dup));
    OK(MPI_Comm_compare(inter, dup, &result));
    CHECK(result == MPI_CONGRUENT);
    talk(dup, local_size(), remote_size(), 2, even());
    OK(MPI_Comm_free(&dup));

    MPI_Request request;
    OK(MPI_Comm_idup(inter, &dup, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    talk(dup, local_size(), remote_size(), 2, even());
    OK(MPI_Comm_free(&dup));

    OK(MPI_Intercomm_merge(inter, even(), &merged));
    OK(MPI_Comm_rank(merged, &rank));
    CHECK(rank == check_rank / 2 + (even() ? check_size / 2 : 0));
    OK(MPI_Allreduce(&check_rank, &result, 1, MPI_INT, MPI_SUM, merged));
    CHECK(result == check_size * (check_size - 1) / 2);
    OK(MPI_Comm_free(&merged));

    /* The first of each side in one, the others in another that has both sides only from four ranks on. */
    OK(MPI_Comm_split(inter, check_rank < 2, 0, &part));
    if (check_rank < 2) {
        talk(part, 1, 1, 2, even());
        OK(MPI_Comm_free(&part));
    } else if (check_size > 3) {
        talk(part, local_size() - 1, remote_size() - 1, 2, even() + 2);
        OK(MPI_Comm_free(&part));
    } else {
        CHECK(part == MPI_COMM_NULL);
    }

    MPI_Group local, last;
    OK(MPI_Comm_group(inter, &local));
    int end = local_size() - 1;
    OK(MPI_Group_incl(local, 1, &end, &last));
    OK(MPI_Comm_create(inter, last, &part));
    CHECK((part != MPI_COMM_NULL) == (check_rank / 2 == end));
    if (part != MPI_COMM_NULL) {
        OK(MPI_Comm_remote_size(part, &size));
        CHECK(size == 1);
        OK(MPI_Comm_free(&part));
    }
    OK(MPI_Comm_create(inter, even() ? last : MPI_GROUP_EMPTY, &part));
    CHECK(part == MPI_COMM_NULL);
    OK(MPI_Group_free(&last));
    OK(MPI_Group_free(&local));
}

static void wrong(MPI_Comm inter)
{
    MPI_Comm none, half;
    int one = 1, size;
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    CHECK(class_of(MPI_Send(&one, 1, MPI_INT, remote_size(), 0, inter)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Comm_remote_size(MPI_COMM_WORLD, &size)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &none)) == MPI_ERR_COMM);
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, 0, &half));
    CHECK(class_of(MPI_Intercomm_create(half, local_size(), MPI_COMM_WORLD, even(), 1, &none)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_size, 1, &none)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, even(), -1, &none)) == MPI_ERR_TAG);
    CHECK(class_of(MPI_Intercomm_create(half, 0, MPI_COMM_NULL, even(), 1, &none)) == MPI_ERR_COMM);
    CHECK(class_of(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !even(), 1, &none)) == MPI_ERR_COMM);
    OK(MPI_Comm_free(&half));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_size > 1) {
        MPI_Comm first = two_groups(1), second = two_groups(1);
        asked(first);
        talk(first, local_size(), remote_size(), 2, even());
        derived(first);
        wrong(second);
        OK(MPI_Comm_free(&first));
        OK(MPI_Comm_free(&second));
    }
    return check_end();
}
