//! Signal delivery: signals that ask the job to end, and signals of ranks.
//!
//! Each rank has its own handlers, masks and timers, which its image keeps. This module has the kernel's side: how a
//! rank's thread is interrupted ([`interrupt`]), how timers and signals from outside reach ranks
//! ([`mod@delivery_thread`], [`process_directed`]), and the functions that the image calls ([`hooks`]).

mod delivery_thread;
pub(super) mod hooks;
mod interrupt;
mod process_directed;

use super::self_pipe::Event;
use super::state::{Host, Rank};
use libc::{c_int, c_void, siginfo_t};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

/// The signals that a terminal, a batch system or the launcher sends to end the job.
const SIGNALS: &[c_int] = &[libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The signals that were ignored when the process began, as bits.
static IGNORED: OnceLock<u64> = OnceLock::new();

/// The number of the signal delivery thread, if it runs.
pub(super) fn delivery_thread() -> Option<u32> {
    delivery_thread::running().map(i32::cast_unsigned)
}

/// Installs the handlers, except for signals that the caller of `mpiexec` ignores. If a program has handlers for these
/// signals, they run instead, and the launcher kills a host that does not end.
pub(super) fn install() -> io::Result<()> {
    let ignored = (1..=64)
        .filter(|signal| is_ignored(*signal))
        .fold(0, |all, signal| all | 1 << (signal - 1));
    let ignored = *IGNORED.get_or_init(|| ignored);
    SIGNALS
        .iter()
        .filter(|signal| ignored >> (**signal - 1) & 1 == 0)
        .try_for_each(|&signal| handle(signal, on_signal, libc::SA_ONSTACK | libc::SA_RESTART))?;
    simurgh_core::set_attend(attend);
    interrupt::install()
}

/// The signals that were ignored when the process began, as bits.
pub(super) fn ignored() -> u64 {
    IGNORED.get().copied().unwrap_or(0)
}

fn is_ignored(signal: c_int) -> bool {
    super::signal_sources::handler(signal) == libc::SIG_IGN
}

pub(super) type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// Installs a handler for a signal.
pub(super) fn handle(signal: c_int, handler: Handler, flags: c_int) -> io::Result<()> {
    // SAFETY:
    // - an all-zero `sigaction` is a valid one: no flags, empty mask;
    // - the handler has the signature that SA_SIGINFO asks for.
    let result = unsafe {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | flags;
        libc::sigaction(signal, &raw const action, ptr::null_mut())
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Wakes the main thread, which ends the job.
extern "C" fn on_signal(signal: c_int, _info: *mut siginfo_t, _context: *mut c_void) {
    if let (Some(host), Ok(number)) = (Host::running(), u8::try_from(signal)) {
        host.self_pipe().send(Event::Signal(number));
    }
}

/// Called when the calling execution context has signals to attend to and is not within the runtime.
fn attend() {
    if let Some(signals) = interrupt::current_rank().and_then(Rank::signals) {
        // SAFETY:
        // - the calling execution context works for the rank.
        unsafe { signals.attend(ptr::null_mut()) };
    }
}

/// Lets the rank that has caused a signal handle it. Returns whether the rank has a handler, or ignores the signal.
///
/// # Safety
///
/// Called in the kernel's handler, with its arguments.
pub(super) unsafe fn handled_by_rank(signal: c_int, info: *mut siginfo_t, context: *mut c_void) -> bool {
    let signals = interrupt::current_rank().and_then(Rank::signals);
    // SAFETY:
    // - the calling execution context works for the rank; the arguments are the kernel's.
    signals.is_some_and(|signals| unsafe { signals.fault(signal, info, context) })
}
