/* Fortran's numbers through all calls that move or combine data. For each C type there is a function; it takes the
   datatypes that this type is in Fortran. */
#ifndef FORTRAN_TYPES_H
#define FORTRAN_TYPES_H

#include "mpi_check.h"
#include <stdint.h>

typedef _Complex _Float16 complex_half;
typedef _Complex float complex_float;
typedef _Complex double complex_double;
typedef _Complex long double complex_extended;
typedef _Complex _Float128 complex_quadruple;

/* Small values: sums and products of some tens of them are exact in 11 bits. */
static inline int small(int r, int i) { return (r + i) % 5 ? 1 : 2; }

/* The first `ops` operations on numbers. */
static const MPI_Op number_ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
enum { COMPLEX_OPS = 2, REAL_OPS = 4 };

/* How many operands of `count` elements lie one after the other. */
static inline void *room(int count, size_t size) { return calloc((size_t)count * (size_t)check_size, size); }

#define NUMBERS(name, ctype, VALUE, LESS)                                                                     \
    static ctype name##_of(int op, ctype a, ctype b)                                                          \
    {                                                                                                         \
        switch (op) {                                                                                         \
        case 0: return a + b;                                                                                 \
        case 1: return a * b;                                                                                 \
        case 2: return LESS(a, b) ? a : b;                                                                    \
        default: return LESS(a, b) ? b : a;                                                                   \
        }                                                                                                     \
    }                                                                                                         \
    static ctype name##_over(int op, int first, int last, int i)                                              \
    {                                                                                                         \
        ctype result = VALUE(first, i);                                                                       \
        for (int r = first + 1; r <= last; r++)                                                               \
            result = name##_of(op, result, VALUE(r, i));                                                      \
        return result;                                                                                        \
    }                                                                                                         \
    static void name##_reductions(MPI_Datatype type, int o, int n)                                            \
    {                                                                                                         \
        int last = check_size - 1, total = n * check_size, *counts = room(1, sizeof *counts);                 \
        ctype *out = room(n, sizeof *out), *in = room(n, sizeof *in), *all = room(1, n * sizeof *all);        \
        MPI_Op op = number_ops[o];                                                                            \
        MPI_Comm comm = MPI_COMM_WORLD;                                                                       \
        MPI_Request request;                                                                                  \
        for (int i = 0; i < total; i++)                                                                       \
            out[i] = VALUE(check_rank, i);                                                                    \
        for (int i = 0; i < n; i++)                                                                           \
            all[i] = name##_over(o, 0, last, i);                                                              \
        for (int form = 0; form < 6; form++) {                                                                \
            memcpy(in, out, (size_t)n * sizeof *in);                                                          \
            switch (form) {                                                                                   \
            case 0: OK(MPI_Allreduce(out, in, n, type, op, comm)); break;                                     \
            case 1: OK(MPI_Allreduce(MPI_IN_PLACE, in, n, type, op, comm)); break;                            \
            case 2:                                                                                           \
                OK(MPI_Iallreduce(out, in, n, type, op, comm, &request));                                     \
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                    \
                break;                                                                                        \
            case 3:                                                                                           \
                OK(MPI_Allreduce_init(out, in, n, type, op, comm, MPI_INFO_NULL, &request));                  \
                OK(MPI_Start(&request));                                                                      \
                OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                    \
                OK(MPI_Request_free(&request));                                                               \
                break;                                                                                        \
            case 4: OK(MPI_Allreduce_c(out, in, n, type, op, comm)); break;                                   \
            default:                                                                                          \
                OK(MPI_Reduce(out, in, n, type, op, last, comm));                                             \
                OK(MPI_Bcast(in, n, type, last, comm));                                                       \
            }                                                                                                 \
            for (int i = 0; i < n; i++)                                                                       \
                CHECK(in[i] == all[i]);                                                                       \
        }                                                                                                     \
        OK(MPI_Scan(out, in, n, type, op, comm));                                                             \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == name##_over(o, 0, check_rank, i));                                                 \
        OK(MPI_Exscan(out, in, n, type, op, comm));                                                           \
        for (int i = 0; check_rank && i < n; i++)                                                             \
            CHECK(in[i] == name##_over(o, 0, check_rank - 1, i));                                             \
        OK(MPI_Reduce_scatter_block(out, in, n, type, op, comm));                                             \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == name##_over(o, 0, last, check_rank * n + i));                                      \
        for (int r = 0; r < check_size; r++)                                                                  \
            counts[r] = r == last ? n : 0;                                                                    \
        OK(MPI_Reduce_scatter(out, in, counts, type, op, comm));                                              \
        for (int i = 0; check_rank == last && i < n; i++)                                                     \
            CHECK(in[i] == all[i]);                                                                           \
        for (int i = 0; i < n; i++)                                                                           \
            in[i] = VALUE(i, 1);                                                                              \
        OK(MPI_Reduce_local(out, in, n, type, op));                                                           \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == name##_of(o, out[i], VALUE(i, 1)));                                                \
        free(counts), free(out), free(in), free(all);                                                         \
    }                                                                                                         \
    static void name##_moves(MPI_Datatype type, int n)                                                        \
    {                                                                                                         \
        int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;         \
        int total = n * check_size, count, size, position = 0, again = 0;                                     \
        ctype *out = room(n, sizeof *out), *in = room(n, sizeof *in);                                         \
        MPI_Comm comm = MPI_COMM_WORLD;                                                                       \
        MPI_Datatype strided;                                                                                 \
        MPI_Aint lb, extent;                                                                                  \
        MPI_Status status;                                                                                    \
        OK(MPI_Type_size(type, &size));                                                                       \
        OK(MPI_Type_get_extent(type, &lb, &extent));                                                          \
        CHECK(size == (int)sizeof(ctype) && lb == 0 && extent == size);                                       \
        for (int i = 0; i < total; i++)                                                                       \
            out[i] = VALUE(check_rank, i);                                                                    \
        OK(MPI_Sendrecv(out, n, type, right, 5, in, n + 1, type, left, 5, comm, &status));                    \
        OK(MPI_Get_count(&status, type, &count));                                                             \
        CHECK(count == n);                                                                                    \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == VALUE(left, i));                                                                   \
        OK(MPI_Allgather(out, n, type, in, n, type, comm));                                                   \
        for (int i = 0; i < total; i++)                                                                       \
            CHECK(in[i] == VALUE(i / n, i % n));                                                              \
        OK(MPI_Alltoall(out, n, type, in, n, type, comm));                                                    \
        for (int i = 0; i < total; i++)                                                                       \
            CHECK(in[i] == VALUE(i / n, check_rank * n + i % n));                                             \
        OK(MPI_Scatter(out, n, type, in, n, type, 0, comm));                                                  \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == VALUE(0, check_rank * n + i));                                                     \
        OK(MPI_Gather(out, n, type, in, n, type, 0, comm));                                                   \
        for (int i = 0; check_rank == 0 && i < total; i++)                                                    \
            CHECK(in[i] == VALUE(i / n, i % n));                                                              \
        OK(MPI_Type_vector(n, 1, 2, type, &strided));                                                         \
        OK(MPI_Type_commit(&strided));                                                                        \
        ctype *apart = room(2 * n, sizeof *apart), *back = room(2 * n, sizeof *back);                         \
        for (int i = 0; i < n; i++)                                                                           \
            apart[2 * i] = out[i];                                                                            \
        OK(MPI_Sendrecv(apart, 1, strided, right, 6, in, n, type, left, 6, comm, &status));                   \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == VALUE(left, i));                                                                   \
        char *packed = room(2 * n, sizeof *out);                                                              \
        OK(MPI_Pack(apart, 1, strided, packed, n * size, &position, comm));                                   \
        OK(MPI_Unpack(packed, position, &again, in, n, type, comm));                                          \
        CHECK(position == n * size && again == position);                                                     \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(in[i] == out[i]);                                                                           \
        MPI_Aint external, written = 0, taken = 0;                                                            \
        OK(MPI_Pack_external_size("external32", 1, strided, &external));                                      \
        OK(MPI_Pack_external("external32", apart, 1, strided, packed, external, &written));                   \
        OK(MPI_Unpack_external("external32", packed, written, &taken, back, 1, strided));                     \
        CHECK(written == external && taken == external);                                                      \
        for (int i = 0; i < n; i++)                                                                           \
            CHECK(back[2 * i] == out[i]);                                                                     \
        OK(MPI_Type_free(&strided));                                                                          \
        free(apart), free(back), free(packed), free(out), free(in);                                           \
    }                                                                                                         \
    static void name(MPI_Datatype type, int ops)                                                              \
    {                                                                                                         \
        for (int n = 1; n < 1000; n = n * 30 + 3) {                                                           \
            name##_moves(type, n);                                                                            \
            for (int o = 0; o < ops; o++)                                                                     \
                name##_reductions(type, o, n);                                                                \
        }                                                                                                     \
    }

#define REAL_VALUE(r, i) small(r, i)
#define COMPLEX_VALUE(r, i) (small(r, i) == 1 ? 1.0f : 1.0fi)
#define REAL_LESS(a, b) ((a) < (b))
#define COMPLEX_LESS(a, b) 0

/* A value and an index of one type. */
#define LOCATIONS(name, ctype)                                                                                \
    static void name(MPI_Datatype type)                                                                       \
    {                                                                                                         \
        ctype out[2] = {(ctype)((check_rank + 1) / 2), (ctype)check_rank}, in[2];                             \
        int size;                                                                                             \
        OK(MPI_Type_size(type, &size));                                                                       \
        CHECK(size == (int)sizeof out);                                                                       \
        OK(MPI_Allreduce(out, in, 1, type, MPI_MINLOC, MPI_COMM_WORLD));                                      \
        CHECK(in[0] == 0 && in[1] == 0);                                                                      \
        OK(MPI_Allreduce(out, in, 1, type, MPI_MAXLOC, MPI_COMM_WORLD));                                      \
        int most = check_size == 1 ? 0 : check_size % 2 ? check_size - 2 : check_size - 1;                    \
        CHECK(in[0] == (ctype)(check_size / 2) && in[1] == (ctype)most);                                      \
    }

/* Logicals: `yes` and `no` are the words for true and false. Rank 0 brings true, the others false; all bring true; none
   does. */
#define LOGICALS(name, ctype)                                                                                 \
    static void name(MPI_Datatype type, ctype yes, ctype no)                                                  \
    {                                                                                                         \
        enum { N = 3, MANY = 400 };                                                                           \
        int one = check_size == 1, last = check_size - 1, size;                                               \
        const MPI_Op ops[] = {MPI_LAND, MPI_LOR, MPI_LXOR};                                                   \
        int expected[3][N] = {{one, 1, 0}, {1, 1, 0}, {1, check_size % 2, 0}};                                \
        static ctype out[MANY * N], in[MANY * N];                                                             \
        MPI_Comm comm = MPI_COMM_WORLD;                                                                       \
        MPI_Request request;                                                                                  \
        OK(MPI_Type_size(type, &size));                                                                       \
        CHECK(size == (int)sizeof(ctype));                                                                    \
        for (int n = N; n <= MANY * N; n *= MANY)                                                             \
            for (int o = 0; o < 3; o++)                                                                       \
                for (int form = 0; form < 4; form++) {                                                        \
                    for (int i = 0; i < n; i++) {                                                             \
                        out[i] = i % N == 1 || (i % N == 0 && check_rank == 0) ? yes : no;                    \
                        in[i] = form == 1 ? out[i] : yes;                                                     \
                    }                                                                                         \
                    switch (form) {                                                                           \
                    case 0: OK(MPI_Allreduce(out, in, n, type, ops[o], comm)); break;                         \
                    case 1: OK(MPI_Allreduce(MPI_IN_PLACE, in, n, type, ops[o], comm)); break;                \
                    case 2:                                                                                   \
                        OK(MPI_Iallreduce(out, in, n, type, ops[o], comm, &request));                         \
                        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));                                            \
                        break;                                                                                \
                    default:                                                                                  \
                        OK(MPI_Reduce(out, in, n, type, ops[o], last, comm));                                 \
                        OK(MPI_Bcast(in, n, type, last, comm));                                               \
                    }                                                                                         \
                    for (int i = 0; i < n; i++)                                                               \
                        CHECK(in[i] == (expected[o][i % N] ? yes : no));                                      \
                    OK(MPI_Scan(out, in, n, type, ops[o], comm));                                             \
                    int alone = check_rank == 0;                                                              \
                    for (int i = 0; i < n; i += N)                                                            \
                        CHECK(in[i] == (o == 0 ? (alone ? yes : no) : yes) && in[i + 2] == no);               \
                }                                                                                             \
    }

#endif
