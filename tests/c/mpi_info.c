/* Info objects, before, during and after the use of MPI. */
#include "mpi_check.h"
#include <unistd.h>

static int has(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    int length = sizeof value, found = -1;
    OK(MPI_Info_get_string(info, key, &length, value, &found));
    if (!expected)
        return !found && length == sizeof value;
    return found && strcmp(value, expected) == 0 && length == (int)strlen(expected) + 1;
}

static int keys_of(MPI_Info info)
{
    int keys = -1;
    OK(MPI_Info_get_nkeys(info, &keys));
    return keys;
}

static void pairs(void)
{
    MPI_Info info, copy;
    char key[MPI_MAX_INFO_KEY], value[8];
    int length, found;
    OK(MPI_Info_create(&info));
    CHECK(info != MPI_INFO_NULL && keys_of(info) == 0);
    OK(MPI_Info_set(info, "first", "1"));
    OK(MPI_Info_set(info, "second", "a longer value"));
    OK(MPI_Info_set(info, "third", ""));
    OK(MPI_Info_set(info, "first", "one"));
    CHECK(keys_of(info) == 3);
    CHECK(has(info, "first", "one") && has(info, "third", "") && has(info, "fourth", NULL));
    /* The keys come in the order of their setting. */
    const char *order[] = {"first", "second", "third"};
    for (int i = 0; i < 3; i++) {
        OK(MPI_Info_get_nthkey(info, i, key));
        CHECK(strcmp(key, order[i]) == 0);
    }
    OK(MPI_Info_get_valuelen(info, "second", &length, &found));
    CHECK(found && length == 14);
    OK(MPI_Info_get_valuelen(info, "fourth", &length, &found));
    CHECK(!found && length == 14);
    /* A value that does not fit is cut off, and the length of the whole value is returned. */
    memset(value, '#', sizeof value);
    OK(MPI_Info_get(info, "second", 5, value, &found));
    CHECK(found && memcmp(value, "a lon\0##", 8) == 0);
    memset(value, '#', sizeof value);
    length = 5;
    OK(MPI_Info_get_string(info, "second", &length, value, &found));
    CHECK(found && memcmp(value, "a lo\0###", 8) == 0 && length == 15);
    memset(value, '#', sizeof value);
    length = 0;
    OK(MPI_Info_get_string(info, "second", &length, value, &found));
    CHECK(found && value[0] == '#' && length == 15);
    /* A copy is on its own. */
    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_delete(info, "second"));
    OK(MPI_Info_set(info, "fourth", "4"));
    CHECK(keys_of(copy) == 3 && has(copy, "second", "a longer value") && has(copy, "fourth", NULL));
    OK(MPI_Info_get_nthkey(info, 1, key));
    CHECK(strcmp(key, "third") == 0 && has(info, "second", NULL));
    OK(MPI_Info_free(&copy));
    OK(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL && copy == MPI_INFO_NULL);
}

static void limits(void)
{
    MPI_Info info, stale;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int n;
    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    key[MPI_MAX_INFO_KEY - 1] = value[MPI_MAX_INFO_VAL - 1] = 0;
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, key, value));
    CHECK(has(info, key, value));
    key[MPI_MAX_INFO_KEY - 1] = 'k', key[MPI_MAX_INFO_KEY] = 0;
    value[MPI_MAX_INFO_VAL - 1] = 'v', value[MPI_MAX_INFO_VAL] = 0;
    CHECK(MPI_Info_set(info, key, "v") == MPI_ERR_INFO_KEY);
    CHECK(MPI_Info_set(info, "", "v") == MPI_ERR_INFO_KEY);
    CHECK(MPI_Info_set(info, NULL, "v") == MPI_ERR_INFO_KEY);
    CHECK(MPI_Info_set(info, "k", value) == MPI_ERR_INFO_VALUE);
    CHECK(MPI_Info_set(info, "k", NULL) == MPI_ERR_INFO_VALUE);
    CHECK(MPI_Info_get_valuelen(info, key, &n, &n) == MPI_ERR_INFO_KEY);
    CHECK(MPI_Info_delete(info, "absent") == MPI_ERR_INFO_NOKEY);
    CHECK(MPI_Info_get_nthkey(info, 1, key) == MPI_ERR_ARG);
    CHECK(MPI_Info_get_nthkey(info, -1, key) == MPI_ERR_ARG);
    CHECK(MPI_Info_get_nkeys(MPI_INFO_NULL, &n) == MPI_ERR_INFO);
    CHECK(MPI_Info_set(MPI_INFO_NULL, "k", "v") == MPI_ERR_INFO);
    stale = info;
    OK(MPI_Info_free(&info));
    CHECK(MPI_Info_get_nkeys(stale, &n) == MPI_ERR_INFO);
    CHECK(MPI_Info_free(&stale) == MPI_ERR_INFO);
    CHECK(MPI_Info_free(&info) == MPI_ERR_INFO);
    CHECK(MPI_Info_set(MPI_INFO_ENV, "k", "v") == MPI_ERR_INFO);
    CHECK(MPI_Info_free(&(MPI_Info){MPI_INFO_ENV}) == MPI_ERR_INFO);
}

static void environment(int argc, char **argv, MPI_Info info)
{
    char ranks[16], wdir[MPI_MAX_INFO_VAL], name[MPI_MAX_PROCESSOR_NAME], arguments[MPI_MAX_INFO_VAL] = "";
    for (int i = 1; i < argc; i++)
        strcat(strcat(arguments, i > 1 ? " " : ""), argv[i]);
    snprintf(ranks, sizeof ranks, "%d", check_size);
    CHECK(getcwd(wdir, sizeof wdir));
    CHECK(has(info, "command", argv[0]) && has(info, "argv", arguments));
    CHECK(has(info, "maxprocs", ranks) && has(info, "wdir", wdir));
    CHECK(has(info, "thread_level", NULL)); /* nobody asked the launcher for one */
    CHECK(gethostname(name, sizeof name) == 0 && has(info, "host", name));
    CHECK(!has(info, "arch", NULL));
}

int main(int argc, char **argv)
{
    MPI_Info early, env;
    pairs();
    OK(MPI_Info_create(&early));
    OK(MPI_Info_set(early, "since", "before"));
    OK(MPI_Info_create_env(argc, argv, &env));
    check_begin(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    pairs();
    limits();
    environment(argc, argv, env);
    environment(argc, argv, MPI_INFO_ENV);
    OK(MPI_Info_free(&env));
    CHECK(has(early, "since", "before"));
    int status = check_end();
    pairs();
    CHECK(has(early, "since", "before"));
    OK(MPI_Info_free(&early));
    return status;
}
