/* The collectives of parts of different lengths on inter-communicators: rank a gives (a + b) % 4 * n elements to b. */
#include "forms.h"
#include "mpi_inter.h"

static int item(int from, int to, int i)
{
    return from * 1000003 + to * 101 + i;
}

/* A buffer of parts for the remote ranks, in reverse order with a gap of one element behind each. */
struct parts {
    int *data, length;
    int counts[MAX_RANKS], displs[MAX_RANKS], bytes[MAX_RANKS];
    MPI_Datatype types[MAX_RANKS];
};

static int count(int a, int b, int n)
{
    return (a + b) % 4 * n;
}

/* With one root each rank's part depends on that rank alone. */
static void lay_out(struct parts *parts, const struct inter *it, int n, int rooted)
{
    int at = 0;
    for (int r = it->remote - 1; r >= 0; r--) {
        parts->counts[r] = count(rooted ? 0 : check_rank, it->there[r], n);
        parts->displs[r] = at;
        parts->bytes[r] = at * (int)sizeof(int);
        parts->types[r] = MPI_INT;
        at += parts->counts[r] + 1;
    }
    parts->length = at;
    parts->data = malloc(at * sizeof(int));
    CHECK(parts->data);
    for (int i = 0; i < at; i++)
        parts->data[i] = -1;
}

static void fill(struct parts *parts, const struct inter *it)
{
    for (int r = 0; r < it->remote; r++)
        for (int i = 0; i < parts->counts[r]; i++)
            parts->data[parts->displs[r] + i] = item(check_rank, it->there[r], i);
}

static void clear(struct parts *parts)
{
    memset(parts->data, 0xff, parts->length * sizeof(int));
}

/* Each part is what its rank gave to rank `to`, and the gaps are as they were. */
static void verify(const struct parts *parts, const struct inter *it, int to)
{
    for (int r = 0; r < it->remote; r++) {
        const int *part = parts->data + parts->displs[r];
        for (int i = 0; i < parts->counts[r]; i++)
            CHECK(part[i] == item(it->there[r], to, i));
        CHECK(part[parts->counts[r]] == -1);
    }
}

static void rooted(const struct inter *it, int on_left, int root, int n)
{
    MPI_Datatype none = MPI_DATATYPE_NULL;
    int role = root_of(it, on_left, root), own = count(0, check_rank, n);
    int *mine = malloc((own + 1) * sizeof *mine);
    struct parts all;
    CHECK(mine);
    mine[own] = -1;
    lay_out(&all, it, n, 1);
    if (role == MPI_PROC_NULL) {
        CALL(Gatherv, gatherv, NULL, -1, none, NULL, NULL, NULL, none, role, it->comm);
        CALL(Scatterv, scatterv, NULL, NULL, NULL, none, NULL, -1, none, role, it->comm);
    } else if (role == MPI_ROOT) {
        CALL(Gatherv, gatherv, NULL, -1, none, all.data, all.counts, all.displs, MPI_INT, role, it->comm);
        verify(&all, it, check_rank);
        fill(&all, it);
        CALL(Scatterv, scatterv, all.data, all.counts, all.displs, MPI_INT, NULL, -1, none, role, it->comm);
    } else {
        for (int i = 0; i < own; i++)
            mine[i] = item(check_rank, it->there[root], i);
        CALL(Gatherv, gatherv, mine, own, MPI_INT, NULL, NULL, NULL, none, role, it->comm);
        memset(mine, 0xff, own * sizeof *mine);
        CALL(Scatterv, scatterv, NULL, NULL, NULL, none, mine, own, MPI_INT, role, it->comm);
        for (int i = 0; i < own; i++)
            CHECK(mine[i] == item(it->there[root], check_rank, i));
        CHECK(mine[own] == -1);
    }
    free(mine);
    free(all.data);
}

static void everywhere(const struct inter *it, int n)
{
    int own = count(0, check_rank, n);
    int *mine = malloc((own + 1) * sizeof *mine);
    struct parts in, out;
    CHECK(mine);
    for (int i = 0; i < own; i++)
        mine[i] = item(check_rank, 0, i);
    lay_out(&in, it, n, 1);
    CALL(Allgatherv, allgatherv, mine, own, MPI_INT, in.data, in.counts, in.displs, MPI_INT, it->comm);
    verify(&in, it, 0);
    free(in.data);

    lay_out(&in, it, n, 0);
    lay_out(&out, it, n, 0);
    fill(&out, it);
    CALL(Alltoallv, alltoallv, out.data, out.counts, out.displs, MPI_INT, in.data, in.counts, in.displs, MPI_INT,
         it->comm);
    verify(&in, it, check_rank);
    clear(&in);
    CALL(Alltoallw, alltoallw, out.data, out.counts, out.bytes, out.types, in.data, in.counts, in.bytes, in.types,
         it->comm);
    verify(&in, it, check_rank);

    /* From the left to the right alone. */
    int none[MAX_RANKS] = {0};
    clear(&in);
    CALL(Alltoallv, alltoallv, out.data, it->left ? out.counts : none, out.displs, MPI_INT, in.data,
                     it->left ? none : in.counts, in.displs, MPI_INT, it->comm);
    for (int i = 0; it->left && i < in.length; i++)
        CHECK(in.data[i] == -1);
    if (!it->left)
        verify(&in, it, check_rank);
    free(in.data);
    free(out.data);
    free(mine);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int round = 0; check_size > 1 && round < SHAPES * FORMS; round++) {
        struct inter it;
        make_inter(round / FORMS, &it);
        form = round % FORMS;
        for (int n = 0; n < 5000; n = n * 9 + 2) {
            for (int on_left = 0; on_left < 2; on_left++) {
                int size = size_of(&it, on_left);
                for (int root = 0; root < size; root += 1 + size / 3)
                    rooted(&it, on_left, root, n);
            }
            everywhere(&it, n);
        }
        OK(MPI_Comm_free(&it.comm));
    }
    return check_end();
}
