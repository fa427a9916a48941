/* Conversion of handles to integers and back: predefined ones keep their numbers, those of the program's objects come
 * back as they were. */
#include "objects.h"
#include <stdint.h>

#define PREDEFINED(Kind, handle) CHECK(MPI_##Kind##_toint(handle) == (int)(intptr_t)(handle)); \
    CHECK(MPI_##Kind##_fromint((int)(intptr_t)(handle)) == (handle))
#define COMES_BACK(Kind, handle) CHECK(MPI_##Kind##_toint(handle) > 0x1000); \
    CHECK(MPI_##Kind##_fromint(MPI_##Kind##_toint(handle)) == (handle))

static void predefined(void)
{
    PREDEFINED(Comm, MPI_COMM_NULL);
    PREDEFINED(Comm, MPI_COMM_WORLD);
    PREDEFINED(Comm, MPI_COMM_SELF);
    PREDEFINED(Group, MPI_GROUP_EMPTY);
    PREDEFINED(Type, MPI_DATATYPE_NULL);
    PREDEFINED(Type, MPI_DOUBLE);
    PREDEFINED(Type, MPI_COMPLEX32);
    PREDEFINED(Op, MPI_SUM);
    PREDEFINED(Errhandler, MPI_ERRORS_ABORT);
    PREDEFINED(Info, MPI_INFO_ENV);
    PREDEFINED(Message, MPI_MESSAGE_NO_PROC);
    PREDEFINED(Request, MPI_REQUEST_NULL);
    PREDEFINED(Session, MPI_SESSION_NULL);
}

static void objects(void)
{
    struct objects made = make_objects(MPI_COMM_SELF);
    EACH_OBJECT(COMES_BACK, made);
    MPI_Comm stale = made.comm;
    int number = MPI_Comm_toint(stale);
    free_objects(&made);
    CHECK(MPI_Comm_fromint(number) == MPI_COMM_NULL);
    CHECK(MPI_Comm_toint(stale) == MPI_Comm_toint(MPI_COMM_NULL));
    CHECK(MPI_Group_fromint(-1) == MPI_GROUP_NULL);
}

static void operations(void)
{
    int in[3] = {0, 0, 0}, out = 42, flag;
    MPI_Request receive, send, sends[3];
    MPI_Message message;
    /* A receive that waits, a send that is complete at once and a matched message, all by their numbers. */
    OK(MPI_Irecv(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &receive));
    COMES_BACK(Request, receive);
    int number = MPI_Request_toint(receive);
    OK(MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    receive = MPI_Request_fromint(number);
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK(in[0] == 42);
    for (int i = 0; i < 3; i++) {
        OK(MPI_Isend(&out, 1, MPI_INT, 0, 2 + i, MPI_COMM_SELF, &sends[i]));
        CHECK(MPI_Request_fromint(MPI_Request_toint(sends[i])) == sends[i]);
    }
    CHECK(MPI_Request_toint(sends[0]) != MPI_Request_toint(sends[1]));
    /* A request can be cancelled by its number, too. */
    MPI_Status status;
    send = MPI_Request_fromint(MPI_Request_toint(sends[0]));
    OK(MPI_Cancel(&send));
    OK(MPI_Wait(&send, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    OK(MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    OK(MPI_Improbe(0, 3, MPI_COMM_SELF, &flag, &message, MPI_STATUS_IGNORE));
    CHECK(flag);
    COMES_BACK(Message, message);
    message = MPI_Message_fromint(MPI_Message_toint(message));
    OK(MPI_Mrecv(&in[1], 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    OK(MPI_Recv(&in[2], 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(in[1] == 42 && in[2] == 42);
    OK(MPI_Waitall(2, sends + 1, MPI_STATUSES_IGNORE));
}

static int size_in(MPI_Info info, const char *key)
{
    char value[16];
    int length = sizeof value, found = 0;
    OK(MPI_Info_get_string(info, key, &length, value, &found));
    return found ? atoi(value) : -1;
}

static void interface(void)
{
    int major, minor, known;
    MPI_Info info;
    OK(MPI_Abi_get_version(&major, &minor));
    CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
    OK(MPI_Abi_get_info(&info));
    CHECK(size_in(info, "mpi_aint_size") == sizeof(MPI_Aint));
    CHECK(size_in(info, "mpi_count_size") == sizeof(MPI_Count));
    CHECK(size_in(info, "mpi_offset_size") == sizeof(MPI_Offset));
    OK(MPI_Info_free(&info));

    /* Properties of Fortran are declared once. */
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK(info == MPI_INFO_NULL);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "mpi_integer_size", "3"));
    CHECK(MPI_Abi_set_fortran_info(info) == MPI_ERR_ABI); /* no integer has so many bytes */
    OK(MPI_Info_set(info, "mpi_integer_size", "4"));
    OK(MPI_Info_set(info, "mpi_logical1_supported", "perhaps"));
    CHECK(MPI_Abi_set_fortran_info(info) == MPI_ERR_ABI);
    OK(MPI_Info_delete(info, "mpi_logical1_supported"));
    OK(MPI_Info_set(info, "mpi_real2_supported", "false"));
    OK(MPI_Abi_set_fortran_info(info));
    CHECK(MPI_Abi_set_fortran_info(info) == MPI_ERR_ABI);
    OK(MPI_Info_free(&info));
    OK(MPI_Abi_get_fortran_info(&info));
    CHECK(size_in(info, "mpi_integer_size") == 4 && size_in(info, "mpi_real2_supported") == 0);
    OK(MPI_Info_free(&info));

    int yes = -1, no = 0, found[2] = {5, 5};
    OK(MPI_Abi_get_fortran_booleans(4, &found[0], &found[1], &known));
    CHECK(!known && found[0] == 5 && found[1] == 5);
    CHECK(MPI_Abi_set_fortran_booleans(3, &yes, &no) == MPI_ERR_ARG);
    CHECK(MPI_Abi_set_fortran_booleans(4, NULL, &no) == MPI_ERR_ARG);
    OK(MPI_Abi_set_fortran_booleans(4, &yes, &no));
    CHECK(MPI_Abi_set_fortran_booleans(4, &yes, &no) == MPI_ERR_ABI);
    OK(MPI_Abi_get_fortran_booleans(4, &found[0], &found[1], &known));
    CHECK(known && found[0] == -1 && found[1] == 0);
    int64_t wide[2];
    OK(MPI_Abi_get_fortran_booleans(8, &wide[0], &wide[1], &known));
    CHECK(!known);
}

int main(int argc, char **argv)
{
    predefined();
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    predefined();
    objects();
    operations();
    interface();
    return check_end();
}
