//! Telling a rank of signals.

use std::ffi::{c_int, c_void};

use libc::siginfo_t;

/// A handle to tell a rank of signals. The shim is never unloaded, so it may be used even after the rank has ended.
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

    /// Gives the rank a signal that has come for the whole process.
    pub fn come(self, number: c_int, info: &siginfo_t) -> Delivery {
        type Come = unsafe extern "C" fn(c_int, *const siginfo_t) -> c_int;
        if !(1..=64).contains(&number) {
            return Delivery::Default;
        }
        // SAFETY: the address is that of the shim's function of this type.
        let come: Come = unsafe { std::mem::transmute(self.come) };
        // SAFETY: any thread may call it with a signal that there is.
        match unsafe { come(number, info) } {
            1 => Delivery::Taken,
            2 => Delivery::Ended,
            _ => Delivery::Default,
        }
    }
}

/// The effect that a signal for the whole process has on a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The rank has no handler for it: what happens by default is to happen.
    Default,
    /// The rank handles or ignores it.
    Taken,
    /// The rank has ended, so the signal comes too late for it.
    Ended,
}
