/* A program whose work is spread unevenly: the ranks of the first half have three times as much to do as the others.
 *
 * After each step the ranks compare how much work has been done on each virtual processor. The program ends when no
 * processor has done more than 10 % above its share, in several steps in a row, or after as many steps as its argument
 * says. It prints the last step's largest share, in percent of the ideal one, and where each rank lives.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAVY = 3, LIGHT = 1, ENOUGH = 5, VPS = 1024 };

static int processor(void) {
    int index, count, vp;
    MPI_T_cvar_handle handle;
    MPI_T_cvar_get_index("virtual_processor", &index);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    unsigned long long value;
    MPI_T_cvar_read(handle, &value);
    vp = (int)value;
    MPI_T_cvar_handle_free(&handle);
    return vp;
}

static void work(int units) {
    volatile double sum = 0;
    for (long turn = 0; turn < units * 300000L; turn++)
        sum = sum + 1.0 / (double)(turn + 1);
}

int main(int argc, char **argv) {
    int rank, size, provided, good = 0, step = 0, steps = argc > 1 ? atoi(argv[1]) : 100;
    double share = 0;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int(*all)[2] = malloc(sizeof(int[2]) * (size_t)size);
    for (; good < ENOUGH && step < steps; step++) {
        int own[2] = {rank < size / 2 ? HEAVY : LIGHT, 0}, done[VPS] = {0}, sum = 0, vps = 0, most = 0;
        work(own[0]);
        own[1] = processor();
        MPI_Allgather(own, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
        for (int other = 0; other < size; other++) {
            sum += all[other][0];
            done[all[other][1]] += all[other][0];
            vps = all[other][1] >= vps ? all[other][1] + 1 : vps;
        }
        for (int vp = 0; vp < vps; vp++)
            most = done[vp] > most ? done[vp] : most;
        share = 100.0 * most * vps / sum;
        good = share <= 110 ? good + 1 : 0;
    }
    if (rank == 0)
        printf("%d steps, the largest share is %.0f %%\n", step, share);
    printf("%d %d\n", rank, all[rank][1]);
    free(all);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
