//! Signal sources: timers, and handlers of signals from outside, which may wake the threads of a process whose signals
//! are its own.

use crate::host::crash;
use libc::c_int;
use std::mem::MaybeUninit;
use std::ptr;

/// Whether a timer of the process runs that may send it a signal.
pub(super) fn timers_are_set() -> bool {
    let intervals = [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF];
    let of_intervals = [libc::SIGALRM, libc::SIGVTALRM, libc::SIGPROF];
    let is_due = |(timer, signal): (c_int, c_int)| runs(timer) && handler(signal) != libc::SIG_DFL;
    // A kernel that was built without this list knows no such timers.
    let created = std::fs::read("/proc/self/timers").is_ok_and(|timers| !timers.is_empty());
    created || intervals.into_iter().zip(of_intervals).any(is_due)
}

fn runs(timer: c_int) -> bool {
    let mut value = MaybeUninit::<libc::itimerval>::zeroed();
    // SAFETY:
    // - an all-zero value is a valid one, which the call overwrites.
    let value = unsafe {
        libc::getitimer(timer, value.as_mut_ptr());
        value.assume_init()
    }
    .it_value;
    value.tv_sec != 0 || value.tv_usec != 0
}

/// Whether the process has handlers for signals that other processes may send.
pub(super) fn have_handlers() -> bool {
    let is_handled = |signal| ![libc::SIG_DFL, libc::SIG_IGN].contains(&handler(signal));
    (1..=libc::SIGRTMAX())
        .filter(|signal| !crash::SIGNALS.contains(signal) && !is_of_the_library(*signal))
        .any(is_handled)
}

/// Whether the C library keeps this signal for itself.
fn is_of_the_library(signal: c_int) -> bool {
    (32..libc::SIGRTMIN()).contains(&signal)
}

/// The kernel's action for this signal: a handler, `SIG_DFL` or `SIG_IGN`.
pub(super) fn handler(signal: c_int) -> libc::sighandler_t {
    // SAFETY:
    // - an all-zero `sigaction` is a valid one, which the call overwrites.
    unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        libc::sigaction(signal, ptr::null(), &raw mut action);
        action.sa_sigaction
    }
}
