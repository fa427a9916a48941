/* Each rank moves to the other one of two virtual processors, and then asks for one that there is not. By an info key
 * it goes back, and one that there is not is ignored. */
#include <mpi.h>
#include <stdio.h>

static void wish(const char *vp) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "simurgh_virtual_processor", vp);
    MPI_Comm_set_info(MPI_COMM_SELF, info);
    MPI_Info_free(&info);
}

int main(int argc, char **argv) {
    int rank, provided, index, count;
    unsigned long long first, last, back, target, none = 2;
    MPI_T_cvar_handle handle;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_cvar_get_index("virtual_processor", &index);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &first);
    target = 1 - first;
    MPI_T_cvar_write(handle, &target);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_cvar_read(handle, &last);
    const char *told = MPI_T_cvar_write(handle, &none) == MPI_T_ERR_CVAR_SET_NOT_NOW ? "refused" : "done";
    wish(first == 0 ? "0" : "1");
    wish("2");
    MPI_T_cvar_read(handle, &back);
    printf("%d: %llu %llu %s %llu\n", rank, first, last, told, back);
    MPI_T_cvar_handle_free(&handle);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
