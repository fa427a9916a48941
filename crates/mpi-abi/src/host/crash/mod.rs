//! A rank that crashes ends the job, and the user is told which rank, why and where.
//!
//! # Protocol
//!
//! The handler runs on the alternate stack of the kernel thread ([`altstack`]), with the thread pointer of the rank,
//! so that it knows whose crash it is. It only notes what it finds in a static record ([`note`]), which needs no
//! memory and no lock, wakes the main thread and stops for good. The main thread, an ordinary thread with nothing
//! else to do, finds the names of the functions and prints everything ([`report()`]), flushes the ranks' output and
//! ends the process. Other ranks that crash meanwhile stop as well: the first one counts.
//!
//! If the crash has left a lock taken that the main thread needs (of the allocator, of the loader), an alarm ends the
//! process after [`PATIENCE_SECONDS`]. A crash of the main thread itself ends the process at once.

pub(super) mod altstack;
mod note;
mod report;

pub(super) use report::report;

use super::end::exit;
use super::state::Host;
use super::wake::Event;
use libc::{c_int, c_void, siginfo_t};
use note::Note;
use simurgh_core::sync::{AtomicBool, Ordering};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// Time that the main thread has for its report.
const PATIENCE_SECONDS: u32 = 10;

/// Signals that tell of a crash.
const SIGNALS: &[c_int] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
];

/// Set by the first rank that crashes.
static CRASHED: AtomicBool = AtomicBool::new(false);

/// Installs the handlers.
pub(super) fn install() -> io::Result<()> {
    SIGNALS.iter().try_for_each(|&signal| handle(signal, on_crash))
}

/// Status of a process that a signal has ended, as a shell reports it.
pub(super) fn status_of(signal: c_int) -> u8 {
    128_u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}

type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

fn handle(signal: c_int, handler: Handler) -> io::Result<()> {
    // SAFETY:
    // - an all-zero `sigaction` is a valid one: no flags, empty mask;
    // - the handler has the signature that SA_SIGINFO asks for.
    let result = unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        libc::sigaction(signal, &raw const action, ptr::null_mut())
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Handles a crash; never returns.
extern "C" fn on_crash(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // AcqRel: the first one owns the record.
    if CRASHED.swap(true, Ordering::AcqRel) {
        // A second crash of the same thread happened in this handler: nothing more can be found out. One of another
        // thread has to wait, but no longer than the first takes.
        if note::is_by_this_thread() {
            exit(status_of(signal));
        }
        wait();
    }
    start_alarm(signal);
    // SAFETY:
    // - the kernel passes the description of the signal and the context that it interrupted;
    // - only the first crash comes here, once.
    unsafe { note::take(signal, info, context) };
    match Host::running() {
        Some(host) if !note::is_on_main_thread() => host.wake().send(Event::Crash),
        _ => exit(status_of(signal)),
    }
    wait();
}

/// Stops the calling thread for good.
fn wait() -> ! {
    loop {
        rustix::event::pause();
    }
}

/// Sees to it that the process ends even if nobody can report.
fn start_alarm(signal: c_int) {
    extern "C" fn on_alarm(_: c_int, _: *mut siginfo_t, _: *mut c_void) {
        exit(status_of(note::signal()));
    }
    if handle(libc::SIGALRM, on_alarm).is_err() {
        exit(status_of(signal));
    }
    // SAFETY:
    // - it has no preconditions; a timer of the program is of no use any more.
    unsafe { libc::alarm(PATIENCE_SECONDS) };
}

/// The record of the crash, for the main thread, which has been woken because of it.
fn noted() -> &'static Note {
    note::get()
}
