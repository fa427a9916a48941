/* Conversion of handles and statuses to those of Fortran, and back. The converted handles are used. */
#include "objects.h"
#include <stdint.h>

/* A predefined handle keeps its number, which is that of MPI_*_toint; the PMPI functions do the same. */
#define PREDEFINED(Kind, handle)                                            \
    do {                                                                    \
        MPI_Fint number = MPI_##Kind##_c2f(handle);                         \
        CHECK(number == (MPI_Fint)(intptr_t)(handle));                      \
        CHECK(number == MPI_##Kind##_toint(handle));                        \
        CHECK(MPI_##Kind##_f2c(number) == (handle));                        \
        CHECK(PMPI_##Kind##_f2c(PMPI_##Kind##_c2f(handle)) == (handle));    \
    } while (0)

/* The handle of an object of the program comes back as it was. */
#define COMES_BACK(Kind, handle)                                            \
    do {                                                                    \
        MPI_Fint number = MPI_##Kind##_c2f(handle);                         \
        CHECK(number > 0x1000 && number == MPI_##Kind##_toint(handle));     \
        CHECK(MPI_##Kind##_f2c(number) == (handle));                        \
        CHECK(PMPI_##Kind##_f2c(PMPI_##Kind##_c2f(handle)) == (handle));    \
    } while (0)

static void predefined(void)
{
    PREDEFINED(Comm, MPI_COMM_NULL);
    PREDEFINED(Comm, MPI_COMM_WORLD);
    PREDEFINED(Comm, MPI_COMM_SELF);
    PREDEFINED(Group, MPI_GROUP_NULL);
    PREDEFINED(Group, MPI_GROUP_EMPTY);
    PREDEFINED(Type, MPI_DATATYPE_NULL);
    PREDEFINED(Type, MPI_INTEGER);
    PREDEFINED(Type, MPI_DOUBLE_PRECISION);
    PREDEFINED(Type, MPI_2INT);
    PREDEFINED(Op, MPI_OP_NULL);
    PREDEFINED(Op, MPI_MAXLOC);
    PREDEFINED(Errhandler, MPI_ERRHANDLER_NULL);
    PREDEFINED(Errhandler, MPI_ERRORS_RETURN);
    PREDEFINED(Info, MPI_INFO_NULL);
    PREDEFINED(Info, MPI_INFO_ENV);
    PREDEFINED(Message, MPI_MESSAGE_NULL);
    PREDEFINED(Message, MPI_MESSAGE_NO_PROC);
    PREDEFINED(Request, MPI_REQUEST_NULL);
    PREDEFINED(Session, MPI_SESSION_NULL);
}

static void objects(void)
{
    struct objects made = make_objects(MPI_COMM_WORLD);
    MPI_Errhandler found;
    int size, flag, sum;
    EACH_OBJECT(COMES_BACK, made);

    OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_Type_f2c(MPI_Type_c2f(MPI_INT)), MPI_Op_f2c(MPI_Op_c2f(made.op)),
                     MPI_Comm_f2c(MPI_Comm_c2f(made.comm))));
    CHECK(sum == check_size * (check_size - 1) / 2);
    OK(MPI_Group_size(MPI_Group_f2c(MPI_Group_c2f(made.group)), &size));
    CHECK(size == check_size);
    OK(MPI_Type_size(MPI_Type_f2c(MPI_Type_c2f(made.type)), &size));
    CHECK(size == 3 * (int)sizeof(int));
    OK(MPI_Comm_set_errhandler(made.comm, MPI_Errhandler_f2c(MPI_Errhandler_c2f(made.errhandler))));
    OK(MPI_Comm_get_errhandler(made.comm, &found));
    CHECK(found == made.errhandler);
    OK(MPI_Errhandler_free(&found));
    OK(MPI_Info_set(MPI_Info_f2c(MPI_Info_c2f(made.info)), "key", "value"));
    OK(MPI_Info_get_nkeys(made.info, &size));
    CHECK(size == 1);
    OK(MPI_Session_get_num_psets(MPI_Session_f2c(MPI_Session_c2f(made.session)), MPI_INFO_NULL, &flag));
    CHECK(flag > 1);

    MPI_Fint number = MPI_Comm_c2f(made.comm);
    free_objects(&made);
    CHECK(MPI_Comm_f2c(number) == MPI_COMM_NULL);
}

static void operations(void)
{
    int in[2] = {0, 0}, out = 7;
    MPI_Request receive, send;
    MPI_Message message;
    OK(MPI_Irecv(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &receive));
    COMES_BACK(Request, receive);
    MPI_Fint number = MPI_Request_c2f(receive);
    OK(MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &send));
    CHECK(MPI_Request_f2c(MPI_Request_c2f(send)) == send);
    receive = MPI_Request_f2c(number);
    OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
    OK(MPI_Mprobe(0, 2, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE));
    COMES_BACK(Message, message);
    message = MPI_Message_f2c(MPI_Message_c2f(message));
    OK(MPI_Mrecv(&in[1], 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK(in[0] == 7 && in[1] == 7);
}

static int same(MPI_Status a, MPI_Status b)
{
    int many[2], cancelled[2];
    OK(MPI_Get_count(&a, MPI_CHAR, &many[0]));
    OK(MPI_Get_count(&b, MPI_CHAR, &many[1]));
    OK(MPI_Test_cancelled(&a, &cancelled[0]));
    OK(MPI_Test_cancelled(&b, &cancelled[1]));
    return a.MPI_SOURCE == b.MPI_SOURCE && a.MPI_TAG == b.MPI_TAG && a.MPI_ERROR == b.MPI_ERROR &&
           many[0] == many[1] && cancelled[0] == cancelled[1];
}

static void statuses(void)
{
    char out[5] = "abcd", in[10];
    MPI_Status status, back;
    MPI_Fint integers[MPI_F_STATUS_SIZE + 1];
    MPI_F08_status f08;
    OK(MPI_Sendrecv(out, 5, MPI_CHAR, 0, 3, in, 10, MPI_CHAR, 0, 3, MPI_COMM_SELF, &status));
    OK(MPI_Status_set_cancelled(&status, 1));
    status.MPI_ERROR = MPI_ERR_TRUNCATE;

    integers[MPI_F_STATUS_SIZE] = 99;
    OK(MPI_Status_c2f(&status, integers));
    CHECK(integers[MPI_F_SOURCE] == 0 && integers[MPI_F_TAG] == 3 && integers[MPI_F_ERROR] == MPI_ERR_TRUNCATE);
    CHECK(integers[MPI_F_STATUS_SIZE] == 99);
    memset(&back, 0x55, sizeof back);
    OK(MPI_Status_f2c(integers, &back));
    CHECK(same(status, back));

    OK(MPI_Status_c2f08(&status, &f08));
    CHECK(f08.MPI_SOURCE == 0 && f08.MPI_TAG == 3 && f08.MPI_ERROR == MPI_ERR_TRUNCATE);
    memset(&back, 0x55, sizeof back);
    OK(MPI_Status_f082c(&f08, &back));
    CHECK(same(status, back));

    memset(integers, 0x55, sizeof integers);
    OK(MPI_Status_f082f(&f08, integers));
    memset(&f08, 0x55, sizeof f08);
    OK(PMPI_Status_f2f08(integers, &f08));
    memset(&back, 0x55, sizeof back);
    OK(PMPI_Status_f082c(&f08, &back));
    CHECK(same(status, back));

    /* A status that is ignored cannot be converted. */
    CHECK(MPI_F_STATUS_IGNORE == MPI_F_STATUSES_IGNORE && MPI_F08_STATUS_IGNORE == MPI_F08_STATUSES_IGNORE);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_Status_c2f(MPI_STATUS_IGNORE, integers), MPI_ERR_ARG);
    FAILS(MPI_Status_f2c(MPI_F_STATUS_IGNORE, &status), MPI_ERR_ARG);
    FAILS(MPI_Status_f082c(MPI_F08_STATUS_IGNORE, &status), MPI_ERR_ARG);
    FAILS(MPI_Status_f082f(MPI_F08_STATUS_IGNORE, integers), MPI_ERR_ARG);
    FAILS(MPI_Status_f2f08(MPI_F_STATUS_IGNORE, &f08), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    /* These may be called at any time. */
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    check_begin(&argc, &argv);
    predefined();
    objects();
    operations();
    statuses();
    return check_end();
}
