//! What the host tells a rank of signals.

use std::ffi::{c_int, c_void};

use libc::siginfo_t;

/// Ways to tell a rank of signals. Its copies are never unloaded, so they may be used even after it has ended.
#[derive(Clone, Copy, Debug)]
pub struct Signals {
    pub(crate) attend: usize,
    pub(crate) fault: usize,
    pub(crate) come: usize,
}

impl Signals {
    /// Has the calling execution context of the rank handle the signals that have come for it. `frame` is what the
    /// kernel has passed to its handler as the third argument, if this is called in one, or null.
    ///
    /// # Safety
    ///
    /// It is of the rank, and not within the runtime; the frame is such a one.
    pub unsafe fn attend(self, frame: *mut c_void) {
        // SAFETY: the address is that of the shim's function of this type.
        let attend: unsafe extern "C" fn(*mut c_void) = unsafe { std::mem::transmute(self.attend) };
        // SAFETY: the caller's promise.
        unsafe { attend(frame) }
    }

    /// The calling execution context of the rank has caused a signal, of which the kernel has told by these arguments.
    /// Whether the program has a handler, which has run, or ignores it.
    ///
    /// # Safety
    ///
    /// It is of the rank, and called in the kernel's handler with its arguments.
    pub unsafe fn fault(self, number: c_int, info: *mut siginfo_t, frame: *mut c_void) -> bool {
        type Fault = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void) -> bool;
        // SAFETY: the address is that of the shim's function of this type.
        let fault: Fault = unsafe { std::mem::transmute(self.fault) };
        // SAFETY: the caller's promise.
        unsafe { fault(number, info, frame) }
    }

    /// A signal has come for the whole process. Whether the rank does something about it or ignores it.
    pub fn come(self, number: c_int, info: &siginfo_t) -> bool {
        type Come = unsafe extern "C" fn(c_int, *const siginfo_t) -> bool;
        // SAFETY: the address is that of the shim's function of this type.
        let come: Come = unsafe { std::mem::transmute(self.come) };
        // SAFETY: any thread may call it with a signal that there is.
        (1..=64).contains(&number) && unsafe { come(number, info) }
    }
}
