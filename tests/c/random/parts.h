/* Buffers in pieces. */
#ifndef PARTS_H
#define PARTS_H

#include "task.h"

/* Room for n parts, without layouts and sizes. */
void parts_make(struct parts *parts, int n, int own_layouts);
void parts_free(struct parts *parts);

/* Frees the datatypes that were made. */
void parts_forget_types(struct parts *parts);

/* Once units and layouts are known: makes the buffer, and the arguments of calls. */
void parts_place(struct parts *parts, uint64_t seed, int even);

/* Writes the data of a part that a key decides, as it lies in the buffer. */
void parts_write(const struct parts *parts, int i, uint64_t key, char *memory);

#endif
