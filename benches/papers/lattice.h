/* The staggered operator on a block of a four-dimensional lattice with a gauge field of SU(3), in phases.
 *
 *     (D v)(x) = 1/2 sum over d of [ U_d(x) v(x+d) - U_d(x-d)^+ v(x-d) ]
 *
 * with the sign of each direction in U. The field is a gauge transformation g of the trivial one, so that g(x) times a
 * plane wave of momentum k is an eigenvector of D D with the eigenvalue - sum of sin^2 k_d. That is how programs check
 * what they compute. The phases, each of which passes over the block once for every direction, are those of MILC:
 * products with adjoint links, gathering from ahead, gathering from behind.
 */
#ifndef LATTICE_H
#define LATTICE_H

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 4, COLOURS = 3 };

typedef double complex number;
typedef struct { number c[COLOURS]; } vector;
typedef struct { number c[COLOURS][COLOURS]; } matrix;

struct block {
    int whole[DIRECTIONS], size[DIRECTIONS], origin[DIRECTIONS];
    int sites, face[DIRECTIONS];
    /* Whether the block has a neighbour in a direction; otherwise it is its own. */
    int split[DIRECTIONS];
    matrix *links[DIRECTIONS];
    vector *products[DIRECTIONS];
    /* For each site the next one in a direction and the one before it; -1 - i for place i of the neighbour's face. */
    int *ahead[DIRECTIONS], *behind[DIRECTIONS];
    /* Sites of the first and of the last face in a direction. */
    int *first[DIRECTIONS], *last[DIRECTIONS];
    /* Faces on their way: vectors for who is behind, products for who is ahead, and the same from there. */
    vector *to_behind[DIRECTIONS], *to_ahead[DIRECTIONS], *from_ahead[DIRECTIONS], *from_behind[DIRECTIONS];
};

/* Memory of the block, filled with zeros. */
static inline void *zeros(size_t count, size_t bytes)
{
    void *block = calloc(count, bytes);
    if (block == NULL)
        abort();
    return block;
}

static inline double random_part(unsigned long place)
{
    place = (place ^ place >> 31) * 0x9e3779b97f4a7c15ul;
    place = (place ^ place >> 29) * 0xbf58476d1ce4e5b9ul;
    return (double)(place >> 40) / (1 << 23) - 1;
}

static inline unsigned long place_of(const struct block *b, const int *x)
{
    unsigned long place = 0;
    for (int d = DIRECTIONS - 1; d >= 0; d--)
        place = place * (unsigned long)b->whole[d] + (unsigned long)((x[d] + b->whole[d]) % b->whole[d]);
    return place;
}

/* The gauge transformation at a place: two orthonormal random rows, and their cross product. */
static inline matrix transformation(const struct block *b, const int *x)
{
    matrix g;
    unsigned long place = place_of(b, x) * 12 + 1;
    for (int row = 0; row < 2; row++) {
        double square = 0;
        for (int i = 0; i < COLOURS; i++, place += 2)
            g.c[row][i] = random_part(place) + I * random_part(place + 1);
        if (row == 1) {
            number overlap = 0;
            for (int i = 0; i < COLOURS; i++)
                overlap += conj(g.c[0][i]) * g.c[1][i];
            for (int i = 0; i < COLOURS; i++)
                g.c[1][i] -= overlap * g.c[0][i];
        }
        for (int i = 0; i < COLOURS; i++)
            square += creal(g.c[row][i]) * creal(g.c[row][i]) + cimag(g.c[row][i]) * cimag(g.c[row][i]);
        for (int i = 0; i < COLOURS; i++)
            g.c[row][i] /= sqrt(square);
    }
    for (int i = 0; i < COLOURS; i++) {
        int j = (i + 1) % COLOURS, k = (i + 2) % COLOURS;
        g.c[2][i] = conj(g.c[0][j] * g.c[1][k] - g.c[0][k] * g.c[1][j]);
    }
    return g;
}

static inline int index_of(const struct block *b, const int *x)
{
    return ((x[3] * b->size[2] + x[2]) * b->size[1] + x[1]) * b->size[0] + x[0];
}

/* The coordinates of a site within the block. */
static inline void coordinates(const struct block *b, int site, int *x)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        x[d] = site % b->size[d];
        site /= b->size[d];
    }
}

/* The sign of a direction: minus if the coordinates before it have an odd sum. */
static inline double sign(const int *x, int direction)
{
    int sum = 0;
    for (int d = 0; d < direction; d++)
        sum += x[d];
    return sum % 2 == 0 ? 1 : -1;
}

static inline matrix link_at(const struct block *b, const int *x, int direction)
{
    int next[DIRECTIONS];
    memcpy(next, x, sizeof next);
    next[direction]++;
    matrix here = transformation(b, x), there = transformation(b, next), u;
    for (int i = 0; i < COLOURS; i++)
        for (int j = 0; j < COLOURS; j++) {
            u.c[i][j] = 0;
            for (int k = 0; k < COLOURS; k++)
                u.c[i][j] += sign(x, direction) * here.c[i][k] * conj(there.c[j][k]);
        }
    return u;
}

static inline void number_sites(struct block *b, int d)
{
    int x[DIRECTIONS], count[2] = {0, 0};
    for (int site = 0; site < b->sites; site++) {
        coordinates(b, site, x);
        int here = x[d], end = b->size[d] - 1;
        int first = here == 0 ? count[0]++ : -1, last = here == end ? count[1]++ : -1;
        if (first >= 0)
            b->first[d][first] = site;
        if (last >= 0)
            b->last[d][last] = site;
        x[d] = last >= 0 ? 0 : here + 1;
        b->ahead[d][site] = last >= 0 && b->split[d] ? -1 - last : index_of(b, x);
        x[d] = first >= 0 ? end : here - 1;
        b->behind[d][site] = first >= 0 && b->split[d] ? -1 - first : index_of(b, x);
    }
}

static inline void block_make(struct block *b, const int *whole, const int *size, const int *origin)
{
    int x[DIRECTIONS];
    b->sites = 1;
    for (int d = 0; d < DIRECTIONS; d++) {
        b->whole[d] = whole[d];
        b->size[d] = size[d];
        b->origin[d] = origin[d];
        b->split[d] = size[d] < whole[d];
        b->sites *= size[d];
    }
    size_t sites = (size_t)b->sites;
    for (int d = 0; d < DIRECTIONS; d++) {
        size_t face = sites / (size_t)size[d];
        b->face[d] = (int)face;
        b->links[d] = zeros(sites, sizeof(matrix));
        b->products[d] = zeros(sites, sizeof(vector));
        vector **faces[] = {&b->to_behind[d], &b->to_ahead[d], &b->from_ahead[d], &b->from_behind[d]};
        for (int i = 0; i < 4; i++)
            *faces[i] = zeros(face, sizeof(vector));
        b->ahead[d] = zeros(sites, sizeof(int));
        b->behind[d] = zeros(sites, sizeof(int));
        b->first[d] = zeros(face, sizeof(int));
        b->last[d] = zeros(face, sizeof(int));
        number_sites(b, d);
        for (int site = 0; site < b->sites; site++) {
            coordinates(b, site, x);
            for (int i = 0; i < DIRECTIONS; i++)
                x[i] += origin[i];
            b->links[d][site] = link_at(b, x, d);
        }
    }
}

static inline void block_free(struct block *b)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        void *all[] = {b->links[d],      b->products[d], b->ahead[d],      b->behind[d],     b->first[d],
                       b->last[d],       b->to_ahead[d], b->to_behind[d], b->from_ahead[d], b->from_behind[d]};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
    }
}

/* to += factor * u * v */
static inline void add_product(vector *to, double factor, const matrix *u, const vector *v)
{
    const double *m = (const double *)u, *a = (const double *)v;
    double *out = (double *)to;
    for (int i = 0; i < COLOURS; i++) {
        double re = 0, im = 0;
        for (int j = 0; j < COLOURS; j++) {
            const double *e = m + 2 * (COLOURS * i + j);
            re += e[0] * a[2 * j] - e[1] * a[2 * j + 1];
            im += e[0] * a[2 * j + 1] + e[1] * a[2 * j];
        }
        out[2 * i] += factor * re;
        out[2 * i + 1] += factor * im;
    }
}

/* to = u^+ * v */
static inline void adjoint_product(vector *to, const matrix *u, const vector *v)
{
    const double *m = (const double *)u, *a = (const double *)v;
    double *out = (double *)to;
    for (int i = 0; i < COLOURS; i++) {
        double re = 0, im = 0;
        for (int j = 0; j < COLOURS; j++) {
            const double *e = m + 2 * (COLOURS * j + i);
            re += e[0] * a[2 * j] + e[1] * a[2 * j + 1];
            im += e[0] * a[2 * j + 1] - e[1] * a[2 * j];
        }
        out[2 * i] = re;
        out[2 * i + 1] = im;
    }
}

static inline void subtract_half(vector *to, const vector *v)
{
    double *out = (double *)to;
    const double *a = (const double *)v;
    for (int i = 0; i < 2 * COLOURS; i++)
        out[i] -= 0.5 * a[i];
}

/* The faces of vectors that who is behind needs. */
static inline void pack_vectors(struct block *b, const vector *v)
{
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; b->split[d] && i < b->face[d]; i++)
            b->to_behind[d][i] = v[b->first[d][i]];
}

/* The products with adjoint links, and their faces that who is ahead needs. */
static inline void multiply_adjoint(struct block *b, const vector *v)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        for (int site = 0; site < b->sites; site++)
            adjoint_product(&b->products[d][site], &b->links[d][site], &v[site]);
        for (int i = 0; b->split[d] && i < b->face[d]; i++)
            b->to_ahead[d][i] = b->products[d][b->last[d][i]];
    }
}

/* What sites have from others of the block. */
static inline void gather_inside(struct block *b, vector *out, const vector *v)
{
    memset(out, 0, (size_t)b->sites * sizeof *out);
    for (int d = 0; d < DIRECTIONS; d++)
        for (int site = 0; site < b->sites; site++)
            if (b->ahead[d][site] >= 0)
                add_product(&out[site], 0.5, &b->links[d][site], &v[b->ahead[d][site]]);
    for (int d = 0; d < DIRECTIONS; d++)
        for (int site = 0; site < b->sites; site++)
            if (b->behind[d][site] >= 0)
                subtract_half(&out[site], &b->products[d][b->behind[d][site]]);
}

/* How many sites of a face are on their way from memory: they lie apart, so the processor does not ask for them. */
enum { ON_THE_WAY = 6 };

static inline void fetch(const void *from, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64)
        __builtin_prefetch((const char *)from + line);
}

/* What sites have from the faces of other blocks. */
static inline void gather_faces(struct block *b, vector *out)
{
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; b->split[d] && i < b->face[d]; i++) {
            int last = b->last[d][i], first = b->first[d][i], next = i + ON_THE_WAY;
            if (next < b->face[d]) {
                fetch(&b->links[d][b->last[d][next]], sizeof(matrix));
                fetch(&out[b->last[d][next]], sizeof(vector));
                fetch(&out[b->first[d][next]], sizeof(vector));
            }
            add_product(&out[last], 0.5, &b->links[d][last], &b->from_ahead[d][i]);
            subtract_half(&out[first], &b->from_behind[d][i]);
        }
}

/* The floating-point operations of D for each site. */
enum { OPERATIONS = 8 * 66 + 7 * 6 };

/* An eigenvector of D D. */
static inline void plane_wave(const struct block *b, vector *v)
{
    int x[DIRECTIONS];
    for (int site = 0; site < b->sites; site++) {
        coordinates(b, site, x);
        double phase = 0;
        for (int d = 0; d < DIRECTIONS; d++) {
            x[d] += b->origin[d];
            phase += 2 * M_PI * x[d] / b->whole[d];
        }
        matrix g = transformation(b, x);
        for (int i = 0; i < COLOURS; i++)
            v[site].c[i] = cexp(I * phase) * g.c[i][0];
    }
}

/* The eigenvalue of - D D for it. */
static inline double eigenvalue(const struct block *b)
{
    double sum = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        sum += pow(sin(2 * M_PI / b->whole[d]), 2);
    return sum;
}

/* The size of a block if there are so many, and how many there are in each direction: the longest is halved first. */
static inline int split_lattice(const int *whole, int blocks, int *size, int *numbers)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        size[d] = whole[d];
        numbers[d] = 1;
    }
    for (; blocks > 1; blocks /= 2) {
        int longest = DIRECTIONS - 1;
        for (int d = DIRECTIONS - 1; d >= 0; d--)
            longest = size[d] > size[longest] ? d : longest;
        if (blocks % 2 != 0 || size[longest] % 2 != 0)
            return 0;
        size[longest] /= 2;
        numbers[longest] *= 2;
    }
    return 1;
}

#endif
