/* C streams: stdin, stdout and stderr of the rank, and the functions that use them without naming them. */
#include "shim.h"

FILE *simurgh_stdin, *simurgh_stdout, *simurgh_stderr;
#undef stdin
#undef stdout
#undef stderr
extern FILE *stdin EXPORT __attribute__((alias("simurgh_stdin")));
extern FILE *stdout EXPORT __attribute__((alias("simurgh_stdout")));
extern FILE *stderr EXPORT __attribute__((alias("simurgh_stderr")));

bool simurgh_forked;

static const int output_streams[] = {STDOUT_FILENO, STDERR_FILENO};

static ssize_t write_all(int descriptor, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t written = libc.write(descriptor, bytes + done, length - done);
        if (written < 0 && errno != EINTR)
            return -1;
        if (written > 0)
            done += (size_t)written;
    }
    return (ssize_t)length;
}

/* Output of a rank goes to the host, which puts lines together; that of a forked child straight to the descriptor. */
static ssize_t emit(int descriptor, const void *bytes, size_t length)
{
    if (simurgh_forked)
        return write_all(descriptor, bytes, length);
    simurgh_shim_rank.hooks->write(simurgh_shim_rank.user, descriptor, bytes, length);
    return (ssize_t)length;
}

static ssize_t write_cookie(void *cookie, const char *bytes, size_t length)
{
    return emit(*(const int *)cookie, bytes, length);
}

/* Called by the loader before anything of the rank runs. Returns 0, or -1 if memory is short. */
EXPORT int simurgh_shim_setup(void)
{
    cookie_io_functions_t output = {.write = write_cookie}, nothing = {0};
    simurgh_stdout = libc.fopencookie((void *)&output_streams[0], "w", output);
    simurgh_stderr = libc.fopencookie((void *)&output_streams[1], "w", output);
    simurgh_stdin = simurgh_shim_rank.rank == 0 ? *libc.stdin_stream : libc.fopencookie(NULL, "r", nothing);
    if (!simurgh_stdin || !simurgh_stdout || !simurgh_stderr)
        return -1;
    libc.setvbuf(simurgh_stdout, NULL, _IOLBF, 0);
    libc.setvbuf(simurgh_stderr, NULL, _IONBF, 0);
    return 0;
}

/* Output streams that the rank has opened: flushed at its end. */
static pthread_mutex_t streams_lock;
static FILE **streams;
static size_t stream_count, stream_capacity;

static FILE *remember(FILE *stream)
{
    if (!stream)
        return NULL;
    libc.pthread_mutex_lock(&streams_lock);
    if (stream_count == stream_capacity) {
        size_t capacity = stream_capacity ? stream_capacity * 2 : 8;
        FILE **larger = libc.realloc(streams, capacity * sizeof *larger);
        if (larger)
            streams = larger, stream_capacity = capacity;
    }
    if (stream_count < stream_capacity)
        streams[stream_count++] = stream;
    libc.pthread_mutex_unlock(&streams_lock);
    return stream;
}

static void forget(FILE *stream)
{
    libc.pthread_mutex_lock(&streams_lock);
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i] == stream) {
            streams[i] = streams[--stream_count];
            break;
        }
    libc.pthread_mutex_unlock(&streams_lock);
}

static int flush_opened(void)
{
    int result = 0;
    libc.pthread_mutex_lock(&streams_lock);
    for (size_t i = 0; i < stream_count; i++)
        result |= libc.fflush(streams[i]);
    libc.pthread_mutex_unlock(&streams_lock);
    return result;
}

void simurgh_flush_streams(void)
{
    libc.fflush(simurgh_stdout);
    flush_opened();
}

/* Called by the host when it ends the job: takes no lock that a stopped thread may hold. */
EXPORT void simurgh_shim_flush(void)
{
    if (libc.ftrylockfile(simurgh_stdout) == 0) {
        libc.fflush_unlocked(simurgh_stdout);
        libc.funlockfile(simurgh_stdout);
    }
}

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return remember(libc.fopen(path, mode));
}

EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return remember(libc.fopen64(path, mode));
}

EXPORT FILE *fdopen(int descriptor, const char *mode)
{
    return remember(libc.fdopen(descriptor, mode));
}

EXPORT FILE *tmpfile(void)
{
    return remember(libc.tmpfile());
}

EXPORT FILE *tmpfile64(void)
{
    return remember(libc.tmpfile64());
}

EXPORT FILE *popen(const char *command, const char *mode)
{
    return remember(libc.popen(command, mode));
}

EXPORT int fclose(FILE *stream)
{
    forget(stream);
    return libc.fclose(stream);
}

EXPORT int pclose(FILE *stream)
{
    forget(stream);
    return libc.pclose(stream);
}

/* libc does not flush a stream of ours before it gives it another file. */
static void flush_before_reopening(FILE *stream)
{
    if (stream == simurgh_stdout)
        libc.fflush(stream);
}

EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    flush_before_reopening(stream);
    return libc.freopen(path, mode, stream);
}

EXPORT FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict stream)
{
    flush_before_reopening(stream);
    return libc.freopen64(path, mode, stream);
}

EXPORT int fflush(FILE *stream)
{
    if (stream)
        return libc.fflush(stream);
    int result = libc.fflush(stdout);
    return flush_opened() | result;
}

EXPORT int fflush_unlocked(FILE *stream)
{
    return stream ? libc.fflush_unlocked(stream) : fflush(NULL);
}

EXPORT int fileno(FILE *stream)
{
    int descriptor = libc.fileno(stream);
    if (descriptor >= 0)
        return descriptor;
    if (stream == simurgh_stdout)
        return STDOUT_FILENO;
    if (stream == simurgh_stderr)
        return STDERR_FILENO;
    if (stream == simurgh_stdin) {
        static int empty = -1;
        if (empty < 0)
            empty = libc.open("/dev/null", O_RDONLY | O_CLOEXEC);
        return empty;
    }
    return descriptor;
}

EXPORT int fileno_unlocked(FILE *stream)
{
    return fileno(stream);
}

EXPORT ssize_t write(int descriptor, const void *bytes, size_t length)
{
    if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)
        return emit(descriptor, bytes, length);
    return libc.write(descriptor, bytes, length);
}

EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
        return libc.writev(descriptor, parts, count);
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t written = emit(descriptor, parts[i].iov_base, parts[i].iov_len);
        if (written < 0)
            return total ? total : -1;
        total += written;
    }
    return total;
}

EXPORT pid_t fork(void)
{
    pid_t child = libc.fork();
    if (child == 0)
        simurgh_forked = true;
    return child;
}
