/* The elements of reductions: types, operations on them, and the plainest way to do the same. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum op { SUM, PROD, MAX, MIN, LAND, LOR, LXOR, BAND, BOR, BXOR, MAXLOC, MINLOC, USER_SUM, USER_CHAIN, OPS };

struct element {
    const char *name;
    MPI_Datatype type;
    /* The type was made for this element and is to be freed. */
    int made;
    /* Bytes of a value, and from one to the next. */
    size_t size, extent;
    /* Bits of the operations that are defined on it. */
    unsigned ops;
    /* A value that a key decides and that suits the operation: exact in any order. */
    void (*value)(enum op op, uint64_t key, void *at);
    /* `left` becomes `left op right`. */
    void (*combine)(enum op op, void *left, const void *right);
    int (*same)(const void *a, const void *b);
};

/* An element and an operation on it. */
struct element element_drawn(uint64_t seed, enum op *op);
void element_free(struct element *element);

/* The operation's handle; those of user functions are made anew. */
MPI_Op op_handle(enum op op);
int op_is_predefined(enum op op);

#endif
