//! Leaves the program's signal handlers alone.
//!
//! The libraries of some providers (psm, psm2) install handlers of their own when they are loaded, for faults, for
//! Ctrl-C and for SIGTERM. These print, and end the process by `exit`, whatever its threads are doing at that moment.
//! What happens on these signals is the program's business.
//!
//! To put the program's handlers back after loading would come too late for a signal that arrives before, and would
//! undo what another thread installs meanwhile. But the libraries can be told by a variable each to install none.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;

/// The variables that tell libraries of providers to install no signal handlers: those of psm and psm2.
const VARIABLES: [&CStr; 2] = [c"IPATH_NO_BACKTRACE", c"HFI_NO_BACKTRACE"];

/// Tells the libraries of providers, by variables in the environment, to install no signal handlers. A process does so
/// before it calls [`Library::load`](crate::Library::load).
///
/// # Safety
///
/// * No other thread reads or changes the environment meanwhile.
pub unsafe fn leave_signals_alone() {
    for variable in VARIABLES {
        let variable = OsStr::from_bytes(variable.to_bytes());
        if std::env::var_os(variable).is_none() {
            // SAFETY:
            // - the lock of the standard library keeps other threads of a Rust program away; no thread of another
            //   program looks at the environment, by the caller's word.
            unsafe { std::env::set_var(variable, "1") };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;
    use crate::testing::{in_a_process_of_its_own, list_all};
    use std::ffi::c_int;
    use std::mem::MaybeUninit;

    fn handlers() -> Vec<usize> {
        let handler = |signal: c_int| {
            let mut action = MaybeUninit::<libc::sigaction>::uninit();
            // SAFETY:
            // - the action is written if there is such a signal; nothing is changed.
            unsafe {
                match libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) {
                    0 => action.assume_init().sa_sigaction,
                    _ => 0,
                }
            }
        };
        (1..=64).map(handler).collect()
    }

    #[test]
    fn loading_leaves_the_handlers_alone() {
        if !in_a_process_of_its_own("signals::tests::loading_leaves_the_handlers_alone") {
            return;
        }
        let before = handlers();
        // SAFETY:
        // - the only other thread waits for this one.
        unsafe { leave_signals_alone() };
        let library = Library::load().unwrap();
        list_all(library);
        assert_eq!(handlers(), before);
    }
}
