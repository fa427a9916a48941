/* The operator of lattice.c without MPI: so many blocks take turns phase by phase, as ranks on one virtual processor
 * do. This is what cachegrind looks at, which cannot follow ranks that are threads.
 *
 * Arguments: the number of blocks, and the four extents of the lattice. The result is checked with an eigenvector.
 */
#include "lattice.h"

#include <stdio.h>

enum { MOST = 4096 };

static struct block blocks[MOST];
static vector *from[MOST], *to[MOST], *between[MOST];
static int count, numbers[DIRECTIONS];

/* The block that is so far away in a direction. */
static int neighbour(int block, int direction, int distance)
{
    int stride = 1;
    for (int d = 0; d < direction; d++)
        stride *= numbers[d];
    int mine = block / stride % numbers[direction];
    return block + ((mine + distance + numbers[direction]) % numbers[direction] - mine) * stride;
}

static void take_faces(int block)
{
    struct block *mine = &blocks[block];
    for (int d = 0; d < DIRECTIONS; d++) {
        size_t bytes = (size_t)mine->face[d] * sizeof(vector);
        memcpy(mine->from_ahead[d], blocks[neighbour(block, d, 1)].to_behind[d], bytes);
        memcpy(mine->from_behind[d], blocks[neighbour(block, d, -1)].to_ahead[d], bytes);
    }
}

static void operate(vector **out, vector **v)
{
    for (int i = 0; i < count; i++) {
        pack_vectors(&blocks[i], v[i]);
        multiply_adjoint(&blocks[i], v[i]);
        gather_inside(&blocks[i], out[i], v[i]);
    }
    for (int i = 0; i < count; i++) {
        take_faces(i);
        gather_faces(&blocks[i], out[i]);
    }
}

/* The largest part by which D D v differs from what it is for an eigenvector. */
static double error(void)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        for (int site = 0; site < blocks[i].sites; site++)
            for (int c = 0; c < COLOURS; c++) {
                number expected = -eigenvalue(&blocks[i]) * from[i][site].c[c];
                double off = cabs(to[i][site].c[c] - expected);
                largest = off > largest ? off : largest;
            }
    return largest;
}

int main(int argc, char **argv)
{
    int whole[DIRECTIONS], size[DIRECTIONS];
    count = argc > 1 ? atoi(argv[1]) : 1;
    for (int d = 0; d < DIRECTIONS; d++)
        whole[d] = argc > 2 + d ? atoi(argv[2 + d]) : d == 3 ? 8 : 16;
    if (count < 1 || count > MOST || !split_lattice(whole, count, size, numbers)) {
        fprintf(stderr, "the lattice cannot be shared by %d blocks\n", count);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < count; i++) {
        int origin[DIRECTIONS], rest = i;
        for (int d = 0; d < DIRECTIONS; d++) {
            origin[d] = rest % numbers[d] * size[d];
            rest /= numbers[d];
        }
        block_make(&blocks[i], whole, size, origin);
        from[i] = zeros((size_t)blocks[i].sites, sizeof(vector));
        between[i] = zeros((size_t)blocks[i].sites, sizeof(vector));
        to[i] = zeros((size_t)blocks[i].sites, sizeof(vector));
        plane_wave(&blocks[i], from[i]);
    }
    operate(between, from);
    operate(to, between);
    int right = error() < 1e-12;
    if (!right)
        fprintf(stderr, "the operator is wrong by %g\n", error());
    for (int i = 0; i < count; i++) {
        free(from[i]);
        free(between[i]);
        free(to[i]);
        block_free(&blocks[i]);
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
