//! Signals that ask the job to end.

use super::state::Host;
use super::wake::Event;
use libc::c_int;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

/// What a terminal, a batch system or the launcher sends.
const SIGNALS: &[c_int] = &[libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// Installs the handlers, save for signals that the caller of `mpiexec` wants ignored. A program may install its own
/// instead; then the launcher kills the host if it does not end.
pub(super) fn install() -> io::Result<()> {
    SIGNALS.iter().try_for_each(|&signal| install_one(signal))
}

fn install_one(signal: c_int) -> io::Result<()> {
    // SAFETY:
    // - all-zero `sigaction`s are valid ones;
    // - the handler has the signature of a handler without SA_SIGINFO, and is async-signal-safe.
    let result = unsafe {
        let mut old = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        if libc::sigaction(signal, ptr::null(), &raw mut old) == 0 && old.sa_sigaction == libc::SIG_IGN {
            return Ok(());
        }
        let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, ptr::null_mut())
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Wakes the main thread, which ends the job.
extern "C" fn on_signal(signal: c_int) {
    if let (Some(host), Ok(number)) = (Host::running(), u8::try_from(signal)) {
        host.wake().send(Event::Signal(number));
    }
}
