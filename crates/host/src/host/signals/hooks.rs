//! The functions for signals that a rank's image calls.
//!
//! The image gets an execution context as a word; see [`crate::host::hooks`] for `user`.

use super::{delivery_thread, interrupt, process_directed};
use crate::host::crash;
use crate::host::end::end_job;
use crate::host::hooks::rank;
use crate::host::state::Host;
use simurgh_core::{EcRef, enter_runtime};
use std::ffi::c_void;
use std::ptr;

pub(in crate::host) unsafe extern "C" fn context(
    _user: *mut c_void,
    attention: *mut *const u32,
) -> *mut c_void {
    let ec = simurgh_core::current();
    // SAFETY:
    // - the image passes the address of a variable.
    unsafe { attention.write(ptr::from_ref(ec.attention()).cast()) };
    ptr::with_exposed_provenance_mut(ec.into_word())
}

/// The execution context of a word.
///
/// # Safety
///
/// [`context`] has returned the word.
unsafe fn ec(context: *mut c_void) -> EcRef {
    // SAFETY:
    // - the caller's promise.
    unsafe { EcRef::of_word(context.expose_provenance()) }
}

pub(in crate::host) unsafe extern "C" fn listen(context: *mut c_void) {
    // SAFETY:
    // - the image hands back what it was given.
    unsafe { ec(context) }.listen();
}

pub(in crate::host) unsafe extern "C" fn interrupt(context: *mut c_void, kernel_thread: i32, restarts: bool) {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image hands back what it was given.
    interrupt::interrupt(unsafe { ec(context) }, kernel_thread, restarts);
}

pub(in crate::host) unsafe extern "C" fn wait(_user: *mut c_void) {
    let _inside = enter_runtime();
    simurgh_core::while_expecting(simurgh_core::park);
}

pub(in crate::host) unsafe extern "C" fn expect(_user: *mut c_void, expects: bool) {
    let _inside = enter_runtime();
    match expects {
        true => simurgh_core::begin_expecting(),
        false => simurgh_core::end_expecting(),
    }
}

pub(in crate::host) unsafe extern "C" fn signal_thread(_user: *mut c_void, number: *mut i32) -> i32 {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image passes the address of a variable.
    unsafe { number.write(delivery_thread::number()) };
    delivery_thread::thread()
}

pub(in crate::host) unsafe extern "C" fn take_signal(_user: *mut c_void, number: i32) {
    let _inside = enter_runtime();
    process_directed::subscribe(number);
}

pub(in crate::host) unsafe extern "C" fn killed(user: *mut c_void, number: i32) {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image hands back what it was given.
    let rank = unsafe { rank(user) };
    let (id, program) = (rank.id(), rank.program());
    if let Some(host) = Host::running() {
        let message = format!("rank {id} ({program}) was killed by signal {number}");
        end_job(host, crash::status_of(number), &message);
    }
}
