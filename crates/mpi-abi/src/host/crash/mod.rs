//! A rank that crashes ends the job, and the user is told which rank, why and where.
//!
//! # Protocol
//!
//! The handler runs on the alternate stack of the kernel thread ([`altstack`]), with the thread pointer of the rank,
//! so that it knows whose crash it is. It only notes what it finds in a static record ([`record`]), which needs no
//! memory and no lock, wakes the reporter and waits. The reporter, an ordinary thread with nothing else to do, finds
//! the names of the functions and prints everything ([`report()`]), and flushes the ranks' output. Then the handler
//! lets the signal do what it does by default ([`raise_default`]): the process ends by it, with a core file if there is to be
//! one, in which the thread stands where it crashed. Other ranks that crash meanwhile stop as well: the first one
//! counts.
//!
//! The reporter is the thread that listens to the launcher: of a host the main thread, of a program that is a process
//! of its own the one that was started for it. A program's own handlers are left alone.
//!
//! If the crash has left a lock taken that the reporter needs (of the allocator, of the loader), an alarm ends the
//! process after [`PATIENCE_SECONDS`]. A crash of the reporter itself ends the process at once, and so does one in a
//! process that the program has forked, which is none of the job's.

pub(super) mod altstack;
mod record;
mod report;

pub(super) use report::report;

use super::end::exit;
use super::self_pipe::Event;
use super::signal_sources;
use super::signals::{self, Handler};
use super::state::Host;
use libc::{c_int, c_void, siginfo_t};
use record::CrashRecord;
use simurgh_core::sync::{AtomicBool, AtomicI32, AtomicU32, Ordering, futex_wait, futex_wake};
use std::io;

/// Time that the reporter has.
const PATIENCE_SECONDS: u32 = 10;

/// Signals that tell of a crash.
pub(super) const SIGNALS: &[c_int] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
];

/// Set by the first rank that crashes.
static CRASHED: AtomicBool = AtomicBool::new(false);

/// The thread that reports crashes; 0 if there is none, as in other processes than this one.
static REPORTER: AtomicI32 = AtomicI32::new(0);

/// The process of the reporter.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Not 0 when the reporter has done its part.
static REPORTED: AtomicU32 = AtomicU32::new(0);

/// Installs the handlers in a host. The calling thread is going to report.
pub(super) fn install() -> io::Result<()> {
    report_here();
    SIGNALS.iter().try_for_each(|&signal| handle(signal, on_crash))
}

/// Installs the handlers in a program, where it has none of its own, and sees to it that a stack overflow of the
/// calling thread, which is the program's, can be reported.
pub(super) fn install_in_program() -> io::Result<()> {
    if !altstack::is_there() {
        altstack::add()?;
    }
    for &signal in SIGNALS {
        if signal_sources::handler(signal) == libc::SIG_DFL {
            handle(signal, on_crash)?;
        }
    }
    Ok(())
}

/// The calling thread is the one that reports crashes from now on.
pub(super) fn report_here() {
    PROCESS.store(
        rustix::process::getpid().as_raw_nonzero().get(),
        Ordering::Relaxed,
    );
    // Release pairs with the Acquire in `on_crash`.
    REPORTER.store(record::this_thread(), Ordering::Release);
}

/// Status of a process that a signal has ended, as a shell reports it.
pub(super) fn status_of(signal: c_int) -> u8 {
    128_u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}

fn handle(signal: c_int, handler: Handler) -> io::Result<()> {
    signals::handle(signal, handler, libc::SA_ONSTACK | libc::SA_NODEFER)
}

/// Handles a crash. If it returns, what has crashed does so again, and for good, unless the program has a handler for
/// it, which has seen to it.
extern "C" fn on_crash(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let host = Host::running();
    if PROCESS.load(Ordering::Relaxed) != rustix::process::getpid().as_raw_nonzero().get() {
        // SAFETY:
        // - the kernel passes the description of the signal.
        return unsafe { raise_default(signal, info) };
    }
    // SAFETY:
    // - the arguments are the kernel's.
    if unsafe { signals::handled_by_rank(signal, info, context) } {
        return;
    }
    // AcqRel: the first one owns the record.
    if CRASHED.swap(true, Ordering::AcqRel) {
        // A second crash of the same thread happened in this handler: nothing more can be found out. One of another
        // thread has to wait, but no longer than the first takes.
        if record::is_by_this_thread() {
            exit(status_of(signal));
        }
        wait();
    }
    start_alarm(signal);
    // SAFETY:
    // - the kernel passes the description of the signal and the context that it interrupted;
    // - only the first crash comes here, once.
    unsafe { record::take(signal, info, context) };
    // Acquire pairs with the Release in `report_here`.
    let reporter = REPORTER.load(Ordering::Acquire);
    if let Some(host) = host
        && reporter != record::this_thread()
    {
        host.self_pipe().send(Event::Crash);
        while REPORTED.load(Ordering::Acquire) == 0 {
            futex_wait(&REPORTED, 0);
        }
    }
    // SAFETY:
    // - as above.
    unsafe { raise_default(signal, info) };
}

/// Has the signal do what it does by default: end the process. A fault happens again when its handler returns; what has
/// been sent is sent again.
///
/// # Safety
///
/// `info` is what the kernel passed to the handler.
unsafe fn raise_default(signal: c_int, info: *const siginfo_t) {
    // SAFETY:
    // - the default action needs nothing, and the calling thread is there to be sent a signal;
    // - `info` can be read.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        // Codes of faults are positive.
        if (*info).si_code <= 0 || signal == libc::SIGABRT {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), record::this_thread(), signal);
        }
    }
}

/// The crash has been reported: the process is going to end by the signal, and the caller with it.
pub(super) fn end_by_signal() -> ! {
    REPORTED.store(1, Ordering::Release);
    futex_wake(&REPORTED, u32::MAX);
    wait()
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
        exit(status_of(record::signal()));
    }
    if handle(libc::SIGALRM, on_alarm).is_err() {
        exit(status_of(signal));
    }
    // SAFETY:
    // - it has no preconditions; a timer of the program is of no use any more.
    unsafe { libc::alarm(PATIENCE_SECONDS) };
}

/// The record of the crash, for the main thread, which has been woken because of it.
fn noted() -> &'static CrashRecord {
    record::get()
}
