/* {extern, static, function static, thread-local, zero-initialised, pointer} x {program, archive, shared library}:
 * initial values, then private through many rounds of writing and letting others run; also in a second thread. */
#include "storage.h"
#include "yield.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Read and written directly too: as COPY relocations, initial-exec and general dynamic thread-local accesses. */
extern long shared_external, archive_external;
extern __thread long shared_thread_exported, archive_thread_exported;

static int bad;

static void expect(const char *place, const char *what, long is, long should)
{
    if (is != should) {
        printf("BAD %s %s is %ld, not %ld\n", place, what, is, should);
        bad++;
    }
}

static void check_initial(const char *place, struct view v)
{
    expect(place, "external", *v.external, 11);
    expect(place, "file static", *v.file_static, 12);
    expect(place, "function static", *v.function_static, 13);
    expect(place, "exported thread-local", *v.thread_local_exported, 14);
    expect(place, "static thread-local", *v.thread_local_static, 15);
    expect(place, "zero", *v.zero, 0);
    expect(place, "pointer", *v.pointer == v.external, 1);
}

static void write_all(struct view v, long value)
{
    *v.external = value;
    *v.file_static = value + 1;
    *v.function_static = value + 2;
    *v.thread_local_exported = value + 3;
    *v.thread_local_static = value + 4;
    *v.zero = value + 5;
}

static void check_all(const char *place, struct view v, long value)
{
    expect(place, "external", *v.external, value);
    expect(place, "file static", *v.file_static, value + 1);
    expect(place, "function static", *v.function_static, value + 2);
    expect(place, "exported thread-local", *v.thread_local_exported, value + 3);
    expect(place, "static thread-local", *v.thread_local_static, value + 4);
    expect(place, "zero", *v.zero, value + 5);
    expect(place, "through pointer", **v.pointer, value);
}

static void *second_thread(void *unused)
{
    (void)unused;
    struct view places[] = {program_view(), archive_view(), shared_view()};
    for (int i = 0; i < 3; i++) {
        expect("second thread", "exported thread-local", *places[i].thread_local_exported, 14);
        expect("second thread", "static thread-local", *places[i].thread_local_static, 15);
        *places[i].thread_local_exported = *places[i].thread_local_static = -1;
    }
    expect("second thread", "shared_thread_exported", shared_thread_exported, -1);
    return NULL;
}

int main(void)
{
    const char *rank = getenv("TEST_RANK");
    long mine = 1000 * (rank ? atol(rank) + 1 : 1);
    const char *names[] = {"program", "archive", "shared"};
    struct view places[] = {program_view(), archive_view(), shared_view()};
    for (int i = 0; i < 3; i++)
        check_initial(names[i], places[i]);
    expect("direct", "shared_external", shared_external, 11);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3; i++)
            write_all(places[i], mine + 100 * i + round);
        let_others_run();
        for (int i = 0; i < 3; i++)
            check_all(names[i], places[i], mine + 100 * i + round);
        expect("direct", "shared_external", shared_external, mine + 200 + round);
        expect("direct", "archive_external", archive_external, mine + 100 + round);
        expect("direct", "shared_thread_exported", shared_thread_exported, mine + 203 + round);
        expect("direct", "archive_thread_exported", archive_thread_exported, mine + 103 + round);
    }
    pthread_t thread;
    expect("thread", "pthread_create", pthread_create(&thread, NULL, second_thread, NULL), 0);
    pthread_join(thread, NULL);
    expect("after thread", "thread-local", shared_thread_exported, mine + 203 + 49);
    puts(bad ? "storage BAD" : "storage OK");
    return bad != 0;
}
