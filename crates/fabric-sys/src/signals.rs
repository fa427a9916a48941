//! Preserves the program's signal handlers.
//!
//! The libraries of some providers (psm, psm2) install handlers of their own for faults and for Ctrl-C when they are
//! loaded, which print and end the process. What happens on these signals is the program's business.

use std::ffi::c_int;
use std::mem::MaybeUninit;

/// The signals for which those libraries install handlers.
const SIGNALS: [c_int; 8] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGABRT,
    libc::SIGFPE,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGTRAP,
];

/// The handlers at the time of [`SignalHandlers::keep`]. They are restored when this is dropped.
pub(crate) struct SignalHandlers([MaybeUninit<libc::sigaction>; SIGNALS.len()]);

impl SignalHandlers {
    /// Remembers the handlers.
    pub(crate) fn keep() -> Self {
        Self(SIGNALS.map(|signal| {
            let mut action = MaybeUninit::uninit();
            // SAFETY:
            // - the signal is one, so the action is written; nothing is changed.
            unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
            action
        }))
    }
}

impl Drop for SignalHandlers {
    fn drop(&mut self) {
        for (signal, action) in SIGNALS.iter().zip(&self.0) {
            // SAFETY:
            // - the action is what there was before.
            unsafe { libc::sigaction(*signal, action.as_ptr(), std::ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;

    #[test]
    fn loading_leaves_the_handlers_alone() {
        let handlers = || {
            SignalHandlers::keep().0.map(|action| {
                // SAFETY:
                // - it has been written.
                unsafe { action.assume_init().sa_sigaction }
            })
        };
        let before = handlers();
        let library = Library::load().unwrap();
        // SAFETY:
        // - the hints are the library's.
        unsafe {
            let hints = library.fi_dupinfo(std::ptr::null());
            let list = library.fi_getinfo(hints);
            library.fi_freeinfo(hints);
            list.map(|list| library.fi_freeinfo(list)).unwrap();
        }
        assert_eq!(handlers(), before);
    }
}
