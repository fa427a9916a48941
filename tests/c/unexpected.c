/* A million messages that come before anybody asks for them, to a rank that computes: the memory that they take. The
   arguments are limits in KiB: for the most that a process ever had, and for its growth. */
#include "mpi_check.h"

enum { MESSAGES = 1000000, BYTES = 1024, PAUSES = 4 };

/* A line of /proc/self/status of this name, in KiB. */
static long status_of(const char *name)
{
    char line[256];
    long value = -1;
    FILE *file = fopen("/proc/self/status", "r");
    CHECK(file != NULL);
    while (value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtol(line + strlen(name), NULL, 10);
    fclose(file);
    CHECK(value >= 0);
    return value;
}

/* Takes so many seconds of the processor and calls nothing of MPI meanwhile but reads the clock. */
static void compute(double seconds)
{
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        ;
}

static void send_all(void)
{
    int out[BYTES / sizeof(int)] = {0};
    for (int i = 0; i < MESSAGES; i++) {
        out[0] = out[BYTES / sizeof(int) - 1] = i;
        OK(MPI_Send(out, BYTES, MPI_BYTE, check_size - 1, 1, MPI_COMM_WORLD));
    }
}

static void receive_all(void)
{
    int in[BYTES / sizeof(int)];
    for (int i = 0; i < MESSAGES; i++) {
        if (i % (MESSAGES / PAUSES) == 0)
            compute(0.2);
        OK(MPI_Recv(in, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(in[0] == i && in[BYTES / sizeof(int) - 1] == i);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(argc == 3);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    long before = status_of("VmRSS:");
    if (check_rank == 0)
        send_all();
    if (check_rank == check_size - 1)
        receive_all();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    long peak = status_of("VmHWM:");
    printf("rank %d: %ld KiB, and then up to %ld\n", check_rank, before, peak);
    CHECK(peak <= atol(argv[1]) && peak - before <= atol(argv[2]));
    OK(MPI_Finalize());
    return 0;
}
