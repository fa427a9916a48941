/* The per-rank shim: the parts of libc that each process has to itself.
 *
 * Each rank loads its own copy of this library, first in the lookup scope of its program, so every static here belongs
 * to the rank. The shim is linked with nothing. It reaches libc only through the table `libc`, which the loader fills
 * in once for all ranks: a symbol lookup by the shim would find the shim itself, or a function of the program with the
 * same name. */
#ifndef SIMURGH_SHIM_H
#define SIMURGH_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define _LARGEFILE64_SOURCE 1

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <errno.h>
#include <mqueue.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <ucontext.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* -fvisibility=hidden is in force. Programs see only what is marked by EXPORT. */
#define EXPORT __attribute__((visibility("default")))

/* The callbacks of the host: struct Hooks in src/hooks.rs. */
struct hooks {
    int (*write)(void *user, int stream, const void *bytes, size_t length);
    void (*thread_started)(void *user);
    void (*thread_ended)(void *user);
    void (*await_thread)(void *user, uint32_t *word, uint32_t value);
    void (*wake)(void *user);
    void (*exited_elsewhere)(void *user, int status);
    void (*yield)(void *user);
    void *(*context)(void *user, uint32_t **attention);
    void (*listen)(void *context);
    void (*interrupt)(void *context, int32_t kernel_thread, bool restart);
    void (*wait)(void *user);
    void (*expect)(void *user, bool expects);
    int32_t (*signal_thread)(void *user, int32_t *number);
    void (*take_signal)(void *user, int32_t number);
    void (*killed)(void *user, int32_t number);
};

typedef void (*init_function)(int, char **, char **);
typedef void (*fini_function)(void);

/* Constructors and destructors of one object: struct ObjectCode in src/object_code.rs. */
struct object_code {
    init_function init;
    const init_function *preinit_array;
    size_t preinit_count;
    const init_function *init_array;
    size_t init_count;
    const fini_function *fini_array;
    size_t fini_count;
    fini_function fini;
};

/* Libraries that the rank has loaded while it ran, by one call of dlopen: struct AdditionRecord in
 * src/dl/addition.rs. */
struct addition {
    const struct object_code *objects; /* dependencies first */
    size_t object_count;
    struct addition *older;
};

/* The questions about the rank's image: struct RankCalls in src/dl/mod.rs. `image` is any address in the image. */
struct image_calls {
    /* The handle of a library; NULL if it is not the rank's own. Of libraries that were loaded just now, the
     * constructors have not been called. */
    void *(*open)(const void *image, const char *name, int mode, struct addition **added);
    int (*owns)(const void *image, const void *handle);
    void *(*find)(const void *image, void *handle, const char *name, const char *version, const void *caller);
    int (*describe)(const void *address, Dl_info *info, void **extra, int flags);
    int (*iterate)(const void *image, int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);
    int (*find_object)(void *address, void *result);
    int (*is_crash_handler)(const void *function);
};

/* The record of this rank, filled in by the loader: struct RankRecord in src/shim.rs. */
struct rank_record {
    void *user;
    const struct hooks *hooks;
    const struct image_calls *image;
    const struct object_code *objects;  /* dependencies first, the program last */
    size_t object_count;
    void (*tls_start)(const void *layout, const void *address);
    const void *tls_layout;
    const void *address;                /* of the image */
    void *saved_stack;                  /* the stack pointer that simurgh_shim_enter has saved */
    pthread_t main_thread;
    const char *program;                /* the path of its file */
    int (*open_maps)(const void *image); /* opens a file like /proc/self/maps; negative: an error */
    uint64_t ignored_signals;           /* from the beginning, as bits */
    char *data_segment;                 /* the addresses of the data segment; anywhere if the size is 0 */
    size_t data_size;
    int32_t rank;
    int32_t host_pid;
    void *stack;                        /* of the main thread: its lowest address */
    size_t stack_size;
    cpu_set_t processors;               /* on which the rank may compute; empty if not given */
};

extern struct rank_record simurgh_shim_rank;

/* The functions of the real libc. */
typedef int scan_function(FILE *, const char *, va_list);
typedef int text_scan_function(const char *, const char *, va_list);
typedef int checked_allocating_print_function(char **, int, const char *, va_list);
typedef int wide_scan_function(FILE *, const wchar_t *, va_list);
typedef int checked_print_function(FILE *, int, const char *, va_list);
typedef int checked_wide_print_function(FILE *, int, const wchar_t *, va_list);
typedef void jump_function(struct __jmp_buf_tag *, int);
typedef int thread_atexit_function(void (*)(void *), void *, void *);

struct libc_table {
#define LIBC(name) __typeof__(&name) name;
#define LIBC_AS(field, type, name) type *field;
#include "libc.def"
#undef LIBC
#undef LIBC_AS
};

extern const struct libc_table libc;

/* The name of a function that takes the place of libc's for programs with their own malloc, since it gives blocks. */
#define OWN_BLOCK(name) simurgh_shim_own_block_##name
/* A copy of a block of libc, made by the program's malloc; the block is freed. NULL for NULL, and without memory. */
void *simurgh_own_block(void *block);

#undef errno
#define errno (*libc.__errno_location())

/* The time that a wait on the main context keeps the other ranks from running: at first, and at most. */
enum { SIMURGH_FIRST_SLICE_NANOSECONDS = 10000, SIMURGH_SLICE_NANOSECONDS = 1000000 };

/* The standard streams of the rank. The exported variables stdin, stdout and stderr may move (COPY relocations). */
extern FILE *simurgh_stdin, *simurgh_stdout, *simurgh_stderr;

/* Set in a child made by fork, which has no host. */
extern bool simurgh_forked;
/* Call the functions that the program has given to pthread_atfork. */
void simurgh_before_fork(void);
void simurgh_after_fork(bool is_child);

void simurgh_flush_streams(void);
void simurgh_note_input(void);
/* Whether the calling thread writes out the rank's buffers because the job ends. It waits for no lock for long. */
bool simurgh_is_flushing(void);
/* Locks a mutex for such a thread, or goes on without it after a moment. */
int simurgh_lock_soon(pthread_mutex_t *mutex);
void simurgh_run_thread_destructors(void);
void simurgh_leave(int status, void *saved_stack) __attribute__((noreturn));
void simurgh_wait_for_threads(void);
void simurgh_await_end(pthread_t thread);
void simurgh_let_others_run(void);
/* Suspend the main context for as long as the wait lasts. They return the result of the waiting function, or -1 if the
 * wait cannot be done in this way. For a mutex, which is still to be locked, the result is whether the wait could be
 * done. */
int simurgh_await_semaphore(sem_t *semaphore);
int simurgh_await_condition(pthread_cond_t *condition, pthread_mutex_t *mutex);
bool simurgh_await_mutex(pthread_mutex_t *mutex);
/* Whether there is a thread for such waits. */
bool simurgh_has_waiter(void);
bool simurgh_waiter_is_busy(void);
/* Sleeps for a moment, at most until `end` on the monotonic clock. False once that time is reached. */
bool simurgh_sleep_a_slice(struct timespec end);
struct timespec simurgh_time_after(struct timespec duration);
/* Makes the calling thread a thread of the rank for the rest of its life. */
void simurgh_adopt_thread(void);
int simurgh_start_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                         void *argument);
bool simurgh_on_main(void);
/* Whether the handlers of exit have run, if they are to run at all. */
bool simurgh_has_exited(void);
void simurgh_name_program(char *path);
void simurgh_note_start(int argc, char **argv);
void simurgh_construct(const struct object_code *object);
/* Calls the destructors of libraries that the rank has loaded while it ran. */
void simurgh_destroy_additions(void);
void simurgh_destroy(const struct object_code *objects, size_t count);
const char *simurgh_program_at(const char *path);
int simurgh_open_own(const char *path, int flags);
enum { SIMURGH_NOT_OWN = -2 };
/* Whether LLVM's OpenMP library registers itself under a name in this folder, and what it gets then. */
bool simurgh_is_registration(const char *path, const char *folder);
int simurgh_open_registration(int flags);
bool simurgh_inherit_processors(const pthread_attr_t *attributes, cpu_set_t *set);
bool simurgh_same_processors(cpu_set_t *some, cpu_set_t *others);

/* A thread that has a rank's processors for a moment: its number, or 0, and its own processors. */
struct simurgh_lent {
    pid_t thread;
    cpu_set_t before;
};

struct simurgh_lent simurgh_lend_processors(void);
void simurgh_take_processors_back(const struct simurgh_lent *lent);
void simurgh_leave_processor(void);

#endif
