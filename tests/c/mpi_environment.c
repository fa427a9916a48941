/* Versions, names, clocks, threads, and the phases of a process. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int flag = 7, major, minor, length, provided;
    OK(MPI_Initialized(&flag));
    CHECK(flag == 0);
    OK(MPI_Finalized(&flag));
    CHECK(flag == 0);
    OK(MPI_Get_version(&major, &minor));
    CHECK(major == MPI_VERSION && minor == MPI_SUBVERSION && major == 5);
    OK(MPI_Abi_get_version(&major, &minor));
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    OK(MPI_Get_library_version(text, &length));
    CHECK(length == (int)strlen(text) && strstr(text, "Simurgh"));

    OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided));
    CHECK(provided >= MPI_THREAD_SERIALIZED);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    OK(MPI_Initialized(&flag));
    CHECK(flag == 1);
    OK(MPI_Finalized(&flag));
    CHECK(flag == 0);
    int level;
    OK(MPI_Query_thread(&level));
    CHECK(level == provided);
    OK(MPI_Is_thread_main(&flag));
    CHECK(flag == 1);
    OK(MPI_Pcontrol(1, "ignored", 2.0));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CHECK(MPI_Init(&argc, &argv) == MPI_ERR_OTHER);
    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided) == MPI_ERR_OTHER);
    CHECK(MPI_Init_thread(&argc, &argv, -1, &provided) == MPI_ERR_ARG);
    CHECK(MPI_Query_thread(NULL) == MPI_ERR_ARG);

    char name[MPI_MAX_PROCESSOR_NAME];
    OK(MPI_Get_processor_name(name, &length));
    CHECK(length > 0 && length == (int)strlen(name));
    double then = MPI_Wtime();
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
    CHECK(MPI_Wtime() >= then);

    int array[10];
    MPI_Aint first, last;
    OK(MPI_Get_address(&array[0], &first));
    OK(MPI_Get_address(&array[9], &last));
    CHECK(MPI_Aint_diff(last, first) == 9 * (MPI_Aint)sizeof(int));
    CHECK(MPI_Aint_add(first, 9 * sizeof(int)) == last);

    int size, rank;
    OK(MPI_Comm_size(MPI_COMM_SELF, &size));
    OK(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    CHECK(size == 1 && rank == 0);

    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0)
        printf("passed with %d ranks\n", check_size);
    OK(MPI_Finalize());
    OK(MPI_Finalized(&flag));
    if (!flag)
        return 1;
    OK(MPI_Initialized(&flag));
    return !flag;
}
