/* What a rank does in two windows, as tools see it: in all windows, and in one. */
#include "mpi_check.h"
#include <stdint.h>
#include <unistd.h>

enum { PUT = 0, GET, ACCUMULATE, GET_ACCUMULATE, COMPARE_AND_SWAP, KINDS };
enum { OWN = 0, SHARED, REMOTE, PLACES };
enum { FENCE = 0, POST, START, COMPLETE, WAIT, LOCK, UNLOCK, FLUSH, CALLS };

static MPI_T_pvar_session session;

static MPI_T_pvar_handle handle_of(const char *name, int class, MPI_Win *window, int values)
{
    MPI_T_pvar_handle handle;
    int index, count, bind;
    OK(MPI_T_pvar_get_index(name, class, &index));
    OK(MPI_T_pvar_get_info(index, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL));
    CHECK(bind == (window ? MPI_T_BIND_MPI_WIN : MPI_T_BIND_NO_OBJECT));
    OK(MPI_T_pvar_handle_alloc(session, index, window, &handle, &count));
    CHECK(count == values);
    return handle;
}

static void expect(MPI_T_pvar_handle handle, int count, const unsigned long *expected)
{
    unsigned long values[CALLS];
    OK(MPI_T_pvar_read(session, handle, values));
    for (int i = 0; i < count; i++)
        CHECK(values[i] == expected[i]);
}

/* Whether the process of a rank is that of the caller. */
static int is_here(int rank)
{
    int *pids = malloc(check_size * sizeof *pids), own = getpid();
    OK(MPI_Allgather(&own, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD));
    int here = pids[rank] == own;
    free(pids);
    return here;
}

int main(int argc, char **argv)
{
    static int64_t memory[4];
    int64_t *base, value = 1, other_value = 2, result[4] = {0};
    MPI_Win halo, other, null = MPI_WIN_NULL;
    MPI_Group all, left, right;
    int index;
    check_begin(&argc, &argv);
    int target = (check_rank + 1) % check_size, origin = (check_rank + check_size - 1) % check_size;
    int here = is_here(target);
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &(int){0}));
    OK(MPI_T_pvar_session_create(&session));
    OK(MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &halo));
    OK(MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    MPI_T_pvar_handle operations = handle_of("windows_operations", MPI_T_PVAR_CLASS_COUNTER, NULL, KINDS);
    MPI_T_pvar_handle bytes = handle_of("windows_bytes", MPI_T_PVAR_CLASS_AGGREGATE, NULL, KINDS);
    MPI_T_pvar_handle calls = handle_of("windows_synchronisations", MPI_T_PVAR_CLASS_COUNTER, NULL, CALLS);
    MPI_T_pvar_handle times = handle_of("windows_synchronisation_time", MPI_T_PVAR_CLASS_TIMER, NULL, CALLS);
    MPI_T_pvar_handle halo_operations = handle_of("window_operations", MPI_T_PVAR_CLASS_COUNTER, &halo, KINDS);
    MPI_T_pvar_handle halo_places = handle_of("window_operations_by_target", MPI_T_PVAR_CLASS_COUNTER, &halo, PLACES);
    MPI_T_pvar_handle halo_calls = handle_of("window_synchronisations", MPI_T_PVAR_CLASS_COUNTER, &halo, CALLS);
    MPI_T_pvar_handle other_bytes = handle_of("window_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &other, KINDS);
    MPI_T_pvar_handle other_places = handle_of("window_bytes_by_target", MPI_T_PVAR_CLASS_AGGREGATE, &other, PLACES);
    OK(MPI_T_pvar_get_index("window_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &index));
    CHECK(MPI_T_pvar_handle_alloc(session, index, &null, &calls, NULL) == MPI_T_ERR_INVALID);
    OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));

    OK(MPI_Win_fence(0, halo));
    for (int i = 0; i < 3; i++)
        OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, halo));
    OK(MPI_Put(&value, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, halo)); /* nothing */
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, halo));
    OK(MPI_Win_lock_all(0, halo));
    OK(MPI_Get(result, 2, MPI_INT64_T, target, 2, 2, MPI_INT64_T, halo));
    OK(MPI_Win_flush(target, halo));
    OK(MPI_Fetch_and_op(&value, result, MPI_INT64_T, target, 4, MPI_SUM, halo));
    OK(MPI_Win_flush_all(halo));
    OK(MPI_Compare_and_swap(&value, &other_value, result, MPI_INT64_T, target, 5, halo));
    OK(MPI_Win_unlock_all(halo));

    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, other));
    OK(MPI_Accumulate(result, 4, MPI_INT64_T, target, 0, 4, MPI_INT64_T, MPI_SUM, other));
    OK(MPI_Win_unlock(target, other));
    OK(MPI_Win_get_group(other, &all));
    OK(MPI_Group_incl(all, 1, &origin, &left));
    OK(MPI_Group_incl(all, 1, &target, &right));
    OK(MPI_Win_post(left, 0, other));
    OK(MPI_Win_start(right, 0, other));
    OK(MPI_Put(&value, 5, MPI_BYTE, target, 0, 5, MPI_BYTE, other));
    OK(MPI_Win_complete(other));
    OK(MPI_Win_wait(other));
    OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, halo));
    OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, halo)); /* for --stats only */
    OK(MPI_Win_unlock(target, halo));
    OK(MPI_Win_set_name(halo, "halo"));

    expect(operations, KINDS, (unsigned long[]){4, 1, 1, 1, 1});
    expect(bytes, KINDS, (unsigned long[]){29, 16, 32, 8, 8});
    expect(calls, CALLS, (unsigned long[]){2, 1, 1, 1, 1, 2, 2, 2});
    expect(halo_operations, KINDS, (unsigned long[]){3, 1, 0, 1, 1});
    expect(halo_calls, CALLS, (unsigned long[]){2, 0, 0, 0, 0, 1, 1, 2});
    expect(other_bytes, KINDS, (unsigned long[]){5, 0, 32, 0, 0});
    unsigned long sixth[PLACES] = {0}, bytes_there[PLACES] = {0}, spent[CALLS];
    sixth[here ? OWN : SHARED] = 6;
    bytes_there[here ? OWN : REMOTE] = 37;
    expect(halo_places, PLACES, sixth);
    expect(other_places, PLACES, bytes_there);
    OK(MPI_T_pvar_read(session, times, spent));
    for (int kind = 0; kind < CALLS; kind++)
        CHECK(spent[kind] > 0 && spent[kind] < 1000000000000);
    OK(MPI_Group_free(&left));
    OK(MPI_Group_free(&right));
    OK(MPI_Group_free(&all));
    OK(MPI_Win_free(&halo));
    expect(halo_operations, KINDS, (unsigned long[]){3, 1, 0, 1, 1}); /* the handle keeps what it has seen */
    OK(MPI_Win_free(&other));
    OK(MPI_T_pvar_session_free(&session));
    OK(MPI_T_finalize());
    return check_end();
}
