//! Alternate stacks for signal handlers, which run even when a rank's own stack has overflown.

use libc::c_void;
use std::io;
use std::ptr;
use std::sync::Mutex;

/// The size of an alternate stack; the unwinder needs most of it.
const SIZE: usize = 128 << 10;

/// The addresses of stacks that threads have left. The next threads get them: a mapping that is made and undone for
/// each thread holds up all others of the process. Nobody waits for the list, which another thread may have locked when
/// the process was forked.
static LEFT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Gives the calling kernel thread an alternate stack.
///
/// The memory is not given back when the thread ends, so this is for threads that live as long as the process, or call
/// [`remove`] before they end.
pub(in crate::host) fn add() -> io::Result<()> {
    let left = LEFT.try_lock().ok().and_then(|mut left| left.pop());
    let memory = match left {
        Some(address) => ptr::with_exposed_provenance_mut(address),
        None => map()?,
    };
    let stack = libc::stack_t {
        ss_sp: memory,
        ss_flags: 0,
        ss_size: SIZE,
    };
    // SAFETY:
    // - the memory is mapped and used for nothing else.
    match unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether the calling thread has an alternate stack.
pub(super) fn is_there() -> bool {
    let mut now = libc::stack_t {
        ss_sp: ptr::null_mut(),
        ss_flags: libc::SS_DISABLE,
        ss_size: 0,
    };
    // SAFETY:
    // - only the present one is asked for.
    let asked = unsafe { libc::sigaltstack(ptr::null(), &raw mut now) } == 0;
    asked && now.ss_flags & libc::SS_DISABLE == 0
}

/// Takes back the stack that [`add`] gave to the calling thread, which is about to end, for another one.
pub(in crate::host) fn remove() {
    let none = libc::stack_t {
        ss_sp: ptr::null_mut(),
        ss_flags: libc::SS_DISABLE,
        ss_size: 0,
    };
    let mut old = none;
    // SAFETY:
    // - both descriptions are valid; a handler that runs on the stack now would make the call fail.
    let disabled = unsafe { libc::sigaltstack(&raw const none, &raw mut old) } == 0;
    if disabled && old.ss_size == SIZE && old.ss_flags & libc::SS_DISABLE == 0 {
        match LEFT.try_lock() {
            Ok(mut left) => left.push(old.ss_sp.expose_provenance()),
            Err(_) => unmap(old.ss_sp),
        }
    }
}

fn unmap(memory: *mut c_void) {
    // SAFETY:
    // - the memory was mapped by `map` with this size, and the kernel does not use it any more.
    // A failure would only leave it mapped.
    let _ = unsafe { libc::munmap(memory, SIZE) };
}

fn map() -> io::Result<*mut c_void> {
    // SAFETY:
    // - a new mapping of our own choosing overlaps nothing.
    let memory = unsafe {
        libc::mmap(
            ptr::null_mut(),
            SIZE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK,
            -1,
            0,
        )
    };
    match memory {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        _ => Ok(memory),
    }
}
