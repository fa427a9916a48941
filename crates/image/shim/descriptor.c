/* signalfd: a descriptor from which blocked signals can be read.
 *
 * The descriptor is one end of a pair of sockets. A blocked signal that arrives for the rank is not kept, but written
 * to the other end in the form of the kernel. So it is taken when it arrives, not when it is read. */
#include "signals.h"

struct descriptor {
    int readable, writable; /* readable < 0: none */
    ino_t number;           /* of the readable socket */
    signal_set set;
    struct descriptor *next;
};

static struct descriptor *descriptors;

static struct signalfd_siginfo in_kernels_form(const siginfo_t *info)
{
    return (struct signalfd_siginfo){
        .ssi_signo = (uint32_t)info->si_signo,
        .ssi_code = info->si_code,
        .ssi_pid = (uint32_t)info->si_pid,
        .ssi_uid = info->si_uid,
        .ssi_overrun = info->si_code == SI_TIMER ? (uint32_t)info->si_overrun : 0,
        .ssi_int = info->si_value.sival_int,
        .ssi_ptr = (uint64_t)info->si_value.sival_ptr,
    };
}

static ino_t number_of(int file)
{
    struct stat status;
    return libc.fstat(file, &status) == 0 ? status.st_ino : 0;
}

/* Writes a signal to a descriptor, and returns whether it was written. A descriptor that the program has closed is
 * forgotten. That the write would succeed does not show that it is open, since a child of any rank may hold it, too. */
static bool pass_to(struct descriptor *descriptor, const siginfo_t *info)
{
    struct signalfd_siginfo record = in_kernels_form(info);
    if (number_of(descriptor->readable) != descriptor->number) {
        libc.close(descriptor->writable);
        descriptor->readable = -1;
        return false;
    }
    return libc.send(descriptor->writable, &record, sizeof record, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof record;
}

bool simurgh_pass_to_descriptor(const siginfo_t *info)
{
    int error = errno;
    bool passed = false;
    for (struct descriptor *descriptor = descriptors; descriptor && !passed; descriptor = descriptor->next)
        if (descriptor->readable >= 0 && (descriptor->set & set_of(info->si_signo)))
            passed = pass_to(descriptor, info);
    errno = error;
    return passed;
}

/* Passes on the signals that arrived before the descriptor was made. */
static void pass_what_waits(struct signal_thread *me)
{
    struct signal_entry entry;
    for (struct descriptor *descriptor = descriptors; me && descriptor; descriptor = descriptor->next)
        while (descriptor->readable >= 0 && simurgh_take(me, descriptor->set & me->mask, &entry))
            if (!pass_to(descriptor, &entry.info)) {
                simurgh_post(&entry.info, entry.target);
                return;
            }
}

static struct descriptor *find(int readable)
{
    struct descriptor *descriptor = descriptors;
    while (descriptor && descriptor->readable != readable)
        descriptor = descriptor->next;
    return descriptor;
}

/* Makes a new descriptor. NULL with errno set if none can be made. */
static struct descriptor *make(int flags)
{
    int ends[2];
    struct descriptor *descriptor = find(-1);
    if (!descriptor) {
        descriptor = libc.malloc(sizeof *descriptor);
        if (!descriptor)
            return NULL;
        *descriptor = (struct descriptor){.readable = -1, .next = descriptors};
        descriptors = descriptor;
    }
    if (libc.socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return NULL;
    if (flags & SFD_NONBLOCK)
        libc.fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (!(flags & SFD_CLOEXEC))
        libc.fcntl(ends[0], F_SETFD, 0);
    descriptor->readable = ends[0];
    descriptor->writable = ends[1];
    descriptor->number = number_of(ends[0]);
    return descriptor;
}

EXPORT int signalfd(int existing, const sigset_t *set, int flags)
{
    if (simurgh_forked)
        return libc.signalfd(existing, set, flags);
    if (flags & ~(SFD_NONBLOCK | SFD_CLOEXEC)) {
        errno = EINVAL;
        return -1;
    }
    simurgh_lock_signals();
    struct descriptor *descriptor = existing < 0 ? make(flags) : find(existing);
    int result = -1;
    if (descriptor) {
        simurgh_listen();
        descriptor->set = set_from(set) & ~unblockable();
        result = descriptor->readable;
        pass_what_waits(simurgh_signal_thread());
    } else if (existing >= 0) {
        errno = EINVAL;
    }
    simurgh_unlock_signals();
    return result;
}
