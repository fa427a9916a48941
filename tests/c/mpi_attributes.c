/* Attributes of communicators and datatypes: what the functions of their keys are given, in which order, and what
 * happens when they fail. */
#include "mpi_check.h"
#include <stdint.h>

static int extra = 4711;
static int copies, deletes;
static MPI_Comm last_comm;
static intptr_t deleted[8];
static int copy_result, delete_result;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    void *again;
    int found;
    CHECK(state == &extra);
    /* A callback may call MPI. */
    OK(MPI_Comm_get_attr(comm, keyval, &again, &found));
    CHECK(found && again == in);
    copies++;
    last_comm = comm;
    *(void **)out = (char *)in + 1;
    *flag = (intptr_t)in != 100;
    return copy_result;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    void *again;
    int found;
    CHECK(state == &extra);
    OK(MPI_Comm_get_attr(comm, keyval, &again, &found));
    CHECK(found && again == value);
    last_comm = comm;
    deleted[deletes++ % 8] = (intptr_t)value;
    return delete_result;
}

static intptr_t value_of(MPI_Comm comm, int keyval)
{
    void *value = NULL;
    int found = -1;
    OK(MPI_Comm_get_attr(comm, keyval, &value, &found));
    return found ? (intptr_t)value : -1;
}

static void communicators(void)
{
    MPI_Comm comm, dup;
    int keys[4], stale;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_create_keyval(copy, delete, &keys[i], &extra));
    OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[3], NULL));
    CHECK(value_of(comm, keys[0]) == -1);
    OK(MPI_Comm_set_attr(comm, keys[0], (void *)10));
    OK(MPI_Comm_set_attr(comm, keys[1], (void *)100)); /* not copied */
    OK(MPI_Comm_set_attr(comm, keys[2], (void *)30));
    OK(MPI_Comm_set_attr(comm, keys[3], (void *)40));

    copies = deletes = 0;
    OK(MPI_Comm_dup(comm, &dup));
    CHECK(copies == 3 && last_comm == comm);
    CHECK(value_of(dup, keys[0]) == 11 && value_of(dup, keys[1]) == -1);
    CHECK(value_of(dup, keys[2]) == 31 && value_of(dup, keys[3]) == 40);
    CHECK(value_of(comm, keys[0]) == 10);

    /* Every way of duplicating copies them. */
    MPI_Comm other[3];
    MPI_Request requests[2];
    OK(MPI_Comm_idup(comm, &other[0], &requests[0]));
    OK(MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &other[1], &requests[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &other[2]));
    for (int i = 0; i < 3; i++) {
        CHECK(value_of(other[i], keys[0]) == 11 && value_of(other[i], keys[1]) == -1);
        OK(MPI_Comm_free(&other[i]));
    }
    OK(MPI_Comm_split(comm, 0, 0, &other[0])); /* this is no duplicate */
    CHECK(value_of(other[0], keys[0]) == -1 && value_of(other[0], keys[3]) == -1);
    OK(MPI_Comm_free(&other[0]));
    deletes = 0;

    /* A value that is replaced is deleted; so is one that is asked to be; the rest goes in reverse order. */
    OK(MPI_Comm_set_attr(dup, keys[0], (void *)12));
    CHECK(deletes == 1 && deleted[0] == 11 && last_comm == dup && value_of(dup, keys[0]) == 12);
    OK(MPI_Comm_set_attr(dup, keys[1], (void *)22));
    OK(MPI_Comm_delete_attr(dup, keys[2]));
    CHECK(deletes == 2 && deleted[1] == 31 && value_of(dup, keys[2]) == -1);
    OK(MPI_Comm_set_attr(dup, keys[2], (void *)32));
    MPI_Comm was = dup;
    OK(MPI_Comm_free(&dup));
    CHECK(deletes == 5 && last_comm == was && dup == MPI_COMM_NULL);
    CHECK(deleted[2] == 32 && deleted[3] == 22 && deleted[4] == 12);

    /* A key lives on in its attributes. */
    stale = keys[0];
    OK(MPI_Comm_free_keyval(&keys[0]));
    CHECK(keys[0] == MPI_KEYVAL_INVALID);
    CHECK(value_of(comm, stale) == 10);
    OK(MPI_Comm_delete_attr(comm, stale));
    CHECK(MPI_Comm_set_attr(comm, stale, NULL) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_free_keyval(&stale) == MPI_ERR_KEYVAL);

    /* Errors of the functions reach the caller as they are, and leave things as they were. */
    delete_result = 1234567;
    CHECK(MPI_Comm_set_attr(comm, keys[1], NULL) == 1234567);
    CHECK(MPI_Comm_delete_attr(comm, keys[1]) == 1234567);
    was = comm;
    CHECK(MPI_Comm_free(&comm) == 1234567 && comm == was);
    CHECK(value_of(comm, keys[1]) == 100);
    copy_result = 7654321;
    dup = MPI_COMM_WORLD;
    CHECK(MPI_Comm_dup(comm, &dup) == 7654321 && dup == MPI_COMM_NULL);
    copy_result = delete_result = 0;
    OK(MPI_Comm_free(&comm));
    for (int i = 1; i < 4; i++)
        OK(MPI_Comm_free_keyval(&keys[i]));
}

static int type_deletes;

static int type_copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)keyval;
    CHECK(type != MPI_DATATYPE_NULL && state == &extra);
    *(void **)out = (char *)in + 5;
    *flag = 1;
    return MPI_SUCCESS;
}

static int type_delete(MPI_Datatype type, int keyval, void *value, void *state)
{
    (void)keyval, (void)value;
    CHECK(type != MPI_DATATYPE_NULL && state == &extra);
    type_deletes++;
    return MPI_SUCCESS;
}

static void datatypes(void)
{
    MPI_Datatype type, dup;
    int key, same, found;
    void *value;
    OK(MPI_Type_create_keyval(type_copy, type_delete, &key, &extra));
    OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &same, NULL));
    OK(MPI_Type_contiguous(3, MPI_INT, &type));
    OK(MPI_Type_set_attr(type, key, (void *)1));
    OK(MPI_Type_set_attr(type, same, &extra));
    OK(MPI_Type_set_attr(MPI_INT, key, (void *)2)); /* predefined ones have attributes, too */
    OK(MPI_Type_get_attr(MPI_INT, key, &value, &found));
    CHECK(found && value == (void *)2);
    OK(MPI_Type_get_attr(MPI_DOUBLE, key, &value, &found));
    CHECK(!found);
    OK(MPI_Type_dup(type, &dup));
    OK(MPI_Type_get_attr(dup, key, &value, &found));
    CHECK(found && value == (void *)6);
    OK(MPI_Type_get_attr(dup, same, &value, &found));
    CHECK(found && value == &extra);
    OK(MPI_Type_delete_attr(dup, same));
    OK(MPI_Type_get_attr(dup, same, &value, &found));
    CHECK(!found);
    OK(MPI_Type_delete_attr(MPI_INT, key));
    CHECK(type_deletes == 1);
    OK(MPI_Type_free(&dup));
    OK(MPI_Type_free(&type));
    CHECK(type_deletes == 3);
    /* A key is for one kind of objects. */
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_free_keyval(&key) == MPI_ERR_KEYVAL);
    OK(MPI_Type_free_keyval(&key));
    OK(MPI_Type_free_keyval(&same));
    CHECK(key == MPI_KEYVAL_INVALID);
    CHECK(MPI_Type_get_attr(MPI_INT, MPI_KEYVAL_INVALID, &value, &found) == MPI_ERR_KEYVAL);
    CHECK(MPI_Type_set_attr(MPI_DATATYPE_NULL, 1, NULL) == MPI_ERR_TYPE);
}

static int predefined(int keyval)
{
    int *value = NULL, found;
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found));
    CHECK(found && value != NULL);
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, NULL) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval) == MPI_ERR_KEYVAL);
    CHECK(MPI_Comm_free_keyval(&keyval) == MPI_ERR_KEYVAL);
    return *value;
}

static void predefined_attributes(void)
{
    CHECK(predefined(MPI_TAG_UB) >= 32767);
    CHECK(predefined(MPI_IO) == MPI_ANY_SOURCE);
    CHECK(predefined(MPI_HOST) == MPI_PROC_NULL);
    CHECK(predefined(MPI_WTIME_IS_GLOBAL) == 1);
    CHECK(predefined(MPI_APPNUM) == 0);
    CHECK(predefined(MPI_UNIVERSE_SIZE) == check_size);
    CHECK(predefined(MPI_LASTUSEDCODE) == MPI_ERR_LASTCODE);
    /* The largest tag works. */
    int tag = predefined(MPI_TAG_UB), in = 0, out = 5;
    OK(MPI_Sendrecv(&out, 1, MPI_INT, check_rank, tag, &in, 1, MPI_INT, check_rank, tag, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    CHECK(in == 5);
}

static void deprecated_names(void)
{
    MPI_Comm dup;
    int key, same, found;
    void *value;
    OK(MPI_Keyval_create(copy, delete, &key, &extra));
    OK(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &same, NULL));
    OK(MPI_Attr_put(MPI_COMM_SELF, key, (void *)50));
    OK(MPI_Attr_put(MPI_COMM_SELF, same, (void *)60));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &dup));
    OK(MPI_Attr_get(dup, key, &value, &found));
    CHECK(found && value == (void *)51);
    OK(MPI_Attr_get(dup, same, &value, &found));
    CHECK(found && value == (void *)60);
    OK(MPI_Attr_delete(dup, key));
    OK(MPI_Attr_get(dup, key, &value, &found));
    CHECK(!found);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Attr_delete(MPI_COMM_SELF, key));
    OK(MPI_Attr_delete(MPI_COMM_SELF, same));
    OK(MPI_Keyval_free(&key));
    OK(MPI_Keyval_free(&same));
    CHECK(key == MPI_KEYVAL_INVALID);
}

static int ended;

static int at_the_end(MPI_Comm comm, int keyval, void *value, void *state)
{
    int finalized = 1, size;
    (void)keyval, (void)state;
    MPI_Finalized(&finalized);
    if (finalized || comm != MPI_COMM_SELF || MPI_Comm_size(comm, &size) != MPI_SUCCESS || (intptr_t)value != 3 - ended)
        abort();
    ended++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    communicators();
    datatypes();
    predefined_attributes();
    deprecated_names();
    for (intptr_t i = 1; i <= 3; i++) {
        int key;
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, (void *)i));
        OK(MPI_Comm_free_keyval(&key));
    }
    int status = check_end();
    return ended == 3 ? status : 1;
}
