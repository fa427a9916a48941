/* The collectives that move data between the two groups of an inter-communicator. */
#include "forms.h"
#include "mpi_inter.h"

static int *room(int length)
{
    int *data = malloc((length + 1) * sizeof *data);
    CHECK(data);
    for (int i = 0; i <= length; i++)
        data[i] = -1;
    return data;
}

/* Element i of the data of rank `from` of the world for rank `to`. */
static int item(int from, int to, int i)
{
    return from * 1000003 + to * 101 + i;
}

static void broadcast(const struct inter *it, int on_left, int root, int n)
{
    int role = root_of(it, on_left, root);
    int *data = room(2 * n);
    if (role == MPI_PROC_NULL) {
        /* The other arguments mean nothing here. */
        CALL(Bcast, bcast, NULL, -5, MPI_DATATYPE_NULL, role, it->comm);
    } else if (role == MPI_ROOT) {
        for (int i = 0; i < n; i++)
            data[i] = item(check_rank, 0, i);
        CALL(Bcast, bcast, data, n, MPI_INT, role, it->comm);
    } else {
        /* Every other element. */
        MPI_Datatype apart;
        OK(MPI_Type_vector(n, 1, 2, MPI_INT, &apart));
        OK(MPI_Type_commit(&apart));
        CALL(Bcast, bcast, data, 1, apart, role, it->comm);
        for (int i = 0; i < n; i++)
            CHECK(data[2 * i] == item(it->there[root], 0, i) && data[2 * i + 1] == -1);
        OK(MPI_Type_free(&apart));
    }
    free(data);
}

static void gather(const struct inter *it, int on_left, int root, int n)
{
    int role = root_of(it, on_left, root), remote = it->remote;
    int *data = room(n * (remote + 1));
    if (role == MPI_PROC_NULL) {
        CALL(Gather, gather, NULL, -1, MPI_DATATYPE_NULL, NULL, -1, MPI_DATATYPE_NULL, role, it->comm);
    } else if (role == MPI_ROOT) {
        CALL(Gather, gather, NULL, -1, MPI_DATATYPE_NULL, data, n, MPI_INT, role, it->comm);
        for (int i = 0; i < n * remote; i++)
            CHECK(data[i] == item(it->there[i / n], check_rank, i % n));
        CHECK(data[n * remote] == -1);
    } else {
        for (int i = 0; i < n; i++)
            data[i] = item(check_rank, it->there[root], i);
        CALL(Gather, gather, data, n, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, role, it->comm);
    }
    free(data);
}

static void scatter(const struct inter *it, int on_left, int root, int n)
{
    int role = root_of(it, on_left, root), remote = it->remote;
    int *data = room(n * (remote + 1));
    if (role == MPI_PROC_NULL) {
        CALL(Scatter, scatter, NULL, -1, MPI_DATATYPE_NULL, NULL, -1, MPI_DATATYPE_NULL, role, it->comm);
    } else if (role == MPI_ROOT) {
        for (int i = 0; i < n * remote; i++)
            data[i] = item(check_rank, it->there[i / n], i % n);
        CALL(Scatter, scatter, data, n, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, role, it->comm);
    } else {
        CALL(Scatter, scatter, NULL, -1, MPI_DATATYPE_NULL, data, n, MPI_INT, role, it->comm);
        for (int i = 0; i < n; i++)
            CHECK(data[i] == item(it->there[root], check_rank, i));
        CHECK(data[n] == -1);
    }
    free(data);
}

/* Each rank of the left group gives n elements, each of the right one `back`. */
static void everywhere(const struct inter *it, int n, int back)
{
    int mine = it->left ? n : back, theirs = it->left ? back : n, remote = it->remote;
    int *out = room(mine * remote), *in = room(theirs * remote);
    for (int i = 0; i < mine; i++)
        out[i] = item(check_rank, 0, i);
    CALL(Allgather, allgather, out, mine, MPI_INT, in, theirs, MPI_INT, it->comm);
    for (int i = 0; i < theirs * remote; i++)
        CHECK(in[i] == item(it->there[i / theirs], 0, i % theirs));

    for (int i = 0; i < mine * remote; i++)
        out[i] = item(check_rank, it->there[i / mine], i % mine);
    CALL(Alltoall, alltoall, out, mine, MPI_INT, in, theirs, MPI_INT, it->comm);
    for (int i = 0; i < theirs * remote; i++)
        CHECK(in[i] == item(it->there[i / theirs], check_rank, i % theirs));
    CHECK(in[theirs * remote] == -1);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int round = 0; check_size > 1 && round < SHAPES * FORMS; round++) {
        struct inter it;
        make_inter(round / FORMS, &it);
        form = round % FORMS;
        for (int n = 0; n < 20000; n = n * 7 + 3) {
            for (int on_left = 0; on_left < 2; on_left++) {
                int size = size_of(&it, on_left);
                for (int root = 0; root < size; root += 1 + size / 3) {
                    broadcast(&it, on_left, root, n);
                    gather(&it, on_left, root, n);
                    scatter(&it, on_left, root, n);
                }
            }
            everywhere(&it, n, n / 2 + 1);
            /* In one direction alone. */
            everywhere(&it, n, 0);
            CALL(Barrier, barrier, it.comm);
        }
        OK(MPI_Comm_free(&it.comm));
    }
    return check_end();
}
