/* One job with `tests/rust/partner.rs`: a ring of messages, a sum over ranks, and a file in a representation of the
   program, in C and in Rust. */
#include <mpi.h>
#include <stdio.h>

/* Numbers of the file are decimal, with three digits. */
enum { DIGITS = 3 };

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
    (void)state;
    int size;
    MPI_Type_size(type, &size);
    *extent = (MPI_Aint)size / (MPI_Aint)sizeof(int) * DIGITS;
    return MPI_SUCCESS;
}

static int encode(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
    (void)type, (void)position, (void)state;
    for (int i = 0; i < count; i++) {
        int number = ((int *)user)[i];
        if (number < 0 || number > 999)
            return MPI_ERR_OTHER;
        for (int digit = DIGITS - 1; digit >= 0; digit--, number /= 10)
            ((char *)file)[i * DIGITS + digit] = (char)('0' + number % 10);
    }
    return MPI_SUCCESS;
}

static int decode(void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
    (void)type, (void)position, (void)state;
    for (int i = 0; i < count; i++) {
        int number = 0;
        for (int digit = 0; digit < DIGITS; digit++)
            number = 10 * number + ((char *)file)[i * DIGITS + digit] - '0';
        ((int *)user)[i] = number;
    }
    return MPI_SUCCESS;
}

/* All ranks write their numbers in turns, and read what they have written. The sum of them; -1 if a call does not do
   as it should. */
static int through_file(const char *name, int rank, int size)
{
    MPI_File file;
    MPI_Datatype turns;
    MPI_Status status;
    int mine[2] = {100 + rank, 200 + rank}, too_large = 1000, all[64] = {0}, sum = 0, class, read;
    MPI_Register_datarep("decimal", decode, encode, extent_of, NULL);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * size, &turns);
    MPI_Type_commit(&turns);
    MPI_File_set_view(file, DIGITS * rank, MPI_INT, turns, "decimal", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, mine, 2, MPI_INT, &status);
    /* The last rank, which is one in C, has a number that the file cannot have. */
    int *third = rank == size - 1 ? &too_large : mine;
    int code = MPI_File_write_at_all(file, 2, third, 1, MPI_INT, &status);
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_CONVERSION)
        return -1;
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    /* The partner has the file as bytes before it makes another view. */
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL);
    MPI_File_read_at_all(file, 0, all, 2 * size, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &read);
    for (int i = 0; i < read; i++)
        sum += all[i];
    MPI_Type_free(&turns);
    MPI_File_close(&file);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int mine = 100 + rank, theirs = 0, sum = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 5, &theirs, 1, MPI_INT, (rank + size - 1) % size, 5,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("c: rank %d of %d: sum %d, from %d: %d, of file %d\n", rank, size, sum, (rank + size - 1) % size, theirs,
           through_file(argv[1], rank, size));
    MPI_Finalize();
    return 0;
}
