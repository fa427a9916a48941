/* Reductions on inter-communicators: each group gets what the other one brings, combined in rank order. */
#include "forms.h"
#include "mpi_inter.h"

/* A map x -> factor * x + term on the numbers modulo 2^32; maps follow each other in order. */
struct map {
    unsigned factor, term;
};

static MPI_Datatype MAP;
static MPI_Op CHAIN;

static struct map then(struct map first, struct map second)
{
    return (struct map){first.factor * second.factor, second.factor * first.term + second.term};
}

static void chain(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct map *first = in, *second = inout;
    int bytes;
    OK(MPI_Type_size(*type, &bytes));
    CHECK(bytes == sizeof *first);
    for (int i = 0; i < *length; i++)
        second[i] = then(first[i], second[i]);
}

static struct map brought(int rank, int i)
{
    return (struct map){2u * rank + 3, 7u * rank + i};
}

/* All that these ranks bring as element i. */
static struct map combined(const int *ranks, int size, int i)
{
    struct map all = brought(ranks[0], i);
    for (int r = 1; r < size; r++)
        all = then(all, brought(ranks[r], i));
    return all;
}

static struct map *maps(int n)
{
    struct map *maps = calloc(n + 1, sizeof *maps);
    CHECK(maps);
    for (int i = 0; i < n; i++)
        maps[i] = brought(check_rank, i);
    return maps;
}

static int same(struct map a, struct map b)
{
    return a.factor == b.factor && a.term == b.term;
}

static void to_root(const struct inter *it, int on_left, int root, int n)
{
    int role = root_of(it, on_left, root);
    struct map *out = maps(n), *in = maps(n);
    if (role == MPI_PROC_NULL) {
        CALL(Reduce, reduce, NULL, NULL, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, role, it->comm);
    } else if (role == MPI_ROOT) {
        CALL(Reduce, reduce, NULL, in, n, MAP, CHAIN, role, it->comm);
        for (int i = 0; i < n; i++)
            CHECK(same(in[i], combined(it->there, it->remote, i)));
        CHECK(in[n].factor == 0);
    } else {
        CALL(Reduce, reduce, out, NULL, n, MAP, CHAIN, role, it->comm);
    }
    free(out);
    free(in);
}

static void to_all(const struct inter *it, int n)
{
    struct map *out = maps(n), *in = maps(n);
    CALL(Allreduce, allreduce, out, in, n, MAP, CHAIN, it->comm);
    for (int i = 0; i < n; i++)
        CHECK(same(in[i], combined(it->there, it->remote, i)));
    for (int i = 0; i < n; i++)
        CHECK(same(out[i], brought(check_rank, i)));
    free(out);
    free(in);
    double half = check_rank + 0.5, sum = -1, expected = 0;
    CALL(Allreduce, allreduce, &half, &sum, 1, MPI_DOUBLE, MPI_SUM, it->comm);
    for (int r = 0; r < it->remote; r++)
        expected += it->there[r] + 0.5;
    CHECK(sum == expected);
    struct {
        int value, index;
    } mine = {-check_rank, check_rank}, least;
    CALL(Allreduce, allreduce, &mine, &least, 1, MPI_2INT, MPI_MINLOC, it->comm);
    int highest = 0;
    for (int r = 0; r < it->remote; r++)
        highest = it->there[r] > highest ? it->there[r] : highest;
    CHECK(least.value == -highest && least.index == highest);
}

/* So many elements from both sides that they can be divided evenly among the ranks of either. */
static void to_each(const struct inter *it, int n)
{
    int total = n * it->local * it->remote, own = n * it->remote, counts[MAX_RANKS];
    struct map *out = maps(total), *in = maps(total);
    CALL(Reduce_scatter_block, reduce_scatter_block, out, in, own, MAP, CHAIN, it->comm);
    for (int i = 0; i < own; i++)
        CHECK(same(in[i], combined(it->there, it->remote, it->rank * own + i)));
    CHECK(own == total || same(in[own], brought(check_rank, own)));

    /* All of the first rank's and half of the second's to the first. */
    for (int r = 0; r < it->local; r++)
        counts[r] = own;
    if (it->local > 1) {
        counts[0] += own / 2;
        counts[1] -= own / 2;
    }
    int before = 0;
    for (int r = 0; r < it->rank; r++)
        before += counts[r];
    CALL(Reduce_scatter, reduce_scatter, out, in, counts, MAP, CHAIN, it->comm);
    for (int i = 0; i < counts[it->rank]; i++)
        CHECK(same(in[i], combined(it->there, it->remote, before + i)));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Type_contiguous(2, MPI_UNSIGNED, &MAP));
    OK(MPI_Type_commit(&MAP));
    OK(MPI_Op_create(chain, 0, &CHAIN));
    for (int round = 0; check_size > 1 && round < SHAPES * FORMS; round++) {
        struct inter it;
        make_inter(round / FORMS, &it);
        form = round % FORMS;
        for (int n = 0; n < 20000; n = n * 7 + 1) {
            for (int on_left = 0; on_left < 2; on_left++) {
                int size = size_of(&it, on_left);
                for (int root = 0; root < size; root += 1 + size / 3)
                    to_root(&it, on_left, root, n);
            }
            to_all(&it, n);
            if (n < 500)
                to_each(&it, n);
        }
        OK(MPI_Comm_free(&it.comm));
    }
    OK(MPI_Op_free(&CHAIN));
    OK(MPI_Type_free(&MAP));
    return check_end();
}
