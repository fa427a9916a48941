/* What the main thread of a rank answers about itself: processors and stack. With an argument, the processors on which
 * each thread finds itself: for each rank "RANK main LIST", "RANK thread LIST" and "RANK child LIST". */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, bad;

#define EXPECT(condition) ((condition) ? 0 : (printf("BAD line %d of rank %d\n", __LINE__, rank), bad++))

static void say(const char *who, const cpu_set_t *set)
{
    char line[4096] = "", item[16];
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set)) {
            snprintf(item, sizeof item, "%s%d", line[0] ? "," : "", i);
            strncat(line, item, sizeof line - strlen(line) - 1);
        }
    printf("%d %s %s\n", rank, who, line);
}

static void *own_set(void *set)
{
    return pthread_getaffinity_np(pthread_self(), sizeof(cpu_set_t), set) ? NULL : set;
}

static cpu_set_t of_thread(const pthread_attr_t *attributes)
{
    pthread_t thread;
    cpu_set_t set;
    void *answered = NULL;
    EXPECT(!pthread_create(&thread, attributes, own_set, &set) && !pthread_join(thread, &answered) && answered);
    return set;
}

static cpu_set_t of_main(void)
{
    cpu_set_t set, by_number, by_zero;
    EXPECT(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    EXPECT(sched_getaffinity(0, sizeof by_zero, &by_zero) == 0 && CPU_EQUAL(&set, &by_zero));
    EXPECT(sched_getaffinity(getpid(), sizeof by_number, &by_number) == 0 && CPU_EQUAL(&set, &by_number));
    return set;
}

static cpu_set_t of_child(void)
{
    int ends[2];
    cpu_set_t set;
    CPU_ZERO(&set);
    fflush(stdout);
    EXPECT(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        sched_getaffinity(0, sizeof set, &set);
        _exit(write(ends[1], &set, sizeof set) != sizeof set);
    }
    int status;
    EXPECT(read(ends[0], &set, sizeof set) == sizeof set && waitpid(child, &status, 0) == child && status == 0);
    close(ends[0]);
    close(ends[1]);
    return set;
}

static void check_stack(void)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    cpu_set_t set, own = of_main();
    char here;
    EXPECT(pthread_getattr_np(pthread_self(), &attributes) == 0);
    EXPECT(pthread_attr_getstack(&attributes, &low, &size) == 0);
    EXPECT((char *)low <= &here && &here < (char *)low + size);
    EXPECT(pthread_attr_getaffinity_np(&attributes, sizeof set, &set) == 0 && CPU_EQUAL(&set, &own));
    EXPECT(pthread_attr_destroy(&attributes) == 0);
    /* Collectors of garbage read it all. */
    volatile char *lowest = low;
    EXPECT(size >= 65536 && lowest[size - 1] + lowest[0] != 1000);
}

static int first_of(const cpu_set_t *set)
{
    int first = 0;
    while (!CPU_ISSET(first, set))
        first++;
    return first;
}

static void check_changes(void)
{
    cpu_set_t before = of_main(), first, none, set;
    CPU_ZERO(&none);
    CPU_ZERO(&first);
    CPU_SET(first_of(&before), &first);
    EXPECT(pthread_setaffinity_np(pthread_self(), sizeof first, &first) == 0);
    set = of_main();
    EXPECT(CPU_EQUAL(&set, &first));
    set = of_thread(NULL);
    EXPECT(CPU_EQUAL(&set, &first));
    EXPECT(pthread_setaffinity_np(pthread_self(), sizeof none, &none) != 0);
    EXPECT(sched_setaffinity(0, sizeof before, &before) == 0);
    set = of_main();
    EXPECT(CPU_EQUAL(&set, &before));
    char small;
    EXPECT(sched_getaffinity(0, sizeof small, (cpu_set_t *)&small) == -1);
}

static void check_attributes(void)
{
    cpu_set_t own = of_main(), last, set;
    pthread_attr_t attributes;
    CPU_ZERO(&last);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &own)) {
            CPU_ZERO(&last);
            CPU_SET(i, &last);
        }
    pthread_attr_init(&attributes);
    set = of_thread(&attributes);
    EXPECT(CPU_EQUAL(&set, &own));
    pthread_attr_setaffinity_np(&attributes, sizeof last, &last);
    set = of_thread(&attributes);
    EXPECT(CPU_EQUAL(&set, &last));
    pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cpu_set_t main_set = of_main(), thread_set = of_thread(NULL), child_set = of_child();
    if (argc > 1) {
        say("main", &main_set);
        say("thread", &thread_set);
        say("child", &child_set);
    }
    check_stack();
    check_changes();
    check_attributes();
    MPI_Barrier(MPI_COMM_WORLD);
    puts(bad ? "affinity BAD" : "affinity OK");
    MPI_Finalize();
    return 0;
}
