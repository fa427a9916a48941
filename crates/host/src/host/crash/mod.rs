//! Crashes: a rank that crashes ends the job, and the user is told which rank, why and where.
//!
//! # Protocol
//!
//! The signal handler runs on the alternate stack of the kernel thread ([`altstack`]) with the thread pointer of the
//! rank, so it knows whose crash it is. It
//!
//! 1. fills a static record ([`record`]), which takes neither memory nor a lock,
//! 2. wakes the reporter and waits until that is done,
//! 3. lets the signal have its default effect ([`raise_default`]): the process ends by it, with a core file if there is
//!    to be one, in which the thread stands where it crashed.
//!
//! The reporter is an ordinary thread with nothing else to do. It finds the names of the functions, prints the report
//! ([`report()`]) and writes out the ranks' output. Other ranks that crash meanwhile stop: only the first crash is
//! reported.
//!
//! The reporter is the thread that listens to the launcher: in a host the main thread, in a rank's own process the
//! thread that was started for it. A program's own handlers are left alone. Those of a native program are called
//! first, unless a rank's stack has overflown ([`native`]).
//!
//! If the crash has left a lock taken that the reporter needs (of the allocator, of the loader), an alarm ends the
//! process after [`PATIENCE_SECONDS`]. A crash of the reporter itself ends the process at once. So does a crash in a
//! forked child, which does not belong to the job.

pub(super) mod altstack;
mod native;
mod overflow;
mod record;
mod report;

pub(super) use native::install as install_in_native_program;
pub(super) use report::{functions, report};

use super::end::exit;
use super::self_pipe::Event;
use super::signal_sources;
use super::signals::{self, Handler};
use super::state::Host;
use libc::{c_int, c_void, siginfo_t};
use record::CrashRecord;
use simurgh_core::sync::{AtomicBool, AtomicI32, AtomicU32, Ordering, futex_wait, futex_wake};
use simurgh_image::is_own_crash_handler;
use std::io;

/// The time that the reporter has, in seconds.
const PATIENCE_SECONDS: u32 = 10;

/// The signals of crashes.
pub(super) const SIGNALS: &[c_int] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGILL,
    libc::SIGABRT,
];

/// Set by the first rank that crashes.
static CRASHED: AtomicBool = AtomicBool::new(false);

/// The thread that reports crashes; 0 if there is none.
static REPORTER: AtomicI32 = AtomicI32::new(0);

/// The process of the reporter, which forked children are not.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Not 0 when the report has been printed.
static REPORTED: AtomicU32 = AtomicU32::new(0);

/// Installs the handlers in a host. The calling thread becomes the reporter.
pub(super) fn install() -> io::Result<()> {
    report_here();
    SIGNALS.iter().try_for_each(|&signal| handle(signal, on_crash))
}

/// Installs the handlers in a rank's own process where the program has none but those of Fortran's run-time, which
/// report crashes and know of no ranks. Gives the calling thread, which is the program's, an alternate stack.
///
/// Another thread has been started that becomes the reporter. If the program crashes before that, the crash waits for
/// it.
pub(super) fn install_in_program() -> io::Result<()> {
    note_process();
    if !altstack::is_there() {
        altstack::add()?;
    }
    for &signal in SIGNALS {
        let own = signal_sources::handler(signal);
        if own == libc::SIG_DFL || (own != libc::SIG_IGN && is_own_crash_handler(own)) {
            handle(signal, on_crash)?;
        }
    }
    Ok(())
}

/// Notes that crashes of this process are reported.
fn note_process() {
    PROCESS.store(
        rustix::process::getpid().as_raw_nonzero().get(),
        Ordering::Relaxed,
    );
}

/// Makes the calling thread the reporter.
pub(super) fn report_here() {
    note_process();
    // Release pairs with the Acquire in `on_crash`.
    REPORTER.store(record::this_thread(), Ordering::Release);
}

/// The status of a process that a signal has ended, as a shell reports it.
pub(super) fn status_of(signal: c_int) -> u8 {
    128_u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}

fn handle(signal: c_int, handler: Handler) -> io::Result<()> {
    signals::handle(signal, handler, libc::SA_ONSTACK | libc::SA_NODEFER)
}

/// Handles a crash. If this returns, the faulting instruction runs again and the process ends; or the program's own
/// handler has dealt with the fault.
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
        // A second crash of the same thread happened in this handler, so nothing more can be found out. Another thread
        // has to wait, but no longer than the report of the first crash takes.
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

/// Gives the signal its default effect, which ends the process. A fault happens again when its handler returns; a
/// signal that was sent is sent again.
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
        // The codes of faults are positive.
        if (*info).si_code <= 0 || signal == libc::SIGABRT {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), record::this_thread(), signal);
        }
    }
}

/// The crash has been reported: lets the process end by the signal, and the caller with it.
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

/// Starts an alarm that ends the process even if nobody can report.
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

/// The record of the crash, for the reporter, which has been woken because of it.
fn noted() -> &'static CrashRecord {
    record::get()
}
