/* Inter-communicators of several shapes, for the tests of collectives on them. */
#ifndef MPI_INTER_H
#define MPI_INTER_H

#include "mpi_check.h"

enum { MAX_RANKS = 64, SHAPES = 5 };

struct inter {
    MPI_Comm comm;
    /* Whether this rank is in the group that the tests call the left one. */
    int left;
    int rank, local, remote;
    /* The ranks of both groups in the world. */
    int here[MAX_RANKS], there[MAX_RANKS];
};

static inline void ranks_of(MPI_Group group, int *ranks)
{
    MPI_Group world;
    int size, index[MAX_RANKS];
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_size(group, &size));
    CHECK(size <= MAX_RANKS);
    for (int i = 0; i < size; i++)
        index[i] = i;
    OK(MPI_Group_translate_ranks(group, size, index, world, ranks));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&group));
}

/* The ranks of the world with `left` and the others, by ascending or descending rank. */
static inline MPI_Comm join_sides(int left, int first_left, int first_right, int descending)
{
    MPI_Comm side, inter;
    OK(MPI_Comm_split(MPI_COMM_WORLD, left, descending ? -check_rank : check_rank, &side));
    OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, left ? first_right : first_left, 5, &inter));
    OK(MPI_Comm_free(&side));
    return inter;
}

/* Even and odd ranks; the first and the others; the last and the others, backwards; a duplicate of halves; a split. */
static inline void make_inter(int shape, struct inter *it)
{
    int last = check_size - 1, half = check_size / 2;
    MPI_Comm parent;
    MPI_Group group;
    switch (shape) {
    case 0:
        it->left = check_rank % 2 == 0;
        it->comm = join_sides(it->left, 0, 1, 0);
        break;
    case 1:
        it->left = check_rank == 0;
        it->comm = join_sides(it->left, 0, 1, 0);
        break;
    case 2:
        it->left = check_rank != last;
        it->comm = join_sides(it->left, last - 1, last, 1);
        break;
    case 3:
        it->left = check_rank >= half;
        parent = join_sides(it->left, half, 0, 0);
        OK(MPI_Comm_dup(parent, &it->comm));
        OK(MPI_Comm_free(&parent));
        break;
    default:
        it->left = check_rank < half;
        parent = join_sides(it->left, 0, half, 0);
        OK(MPI_Comm_split(parent, 0, check_rank * 7 % 5, &it->comm));
        OK(MPI_Comm_free(&parent));
    }
    OK(MPI_Comm_rank(it->comm, &it->rank));
    OK(MPI_Comm_size(it->comm, &it->local));
    OK(MPI_Comm_remote_size(it->comm, &it->remote));
    OK(MPI_Comm_group(it->comm, &group));
    ranks_of(group, it->here);
    OK(MPI_Comm_remote_group(it->comm, &group));
    ranks_of(group, it->there);
    CHECK(it->here[it->rank] == check_rank && it->local + it->remote == check_size);
}

/* The root argument of a rank when rank `root` of the left or the right group is the root. */
static inline int root_of(const struct inter *it, int on_left, int root)
{
    if (on_left != it->left)
        return root;
    return it->rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

/* The size of the group on the left, or of that on the right. */
static inline int size_of(const struct inter *it, int left)
{
    return left == it->left ? it->local : it->remote;
}

#endif
