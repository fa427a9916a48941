/* Speaks PMI-2 by Slurm's library. The argument is what the launcher is to say of where processes are. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static int rank;

/* A function of the library. */
static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "libpmi2.so.0 has no %s\n", name);
        exit(1);
    }
    return found;
}

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        exit(1);
    }
}

static int starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

int main(int argc, char **argv)
{
    library = dlopen("libpmi2.so.0", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*init)(int *, int *, int *, int *) = function("PMI2_Init");
    int (*finalize)(void) = function("PMI2_Finalize");
    int (*job_id)(char *, int) = function("PMI2_Job_GetId");
    int (*put)(const char *, const char *) = function("PMI2_KVS_Put");
    int (*get)(const char *, int, const char *, char *, int, int *) = function("PMI2_KVS_Get");
    int (*fence)(void) = function("PMI2_KVS_Fence");
    int (*put_for_node)(const char *, const char *) = function("PMI2_Info_PutNodeAttr");
    int (*get_of_node)(const char *, char *, int, int *, int) = function("PMI2_Info_GetNodeAttr");
    int (*get_of_job)(const char *, char *, int, int *) = function("PMI2_Info_GetJobAttr");

    int spawned, size, program, found, length;
    char job[256], key[64], value[1024], expected[64];
    expect(!init(&spawned, &size, &rank, &program) && !spawned && !program, "init");
    expect(!job_id(job, sizeof(job)) && starts(job, "simurgh_"), "the job's name");

    for (int round = 0; round < 2; round++) {
        snprintf(key, sizeof(key), "card-%d-%d", round, rank);
        snprintf(value, sizeof(value), "here; is=%d", rank);
        expect(!put(key, value) && !fence(), "put and fence");
        int other = (rank + 1) % size;
        snprintf(key, sizeof(key), "card-%d-%d", round, other);
        snprintf(expected, sizeof(expected), "here; is=%d", other);
        expect(!get(job, other, key, value, sizeof(value), &length), "get");
        expect(!strcmp(value, expected), "another's card");
    }
    expect(get(job, 0, "nobody's", value, sizeof(value), &length) || length <= 0, "what nobody has put");

    expect(!get_of_job("PMI_process_mapping", value, sizeof(value), &found) && found, "places of processes");
    expect(!strcmp(value, argv[argc - 1]), value);
    expect(!get_of_job("universeSize", value, sizeof(value), &found) && found && atoi(value) == size, "universe");
    expect(!get_of_job("nothing", value, sizeof(value), &found) && !found, "an attribute that there is not");

    /* The first of a node says something that the others wait for; what is said on another node is not heard. */
    int nodes = strstr(argv[argc - 1], ",(1,") ? 2 : 1;
    int node = rank / (size / nodes);
    snprintf(expected, sizeof(expected), "said by %d", node * (size / nodes));
    if (rank % (size / nodes) == 0)
        expect(!put_for_node("word", expected), "put for the node");
    expect(!get_of_node("word", value, sizeof(value), &found, 1) && found, "get of the node");
    expect(!strcmp(value, expected), value);

    printf("rank %d of %d is well\n", rank, size);
    expect(!finalize(), "finalize");
    return 0;
}
