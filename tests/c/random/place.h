/* Communicators of all kinds, each made the same way by all its ranks. */
#ifndef PLACE_H
#define PLACE_H

#include <mpi.h>
#include <stdint.h>

struct place {
    const char *name;
    MPI_Comm comm;
    int inter;
    /* Tells apart the communicators that one call makes of disjoint ranks. */
    uint64_t colour;
    int rank, size;
    /* Number of ranks whose data come here: the own group's, or the other's of an inter-communicator. */
    int peers;
    /* Which of the two groups of an inter-communicator. */
    int side;
    /* World ranks of the own group and of the peers. */
    int *ids, *peer_ids;
    /* The same ranks with neighbours drawn at random, unless it is an inter-communicator; the world ranks of those
     * whose data come here, and of those who get data from here. */
    MPI_Comm graph;
    int sources, targets, *source_ids, *target_ids;
};

enum { PLACES = 7 };

/* Makes them all. One that cannot be, for want of ranks, has MPI_COMM_NULL. */
void places_make(struct place places[PLACES], uint64_t seed);
void places_free(struct place places[PLACES]);

#endif
