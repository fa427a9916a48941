/* Memory from the library is aligned as asked, can be used for messages and can be given back once. */
#include "mpi_check.h"
#include <stdint.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    MPI_Info info;
    int *numbers, *empty;
    char *page;
    OK(MPI_Alloc_mem(1000 * sizeof *numbers, MPI_INFO_NULL, &numbers));
    CHECK(numbers != NULL && (uintptr_t)numbers % sizeof(long double) == 0);
    for (int i = 0; i < 1000; i++)
        numbers[i] = i + check_rank;
    OK(MPI_Bcast(numbers, 1000, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 1000; i++)
        CHECK(numbers[i] == i);

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
    OK(MPI_Alloc_mem(100, info, &page));
    CHECK((uintptr_t)page % 4096 == 0);
    memset(page, 1, 100);
    OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", "nonsense")); /* a hint that means nothing is ignored */
    OK(MPI_Alloc_mem(0, info, &empty));
    OK(MPI_Free_mem(empty));
    /* Nodes for the memory: hwloc's name, the words of --memory-placement, and words that mean nothing. */
    const char *nodes[] = {"numa:0", "bind:0", "interleave", "numa:99", "nowhere"};
    for (int i = 0; i < 5; i++) {
        char *placed;
        OK(MPI_Info_set(info, "memory_placement", nodes[i]));
        OK(MPI_Alloc_mem(100000, info, &placed));
        memset(placed, 1, 100000);
        OK(MPI_Free_mem(placed));
        CHECK(MPI_Free_mem(placed) == MPI_ERR_BASE);
    }
    OK(MPI_Info_free(&info));

    CHECK(MPI_Free_mem(numbers + 1) == MPI_ERR_BASE);
    CHECK(MPI_Free_mem(&argc) == MPI_ERR_BASE);
    OK(MPI_Free_mem(page));
    OK(MPI_Free_mem(numbers));
    CHECK(MPI_Free_mem(numbers) == MPI_ERR_BASE);
    CHECK(MPI_Alloc_mem(-1, MPI_INFO_NULL, &page) == MPI_ERR_ARG);
    CHECK(MPI_Alloc_mem(INTPTR_MAX, MPI_INFO_NULL, &page) == MPI_ERR_NO_MEM);
    CHECK(MPI_Alloc_mem(1, MPI_INFO_NULL, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Alloc_mem(1, (MPI_Info)&argc, &page) == MPI_ERR_INFO);
    return check_end();
}
