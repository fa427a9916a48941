/* The main thread of a rank finds its processors and its stack. With an argument, the processors of each thread are
 * printed: for each rank "RANK main LIST", "RANK thread LIST", "RANK child LIST", and so on for the threads that it has
 * the system start. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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
    /* LLVM's OpenMP asks the kernel past the functions for this. It takes the kernel's word for the length. */
    CPU_ZERO(&by_number);
    EXPECT(syscall(SYS_sched_getaffinity, 0, sizeof by_number, &by_number) > 0 && CPU_EQUAL(&set, &by_number));
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

/* The processors in a line of a file like /proc/self/status, "Cpus_allowed_list: 0-2,5", which is closed. */
static cpu_set_t listed(FILE *file)
{
    char line[4096] = "";
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT(file && fgets(line, sizeof line, file));
    for (char *at = line + strcspn(line, "0123456789"); *at;) {
        int first = (int)strtol(at, &at, 10), last = *at == '-' ? (int)strtol(at + 1, &at, 10) : first;
        for (int i = first; i <= last; i++)
            CPU_SET(i, &set);
        at += strcspn(at, "0123456789");
    }
    return set;
}

#define TELL "grep Cpus_allowed_list /proc/self/status"

static cpu_set_t of_popen(void)
{
    FILE *stream = popen(TELL, "r");
    cpu_set_t set = listed(stream);
    EXPECT(pclose(stream) == 0);
    return set;
}

static cpu_set_t of_system(void)
{
    char name[64], command[160];
    snprintf(name, sizeof name, "/tmp/simurgh-affinity-%d-%d", (int)getpid(), rank);
    snprintf(command, sizeof command, TELL " > %s", name);
    EXPECT(system(command) == 0);
    FILE *file = fopen(name, "r");
    cpu_set_t set = listed(file);
    EXPECT(fclose(file) == 0 && remove(name) == 0);
    return set;
}

/* By posix_spawn, or by vfork and execv. */
static cpu_set_t of_program(int spawn)
{
    char *arguments[] = {"sh", "-c", TELL, NULL};
    int ends[2], status = -1;
    EXPECT(pipe2(ends, O_CLOEXEC) == 0);
    pid_t child;
    if (spawn) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        EXPECT(posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ) == 0);
        posix_spawn_file_actions_destroy(&actions);
    } else if ((child = vfork()) == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execv("/bin/sh", arguments);
        _exit(127);
    }
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    cpu_set_t set = listed(file);
    fclose(file);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
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
    EXPECT(syscall(SYS_sched_setaffinity, 0, sizeof first, &first) == 0);
    set = of_thread(NULL);
    EXPECT(CPU_EQUAL(&set, &first));
    EXPECT(syscall(SYS_sched_setaffinity, 0, sizeof before, &before) == 0);
    set = of_main();
    EXPECT(CPU_EQUAL(&set, &before));
    EXPECT(syscall(SYS_sched_setaffinity, 0, sizeof before, NULL) == -1 && errno == EFAULT);
    EXPECT(syscall(SYS_sched_getaffinity, 0, 1, &set) == -1 && errno == EINVAL);
    /* Other calls get all their arguments: no file begins at its second byte. */
    EXPECT(syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 1) == -1 && errno == EINVAL);
    EXPECT(syscall(SYS_mmap, 0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1);
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
    cpu_set_t spawned_set = of_program(1), forked_set = of_program(0), popen_set = of_popen(), system_set = of_system();
    if (argc > 1) {
        say("main", &main_set);
        say("thread", &thread_set);
        say("child", &child_set);
        say("posix_spawn", &spawned_set);
        say("vfork", &forked_set);
        say("popen", &popen_set);
        say("system", &system_set);
    }
    check_stack();
    check_changes();
    check_attributes();
    MPI_Barrier(MPI_COMM_WORLD);
    puts(bad ? "affinity BAD" : "affinity OK");
    MPI_Finalize();
    return 0;
}
