//! Process-directed signals: from a terminal, a batch system, the launcher, or the kernel.
//!
//! The kernel's handler forwards them to the delivery thread, which offers them to all ranks. Each rank that has a
//! handler runs it. If no rank has a handler or ignores the signal, its default effect happens.

use super::delivery_thread;
use crate::host::crash;
use crate::host::self_pipe::Event;
use crate::host::state::Host;
use libc::{c_int, c_void, siginfo_t};
use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_image::Delivery;
use std::mem::MaybeUninit;

/// The signals that ranks have asked for, as bits.
static TAKEN: AtomicU64 = AtomicU64::new(0);

fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// Thread-directed signals. Other signals of this kind are crashes, which `host/crash` reports.
const THREAD_DIRECTED: &[c_int] = &[libc::SIGPIPE, libc::SIGTRAP, libc::SIGSYS];

/// Called when a rank has a handler for this signal, or wants it ignored.
pub(super) fn subscribe(signal: c_int) {
    if crash::SIGNALS.contains(&signal) || TAKEN.fetch_or(bit(signal), Ordering::SeqCst) & bit(signal) != 0 {
        return;
    }
    let result = match signal {
        _ if THREAD_DIRECTED.contains(&signal) => {
            super::handle(signal, on_thread_directed, libc::SA_ONSTACK | libc::SA_NODEFER)
        }
        // These have a handler already.
        super::interrupt::RESTARTING | super::interrupt::INTERRUPTING => {
            delivery_thread::thread();
            return;
        }
        _ => {
            // The thread has to be there before a signal comes.
            delivery_thread::thread();
            super::handle(signal, on_process_directed, libc::SA_ONSTACK | libc::SA_RESTART)
        }
    };
    if result.is_err() {
        // The signal keeps its default effect.
        TAKEN.fetch_and(!bit(signal), Ordering::SeqCst);
    }
}

extern "C" fn on_process_directed(signal: c_int, _: *mut siginfo_t, _: *mut c_void) {
    forward(signal);
}

/// Passes a signal on to the delivery thread; async-signal-safe.
pub(super) fn forward(signal: c_int) {
    delivery_thread::tell(signal);
}

/// Handles a signal that a thread has caused.
extern "C" fn on_thread_directed(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY:
    // - the arguments are the kernel's.
    if !unsafe { super::handled_by_rank(signal, info, context) } {
        // The default effect follows as soon as the handler has returned.
        // SAFETY:
        // - the calls have no preconditions.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

/// Offers a signal to all ranks. Called on the delivery thread.
pub(super) fn deliver_to_ranks(host: &Host, signal: c_int) {
    // SAFETY:
    // - an all-zero description is a valid one.
    let mut info = unsafe { MaybeUninit::<siginfo_t>::zeroed().assume_init() };
    info.si_signo = signal;
    let living = host.ranks().iter().filter(|rank| !rank.has_ended());
    let outcomes: Vec<_> = living
        // A rank without signals has not begun.
        .map(|rank| {
            rank.signals()
                .map_or(Delivery::Default, |signals| signals.come(signal, &info))
        })
        .collect();
    let is_taken = outcomes.contains(&Delivery::Taken);
    // A signal that comes when all ranks have ended is lost, as it would be with their processes. A signal that asks
    // the host to end is not.
    let is_left = outcomes.contains(&Delivery::Default) || super::SIGNALS.contains(&signal);
    if !is_taken && is_left {
        do_as_by_default(host, signal);
    }
}

fn do_as_by_default(host: &Host, signal: c_int) {
    match signal {
        libc::SIGCHLD | libc::SIGCONT | libc::SIGURG | libc::SIGWINCH => {}
        libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => send(libc::SIGSTOP),
        _ if super::SIGNALS.contains(&signal) => {
            host.self_pipe().send(Event::Signal(signal.to_le_bytes()[0]))
        }
        _ => {
            // SAFETY:
            // - the call has no preconditions.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
            send(signal);
        }
    }
}

fn send(signal: c_int) {
    // SAFETY:
    // - the calls have no preconditions.
    unsafe { libc::kill(libc::getpid(), signal) };
}
