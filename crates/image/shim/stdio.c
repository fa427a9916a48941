/* C streams: stdin, stdout and stderr of the rank, and the functions that use them implicitly. */
#include "signals.h"

FILE *simurgh_stdin, *simurgh_stdout, *simurgh_stderr;
#undef stdin
#undef stdout
#undef stderr
extern FILE *stdin EXPORT __attribute__((alias("simurgh_stdin")));
extern FILE *stdout EXPORT __attribute__((alias("simurgh_stdout")));
extern FILE *stderr EXPORT __attribute__((alias("simurgh_stderr")));

bool simurgh_forked;

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

/* Writes output. That of a rank goes to the host, which puts lines together; that of a forked child goes to the
 * descriptor. */
static ssize_t emit(int descriptor, const void *bytes, size_t length)
{
    if (simurgh_forked)
        return write_all(descriptor, bytes, length);
    int error = length ? simurgh_shim_rank.hooks->write(simurgh_shim_rank.user, descriptor, bytes, length) : 0;
    if (error == 0)
        return (ssize_t)length;
    errno = error;
    return -1;
}

/* A standard stream: one of our FILEs until the program closes it. Its descriptor changes when it gets another file. */
struct standard_stream {
    FILE *file;
    int descriptor;
    bool redirected;
    int lost; /* the error of lost output that no fflush has reported; 0 for none */
};

static struct standard_stream input = {NULL, -1, false, 0}, output = {NULL, STDOUT_FILENO, false, 0},
                              errors = {NULL, STDERR_FILENO, false, 0};

static ssize_t write_cookie(void *cookie, const char *bytes, size_t length)
{
    struct standard_stream *stream = cookie;
    ssize_t written = stream->redirected ? write_all(stream->descriptor, bytes, length)
                                         : emit(stream->descriptor, bytes, length);
    if (written >= 0)
        return written;
    stream->lost = errno;
    return 0; /* means an error */
}

/* The result of an operation on a stream, which is an error if output has been lost before. Lines are written as soon
 * as they are complete, but a program looks for errors where it flushes. */
static int outcome(struct standard_stream *stream, int result)
{
    if (!stream || !stream->lost)
        return result;
    errno = stream->lost;
    stream->lost = 0;
    return EOF;
}

static ssize_t read_cookie(void *cookie, char *bytes, size_t length)
{
    const struct standard_stream *stream = cookie;
    return stream->redirected ? libc.read(stream->descriptor, bytes, length) : 0;
}

static int seek_cookie(void *cookie, off64_t *offset, int whence)
{
    const struct standard_stream *stream = cookie;
    if (!stream->redirected) {
        errno = ESPIPE;
        return -1;
    }
    *offset = libc.lseek64(stream->descriptor, *offset, whence);
    return *offset < 0 ? -1 : 0;
}

static int close_cookie(void *cookie)
{
    struct standard_stream *stream = cookie;
    stream->file = NULL;
    if (stream->redirected)
        return libc.close(stream->descriptor);
    if (stream != &input && !simurgh_forked) {
        /* Nothing more will be written, so the host writes out what it has held back. */
        int error = simurgh_shim_rank.hooks->write(simurgh_shim_rank.user, stream->descriptor, NULL, 0);
        if (error)
            stream->lost = error;
    }
    return 0;
}

static struct standard_stream *find_standard(const FILE *file)
{
    struct standard_stream *all[] = {&input, &output, &errors};
    for (int i = 0; i < 3; i++)
        if (all[i]->file == file)
            return all[i];
    return NULL;
}

static FILE *make_stream(struct standard_stream *stream, const char *mode)
{
    cookie_io_functions_t functions = {read_cookie, write_cookie, seek_cookie, close_cookie};
    return stream->file = libc.fopencookie(stream, mode, functions);
}

/* Called by the loader before any other code of the rank. Returns 0, or -1 if memory is short. */
EXPORT int simurgh_shim_setup(void)
{
    simurgh_stdout = make_stream(&output, "w");
    simurgh_stderr = make_stream(&errors, "w");
    simurgh_stdin = simurgh_shim_rank.rank == 0 ? *libc.stdin_stream : make_stream(&input, "r");
    if (!simurgh_stdin || !simurgh_stdout || !simurgh_stderr)
        return -1;
    simurgh_note_input();
    libc.setvbuf(simurgh_stdout, NULL, _IOLBF, 0);
    libc.setvbuf(simurgh_stderr, NULL, _IONBF, 0);
    return 0;
}

/* The output streams that the rank has opened. They are flushed at its end. */
static pthread_mutex_t streams_lock;
static FILE **streams;
static size_t stream_count, stream_capacity;

static int open_flags(const char *mode)
{
    bool both = libc.strchr(mode, '+') != NULL;
    int cloexec = libc.strchr(mode, 'e') ? O_CLOEXEC : 0;
    if (*mode == 'r')
        return cloexec | (both ? O_RDWR : O_RDONLY);
    return cloexec | (both ? O_RDWR : O_WRONLY) | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
}

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
    if (output.file)
        libc.fflush(output.file);
    flush_opened();
}

/* Flushes a stream that no thread is using. */
static void flush_if_unused(FILE *file)
{
    if (file && libc.ftrylockfile(file) == 0) {
        libc.fflush_unlocked(file);
        libc.funlockfile(file);
    }
}

/* Called by the host when it ends the job. Takes no lock that a stopped thread may hold. */
EXPORT void simurgh_shim_flush(void)
{
    flush_if_unused(output.file);
    if (libc.pthread_mutex_trylock(&streams_lock) != 0)
        return;
    for (size_t i = 0; i < stream_count; i++)
        flush_if_unused(streams[i]);
    libc.pthread_mutex_unlock(&streams_lock);
}

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    int own = simurgh_open_own(path, open_flags(mode));
    if (own == SIMURGH_NOT_OWN)
        return remember(libc.fopen(path, mode));
    return own < 0 ? NULL : remember(libc.fdopen(own, mode));
}

EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return fopen(path, mode);
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
    struct simurgh_lent lent = simurgh_lend_processors();
    FILE *stream = libc.popen(command, mode);
    simurgh_take_processors_back(&lent);
    return remember(stream);
}

EXPORT int fclose(FILE *stream)
{
    struct standard_stream *standard = find_standard(stream);
    forget(stream);
    return outcome(standard, libc.fclose(stream));
}

EXPORT int pclose(FILE *stream)
{
    forget(stream);
    return libc.pclose(stream);
}

/* libc's freopen works only on streams of its own kind. Our streams keep their FILE and get another descriptor. */
static FILE *redirect(struct standard_stream *stream, const char *path, const char *mode)
{
    libc.fflush(stream->file);
    if (!path)
        return stream->file;
    int descriptor = libc.open(path, open_flags(mode), 0666);
    if (descriptor < 0) {
        libc.fclose(stream->file);
        return NULL;
    }
    if (stream->redirected)
        libc.close(stream->descriptor);
    stream->descriptor = descriptor;
    stream->redirected = true;
    libc.clearerr(stream->file);
    libc.setvbuf(stream->file, NULL, _IOFBF, BUFSIZ);
    return stream->file;
}

EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict file)
{
    struct standard_stream *stream = find_standard(file);
    return stream ? redirect(stream, path, mode) : libc.freopen(path, mode, file);
}

EXPORT FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict file)
{
    struct standard_stream *stream = find_standard(file);
    return stream ? redirect(stream, path, mode) : libc.freopen64(path, mode, file);
}

EXPORT int fflush(FILE *stream)
{
    if (stream)
        return outcome(find_standard(stream), libc.fflush(stream));
    int result = fflush(stdout);
    return flush_opened() | result;
}

EXPORT int fflush_unlocked(FILE *stream)
{
    return stream ? outcome(find_standard(stream), libc.fflush_unlocked(stream)) : fflush(NULL);
}

EXPORT int fileno(FILE *file)
{
    struct standard_stream *stream = find_standard(file);
    if (!stream)
        return libc.fileno(file);
    if (stream == &input && !stream->redirected && stream->descriptor < 0)
        stream->descriptor = libc.open("/dev/null", O_RDONLY | O_CLOEXEC);
    return stream->descriptor;
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

static ssize_t emit_parts(int descriptor, const struct iovec *parts, int count)
{
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t written = emit(descriptor, parts[i].iov_base, parts[i].iov_len);
        if (written < 0)
            return total ? total : -1;
        total += written;
    }
    return total;
}

/* Joins the parts, so that lines of other ranks do not come between them. Returns the length, or 0 if there is too
 * little room. */
static size_t join(const struct iovec *parts, int count, char *bytes, size_t room)
{
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len > room - length)
            return 0;
        libc.memcpy(bytes + length, parts[i].iov_base, parts[i].iov_len);
        length += parts[i].iov_len;
    }
    return length;
}

EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
        return libc.writev(descriptor, parts, count);
    char bytes[1024];
    size_t length = join(parts, count, bytes, sizeof bytes);
    return length ? emit(descriptor, bytes, length) : emit_parts(descriptor, parts, count);
}

EXPORT pid_t fork(void)
{
    sigset_t all, before;
    simurgh_before_fork();
    /* Signals that arrive for the child before it has handlers of its own have to wait. */
    set_to(&all, ~(signal_set)0);
    libc.pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = libc.fork();
    if (child == 0 && !simurgh_forked)
        simurgh_hand_signals_over();
    else
        libc.pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child == 0) {
        /* The child may run wherever the rank may, not only where it was started. */
        cpu_set_t processors;
        if (simurgh_inherit_processors(NULL, &processors))
            libc.sched_setaffinity(0, sizeof processors, &processors);
        simurgh_forked = true;
    }
    int error = errno;
    simurgh_after_fork(child == 0);
    errno = error;
    return child;
}
