/* Two ranks on two hosts exchange messages, each of which says the how manieth it is, until a file is there.
 *
 * mpi_counted DIRECTORY quiet|busy BYTES: writes the hosts' process numbers to DIRECTORY/hosts, says "up", and goes on
 * when DIRECTORY/go is there. Until then it only looks for messages (quiet) or exchanges them (busy). Says "done" in
 * the end, and "wrong" if a message is another than the one that is due. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 20, LAST = 200, AT_ONCE = 16 };

static const char word[4] = "TRUE";

static int rank;
static int size;
static long sent, received;

/* The expected content of message `number`. */
static char *message(long number)
{
    char *text = malloc(size);
    for (int at = 0; at < size; at++)
        text[at] = word[at % 4];
    memcpy(text, &number, sizeof number);
    return text;
}

static void send_some(int count)
{
    for (int each = 0; each < count; each++, sent++) {
        char *text = message(sent);
        MPI_Send(text, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
        free(text);
    }
}

static void receive_some(int count)
{
    char *got = malloc(size);
    for (int each = 0; each < count; each++, received++) {
        char *due = message(received);
        MPI_Recv(got, size, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (memcmp(got, due, size)) {
            long number;
            memcpy(&number, got, sizeof number);
            printf("wrong: rank %d has message %ld where %ld is due: %.4s\n", rank, number, received, got + size - 4);
            fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 7);
        }
        free(due);
    }
    free(got);
}

/* So many messages there, then as many back. */
static void exchange(int count)
{
    if (rank == 0)
        send_some(count);
    receive_some(count);
    if (rank == 1)
        send_some(count);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char path[4096];
    int is_busy = !strcmp(argv[2], "busy");
    size = atoi(argv[3]);

    for (int round = 0; round < FIRST; round++)
        exchange(1);
    int own = getpid(), all[2];
    MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        snprintf(path, sizeof path, "%s/hosts", argv[1]);
        FILE *file = fopen(path, "w");
        fprintf(file, "%d %d", all[0], all[1]);
        fclose(file);
    }
    /* Nothing is under way from here on but what is meant to be. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("up\n");
        fflush(stdout);
    }
    snprintf(path, sizeof path, "%s/go", argv[1]);
    for (int over = 0; !over;) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        over = !access(path, F_OK);
        if (is_busy) {
            /* Both stop at the same message. */
            MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
            exchange(AT_ONCE);
        }
    }
    for (int round = 0; round < LAST; round++)
        exchange(1);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
}
