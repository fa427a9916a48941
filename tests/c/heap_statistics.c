/* What a rank is told about its own heap: mallinfo2, mallinfo, malloc_info, malloc_stats and the variables of MPI_T.
 * Each rank allocates another amount. Prints a line for each. */
#include "mpi_check.h"
#include <malloc.h>

enum { BLOCKS = 20000, SIZE = 64, LONG = 1 << 20, CLASSES = 57 };

static MPI_T_pvar_session session;

static int read_variable(const char *name, unsigned long long values[CLASSES])
{
    int index, count;
    MPI_T_pvar_handle handle;
    CHECK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_LEVEL, &index) == MPI_SUCCESS ||
          MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_HIGHWATERMARK, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) == MPI_SUCCESS && count <= CLASSES);
    CHECK(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS);
    return count;
}

static unsigned long long value_of(const char *name)
{
    unsigned long long values[CLASSES];
    CHECK(read_variable(name, values) == 1);
    return values[0];
}

int main(int argc, char **argv)
{
    int provided;
    check_begin(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    int long_blocks = check_rank + 1;
    struct mallinfo2 before = mallinfo2();
    unsigned long long bytes = value_of("heap_bytes"), blocks = value_of("heap_blocks"), counts[CLASSES];
    void **small = malloc(BLOCKS * sizeof *small), *longer[100];
    for (int i = 0; i < BLOCKS; i++)
        small[i] = malloc(SIZE);
    for (int i = 0; i < long_blocks; i++)
        longer[i] = memset(malloc(LONG), 1, LONG);
    struct mallinfo2 after = mallinfo2();
    struct mallinfo old = mallinfo();
    CHECK(after.uordblks - before.uordblks >= BLOCKS * SIZE && after.uordblks - before.uordblks < 2 * BLOCKS * SIZE);
    CHECK(after.hblks == before.hblks + (size_t)long_blocks + 1 && after.hblkhd >= (size_t)long_blocks * LONG);
    CHECK((size_t)old.uordblks == after.uordblks && after.arena >= after.uordblks);
    CHECK(after.fordblks == after.arena - after.uordblks);
    unsigned long long wanted = BLOCKS * SIZE + (unsigned long long)long_blocks * LONG + BLOCKS * sizeof *small;
    CHECK(value_of("heap_bytes") - bytes >= wanted && value_of("heap_bytes") - bytes < wanted * 3 / 2);
    CHECK(value_of("heap_blocks") - blocks == (unsigned long long)(BLOCKS + 1 + long_blocks));
    CHECK(value_of("heap_held") >= value_of("heap_bytes") && value_of("heap_held_max") >= value_of("heap_held"));
    CHECK(value_of("heap_remote") <= value_of("heap_held") + 8 * LONG);
    CHECK(read_variable("heap_blocks_by_size", counts) == CLASSES);
    CHECK(counts[3] >= BLOCKS - 8 && counts[CLASSES - 1] == (unsigned long long)long_blocks + 1);
    char text[20000] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    CHECK(malloc_info(0, stream) == 0 && malloc_info(1, stream) != 0);
    fclose(stream);
    CHECK(strstr(text, "<malloc version=\"1\">") == text && strstr(text, "<size to=\"64\""));
    CHECK(strstr(text, "</malloc>"));
    malloc_stats();
    unsigned long long held = value_of("heap_held");
    for (int i = 0; i < BLOCKS; i++)
        free(small[i]);
    for (int i = 0; i < long_blocks; i++)
        free(longer[i]);
    free(small);
    CHECK(value_of("heap_bytes") <= bytes && value_of("heap_held") < held && value_of("heap_held_max") >= held);
    /* For the statistics of the job. */
    char *volatile kept = malloc((3 + (size_t)check_rank) * LONG);
    *kept = 1;
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    printf("heap statistics OK\n");
    MPI_Finalize();
    return 0;
}
