/* Groups and communicators: making, comparing, freeing. */
#include "mpi_check.h"

static void groups(void)
{
    MPI_Group world, evens, odds, all, none, same;
    int n, rank, result;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_size(world, &n));
    OK(MPI_Group_rank(world, &rank));
    CHECK(n == check_size && rank == check_rank);
    int range[1][3] = {{0, check_size - 1, 2}};
    OK(MPI_Group_range_incl(world, 1, range, &evens));
    OK(MPI_Group_range_excl(world, 1, range, &odds));
    OK(MPI_Group_size(evens, &n));
    CHECK(n == (check_size + 1) / 2);
    OK(MPI_Group_rank(evens, &rank));
    CHECK(rank == (check_rank % 2 ? MPI_UNDEFINED : check_rank / 2));
    OK(MPI_Group_union(evens, odds, &all));
    OK(MPI_Group_compare(all, world, &result));
    CHECK(result == (check_size <= 2 ? MPI_IDENT : MPI_SIMILAR));
    OK(MPI_Group_intersection(evens, odds, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    OK(MPI_Group_difference(world, odds, &same));
    OK(MPI_Group_compare(same, evens, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Group_compare(evens, MPI_GROUP_EMPTY, &result));
    CHECK(result == MPI_UNEQUAL);
    int ranks[2] = {0, MPI_PROC_NULL}, there[2];
    OK(MPI_Group_translate_ranks(evens, 2, ranks, world, there));
    CHECK(there[0] == 0 && there[1] == MPI_PROC_NULL);
    OK(MPI_Group_translate_ranks(world, 1, ranks, odds, there));
    CHECK(there[0] == MPI_UNDEFINED);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&evens));
    if (odds != MPI_GROUP_EMPTY)
        OK(MPI_Group_free(&odds));
    OK(MPI_Group_free(&all));
    OK(MPI_Group_free(&none));
    OK(MPI_Group_free(&same));
    CHECK(world == MPI_GROUP_NULL && none == MPI_GROUP_NULL);
}

static void contexts(void)
{
    MPI_Comm dup;
    int result, flag, value = check_rank, got = -1;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_compare(dup, MPI_COMM_WORLD, &result));
    CHECK(result == MPI_CONGRUENT);
    OK(MPI_Comm_compare(dup, dup, &result));
    CHECK(result == MPI_IDENT);
    OK(MPI_Comm_compare(MPI_COMM_SELF, MPI_COMM_WORLD, &result));
    CHECK(result == (check_size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    OK(MPI_Comm_test_inter(dup, &flag));
    CHECK(!flag);
    /* Messages of one communicator are not received in another. */
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    MPI_Request requests[2];
    int other = 1000 + check_rank;
    OK(MPI_Isend(&value, 1, MPI_INT, right, 0, dup, &requests[0]));
    OK(MPI_Isend(&other, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(got == 1000 + left);
    OK(MPI_Comm_free(&dup)); /* with a message in flight */
    CHECK(dup == MPI_COMM_NULL);
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));

    char name[MPI_MAX_OBJECT_NAME];
    int length;
    OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK(!strcmp(name, "MPI_COMM_WORLD") && length == 14);
    OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK(!strcmp(name, "MPI_COMM_SELF") && length == 13);
    OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
    CHECK(!strcmp(name, "MPI_COMM_NULL") && length == 13);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(length == 0 && !*name);
    OK(MPI_Comm_set_name(dup, "hare"));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(length == 4 && !strcmp(name, "hare"));
    char longest[MPI_MAX_OBJECT_NAME + 50];
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = 0;
    OK(MPI_Comm_set_name(dup, longest));
    OK(MPI_Comm_get_name(dup, name, &length));
    CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strlen(name) == (size_t)length && !strncmp(name, longest, length));
    OK(MPI_Comm_free(&dup));
}

static void parts(void)
{
    MPI_Comm part, reverse, pair;
    int rank, size, sum;
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &part));
    OK(MPI_Comm_rank(part, &rank));
    OK(MPI_Comm_size(part, &size));
    CHECK(rank == check_rank / 2 && size == (check_size + 1 - check_rank % 2) / 2);
    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, part));
    int expected = 0;
    for (int r = check_rank % 2; r < check_size; r += 2)
        expected += r;
    CHECK(sum == expected);
    OK(MPI_Comm_split(part, 0, -rank, &reverse));
    OK(MPI_Comm_rank(reverse, &rank));
    CHECK(rank == size - 1 - check_rank / 2);
    OK(MPI_Comm_free(&reverse));
    OK(MPI_Comm_free(&part));
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank ? MPI_UNDEFINED : 3, 0, &part));
    CHECK((part == MPI_COMM_NULL) == (check_rank != 0));
    if (part != MPI_COMM_NULL)
        OK(MPI_Comm_free(&part));

    MPI_Group world, ends;
    int ranks[2] = {0, check_size - 1}, n = check_size > 1 ? 2 : 1;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, n, ranks, &ends));
    OK(MPI_Comm_create(MPI_COMM_WORLD, ends, &pair));
    int inside = check_rank == 0 || check_rank == check_size - 1;
    CHECK((pair != MPI_COMM_NULL) == inside);
    if (inside) {
        OK(MPI_Comm_size(pair, &size));
        CHECK(size == n);
        OK(MPI_Comm_free(&pair));
        OK(MPI_Comm_create_group(MPI_COMM_WORLD, ends, 4, &pair));
        OK(MPI_Comm_rank(pair, &rank));
        CHECK(rank == (check_rank ? 1 : 0));
        OK(MPI_Barrier(pair));
        OK(MPI_Comm_free(&pair));
    }
    OK(MPI_Group_free(&ends));
    OK(MPI_Group_free(&world));
}

/* Ranges: downwards, meeting their bound or not, and wrong ones. */
static void ranges(void)
{
    MPI_Group world, turned, some, none;
    int n, all[1][3] = {{check_size - 1, 0, -1}}, ranks[1] = {0}, there[1], class;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_range_incl(world, 1, all, &turned));
    OK(MPI_Group_translate_ranks(world, 1, &check_rank, turned, there));
    CHECK(there[0] == check_size - 1 - check_rank);
    OK(MPI_Group_range_excl(world, 1, all, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    OK(MPI_Group_range_incl(world, 0, NULL, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    int steps[1][3] = {{check_size - 1, 0, -2}};
    OK(MPI_Group_range_incl(world, 1, steps, &some));
    OK(MPI_Group_size(some, &n));
    CHECK(n == (check_size + 1) / 2);
    OK(MPI_Group_excl(world, 0, NULL, &none));
    OK(MPI_Group_compare(none, world, &n));
    CHECK(n == MPI_IDENT);
    OK(MPI_Group_free(&none));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    int wrong[][3] = {{0, check_size, 1}, {0, 0, 0}, {1, 0, 1}, {0, -1, -1}};
    int expected[] = {MPI_ERR_RANK, MPI_ERR_ARG, MPI_ERR_ARG, MPI_ERR_RANK};
    for (int i = 0; i < 4; i++) {
        OK(MPI_Error_class(MPI_Group_range_incl(world, 1, &wrong[i], &none), &class));
        CHECK(class == expected[i]);
        OK(MPI_Error_class(MPI_Group_range_excl(world, 1, &wrong[i], &none), &class));
        CHECK(class == expected[i]);
    }
    ranks[0] = check_size;
    OK(MPI_Error_class(MPI_Group_translate_ranks(world, 1, ranks, turned, there), &class));
    CHECK(class == MPI_ERR_RANK);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Group_free(&some));
    OK(MPI_Group_free(&turned));
    OK(MPI_Group_free(&world));
}

/* Groups that overlap, call after call, made by their members alone: who is slow in one call is awaited in the next. */
static void overlapping(void)
{
    MPI_Group world;
    unsigned bits = 1;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int round = 0; round < 50; round++) {
        int members[64], count = 0, inside = 0;
        for (int rank = 0; rank < check_size; rank++) {
            bits = bits * 1103515245 + 12345;
            if (bits >> 16 & 1) {
                members[count++] = rank;
                inside |= rank == check_rank;
            }
        }
        MPI_Group group;
        MPI_Comm comm;
        OK(MPI_Group_incl(world, count, members, &group));
        if (inside) {
            int size;
            OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm));
            OK(MPI_Comm_size(comm, &size));
            CHECK(size == count);
            OK(MPI_Barrier(comm));
            OK(MPI_Comm_free(&comm));
        }
        OK(MPI_Group_free(&group));
    }
    OK(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    groups();
    ranges();
    overlapping();
    contexts();
    parts();
    for (int i = 0; i < 3000; i++) {
        MPI_Comm dup;
        OK(MPI_Comm_dup(i % 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &dup));
        OK(MPI_Comm_free(&dup));
    }
    return check_end();
}
