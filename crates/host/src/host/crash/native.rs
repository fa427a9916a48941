//! Crashes of native programs.
//!
//! The run-time of Rust has handlers for faults, which tell of stack overflows of its threads and know of no ranks. A
//! program may have its own. Both are called for all faults but those at the guard region of the stack of an execution
//! context, of which they can know nothing.

use super::{SIGNALS, handle, on_crash};
use crate::host::signal_sources;
use libc::{c_int, c_void, siginfo_t};
use std::io;
use std::mem::{MaybeUninit, transmute};
use std::ptr;
use std::sync::OnceLock;

/// The signals of faults, for which there may be other handlers.
const FAULTS: [c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The actions for these before ours.
static BEFORE: [OnceLock<libc::sigaction>; FAULTS.len()] = [const { OnceLock::new() }; FAULTS.len()];

/// Installs the handlers. Where the program has a handler for a fault it goes on to be called.
pub(in crate::host) fn install() -> io::Result<()> {
    for &signal in SIGNALS {
        let fault = FAULTS.iter().position(|fault| *fault == signal);
        match (signal_sources::handler(signal), fault) {
            (libc::SIG_DFL, _) => handle(signal, on_crash)?,
            (libc::SIG_IGN, _) | (_, None) => {}
            (_, Some(fault)) => {
                let before = action(signal)?;
                let _ = BEFORE[fault].set(before);
                handle(signal, on_fault)?;
            }
        }
    }
    Ok(())
}

/// The present action for a signal.
fn action(signal: c_int) -> io::Result<libc::sigaction> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY:
    // - an all-zero `sigaction` is a valid one, which the call overwrites.
    match unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) } {
        // SAFETY:
        // - as above.
        0 => Ok(unsafe { action.assume_init() }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Handles a fault.
extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY:
    // - the kernel passes the description of the signal, which is one of a fault or was sent.
    let address = unsafe { ((*info).si_code > 0).then(|| (*info).si_addr() as usize) };
    let bounds = simurgh_core::try_current().and_then(simurgh_core::EcRef::stack_bounds);
    let is_overflow = address
        .zip(bounds)
        .is_some_and(|(address, stack)| (stack.guard..stack.low).contains(&address));
    let fault = FAULTS.iter().position(|fault| *fault == signal);
    match fault.and_then(|fault| BEFORE[fault].get()) {
        // SAFETY:
        // - the action is one that the program has installed, with a handler of this form; the arguments are the
        //   kernel's.
        Some(before) if !is_overflow => unsafe { call(before, signal, info, context) },
        _ => on_crash(signal, info, context),
    }
}

/// Calls the handler of an action.
///
/// # Safety
///
/// It has a handler, and the arguments are those of the kernel.
unsafe fn call(action: &libc::sigaction, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = action.sa_sigaction;
    if action.sa_flags & libc::SA_SIGINFO == 0 {
        // SAFETY:
        // - without the flag the handler has this form.
        unsafe { transmute::<usize, extern "C" fn(c_int)>(handler)(signal) };
    } else {
        // SAFETY:
        // - with the flag it has this one.
        unsafe {
            transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(handler)(
                signal, info, context,
            );
        }
    }
}
