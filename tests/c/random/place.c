#include "place.h"

#include "draw.h"
#include "failure.h"

#include <stdlib.h>

/* The world ranks of a group. */
static int *world_ranks(MPI_Group group, int size)
{
    MPI_Group world;
    int *ranks = allocated(size * sizeof *ranks), *ids = allocated(size * sizeof *ids);
    for (int r = 0; r < size; r++)
        ranks[r] = r;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_translate_ranks(group, size, ranks, world, ids));
    OK(MPI_Group_free(&world));
    free(ranks);
    return ids;
}

/* Whether a rank gives data to another: one in four does, and each to itself. */
static int gives_to(int from, int to, uint64_t seed)
{
    struct draw draw = {.seed = mixed(seed, mixed((uint64_t)from, (uint64_t)to))};
    return from == to || drawn_rarely(&draw, 4);
}

/* Gives the ranks of an intra-communicator neighbours. */
static void make_graph(struct place *place, uint64_t seed)
{
    int *sources = allocated(place->size * sizeof *sources), *targets = allocated(place->size * sizeof *targets);
    place->source_ids = allocated(place->size * sizeof *place->source_ids);
    place->target_ids = allocated(place->size * sizeof *place->target_ids);
    for (int r = 0; r < place->size; r++) {
        int me = place->ids[place->rank], other = place->ids[r];
        if (gives_to(other, me, seed)) {
            place->source_ids[place->sources] = other;
            sources[place->sources++] = r;
        }
        if (gives_to(me, other, seed)) {
            place->target_ids[place->targets] = other;
            targets[place->targets++] = r;
        }
    }
    OK(MPI_Dist_graph_create_adjacent(place->comm, place->sources, sources, MPI_UNWEIGHTED, place->targets, targets,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &place->graph));
    free(sources);
    free(targets);
}

static struct place described(const char *name, MPI_Comm comm, uint64_t colour)
{
    struct place place = {.name = name, .comm = comm, .colour = colour};
    MPI_Group group;
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_rank(comm, &place.rank));
    OK(MPI_Comm_size(comm, &place.size));
    OK(MPI_Comm_test_inter(comm, &place.inter));
    OK(MPI_Comm_group(comm, &group));
    place.ids = world_ranks(group, place.size);
    OK(MPI_Group_free(&group));
    if (place.inter) {
        OK(MPI_Comm_remote_size(comm, &place.peers));
        OK(MPI_Comm_remote_group(comm, &group));
        place.peer_ids = world_ranks(group, place.peers);
        OK(MPI_Group_free(&group));
        place.side = place.ids[0] > place.peer_ids[0];
    } else {
        place.peers = place.size;
        place.peer_ids = place.ids;
    }
    return place;
}

static struct place split(const char *name, int colour, int key)
{
    MPI_Comm comm;
    OK(MPI_Comm_split(MPI_COMM_WORLD, colour, key, &comm));
    return described(name, comm, (uint64_t)colour);
}

/* An inter-communicator of those below `first` ranks and the others, whose ranks run backwards. */
static struct place between(const char *name, int first)
{
    int rank, size;
    MPI_Comm half, inter;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (size < 2)
        return (struct place){.name = name, .comm = MPI_COMM_NULL};
    int low = rank < first;
    OK(MPI_Comm_split(MPI_COMM_WORLD, low, low ? rank : -rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size - 1 : 0, 5, &inter));
    OK(MPI_Comm_free(&half));
    return described(name, inter, 0);
}

void places_make(struct place places[PLACES], uint64_t seed)
{
    struct draw draw = {.seed = seed};
    int rank, size;
    MPI_Comm world, twin;
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &world));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
    int cut = 1 + (size > 2 ? drawn_below(&draw, size - 1) : 0);
    places[0] = described("the world", world, 0);
    places[1] = described("a duplicate", twin, 0);
    places[2] = split("every other rank", rank % 2, rank);
    places[3] = split("all backwards", 0, -rank);
    places[4] = split("blocks", rank / (1 + drawn_below(&draw, size)), 0);
    places[5] = between("two halves", (size + 1) / 2);
    places[6] = between("two parts", cut);
    for (int i = 0; i < PLACES; i++)
        if (places[i].comm != MPI_COMM_NULL && !places[i].inter)
            make_graph(&places[i], mixed(seed, (uint64_t)i));
}

void places_free(struct place places[PLACES])
{
    for (struct place *place = places; place < places + PLACES; place++) {
        if (place->comm == MPI_COMM_NULL)
            continue;
        OK(MPI_Comm_free(&place->comm));
        if (place->inter) {
            free(place->peer_ids);
        } else {
            OK(MPI_Comm_free(&place->graph));
            free(place->source_ids);
            free(place->target_ids);
        }
        free(place->ids);
    }
}
