//! The signal delivery thread. The kernel tells it when timers of ranks expire, and signal handlers tell it which
//! signals have come from outside.
//!
//! The thread starts when a rank needs it. It blocks all signals, and takes one kind of signal from its queue. The
//! value of each is the address of an [`Event`] of a rank, or the number of a signal from outside.

use crate::host::relocation::while_present;
use crate::host::state::Host;
use crate::host::threads;
use libc::{c_int, siginfo_t};
use simurgh_core::PassiveThread;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::mpsc::channel;

/// An event of a rank: `struct simurgh_event` of the shim.
#[repr(C)]
struct Event {
    happen: unsafe extern "C" fn(*mut Event, *const siginfo_t),
}

/// Its number; 0 if the system had none to spare.
static THREAD: OnceLock<i32> = OnceLock::new();

/// The signal that the thread takes.
pub(super) fn number() -> c_int {
    libc::SIGRTMIN()
}

/// The kernel thread, which starts with the first call; 0 if the system has none to spare.
pub(super) fn thread() -> i32 {
    *THREAD.get_or_init(|| start().unwrap_or(0))
}

/// Its number, if it runs.
pub(super) fn running() -> Option<i32> {
    THREAD.get().copied().filter(|thread| *thread != 0)
}

fn start() -> Option<i32> {
    let (sender, receiver) = channel();
    let body = move || {
        // It wakes nobody unless it is told to.
        let _passive = PassiveThread::new();
        // The receiver below waits for it.
        let _ = sender.send(rustix::thread::gettid().as_raw_nonzero().get());
        loop {
            take_one();
        }
    };
    let thread = std::thread::Builder::new().name(threads::SIGNAL_DELIVERY.to_owned());
    simurgh_core::with_signals_blocked(|| thread.spawn(body)).ok()?;
    receiver.recv().ok()
}

/// Waits for the next signal in the queue, and handles it.
fn take_one() {
    let mut set = MaybeUninit::uninit();
    let mut info = MaybeUninit::<siginfo_t>::zeroed();
    // SAFETY:
    // - the first call initialises the set; an all-zero description is a valid one.
    let (taken, info) = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), number());
        (
            libc::sigwaitinfo(set.as_ptr(), info.as_mut_ptr()),
            info.assume_init(),
        )
    };
    if taken != number() {
        return;
    }
    // SAFETY:
    // - signals that are sent with a value have one.
    let value = unsafe { info.si_value() }.sival_ptr;
    match c_int::try_from(value.addr()) {
        Ok(signal) if (1..=64).contains(&signal) => {
            if let Some(host) = Host::running() {
                while_present(|| super::process_directed::deliver_to_ranks(host, signal));
            }
        }
        // SAFETY:
        // - only timers of ranks, which never go, have the kernel send this signal to this thread with an address.
        _ => while_present(|| unsafe {
            let event = value.cast::<Event>();
            ((*event).happen)(event, &raw const info);
        }),
    }
}

/// Tells the thread that a signal has come; async-signal-safe. False if there is no such thread.
pub(super) fn tell(signal: c_int) -> bool {
    let Some(thread) = running() else {
        return false;
    };
    let value = libc::sigval {
        sival_ptr: ptr::without_provenance_mut::<c_void>(signal.cast_unsigned() as usize),
    };
    send(thread, value)
}

/// The kernel's `siginfo_t` of a signal with a value.
#[repr(C)]
struct WithValue {
    signo: c_int,
    errno: c_int,
    code: c_int,
    padding: c_int,
    pid: libc::pid_t,
    uid: libc::uid_t,
    value: libc::sigval,
    rest: [u64; 12],
}

fn send(thread: i32, value: libc::sigval) -> bool {
    // SAFETY:
    // - the calls have no preconditions; the description is as long as the kernel's, and lives through the call.
    unsafe {
        let info = WithValue {
            signo: number(),
            errno: 0,
            code: libc::SI_QUEUE,
            padding: 0,
            pid: libc::getpid(),
            uid: libc::getuid(),
            value,
            rest: [0; 12],
        };
        let sent = libc::syscall(
            libc::SYS_rt_tgsigqueueinfo,
            libc::getpid(),
            thread,
            number(),
            &raw const info,
        );
        sent == 0
    }
}
