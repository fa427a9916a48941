//! The functions that a rank's image calls.
//!
//! The `user` pointer of every hook is the rank's [`Rank`], which lives as long as the process.

use super::crash::altstack;
use super::end::exit_status;
use super::output::Stream;
use super::rank::finished;
use super::rank_memory;
use super::signals::hooks as signals;
use super::state::{Host, Rank};
use simurgh_core::enter_runtime;
use simurgh_core::sync::{AtomicU32, Ordering, revoke_bias};
use simurgh_heap::RankHeaps;
use simurgh_image::Hooks;
use simurgh_mpi::Process;
use std::ffi::c_void;
use std::slice;
use std::sync::Arc;

/// The hooks of every rank.
pub(super) static HOOKS: Hooks = Hooks {
    write,
    thread_started,
    thread_ended,
    await_thread,
    wake,
    exited_elsewhere,
    yield_now,
    context: signals::context,
    listen: signals::listen,
    interrupt: signals::interrupt,
    wait: signals::wait,
    expect: signals::expect,
    signal_thread: signals::signal_thread,
    take_signal: signals::take_signal,
    killed: signals::killed,
};

/// The pointer that the hooks get for a rank.
pub(super) fn user(rank: &'static Rank) -> *mut c_void {
    std::ptr::from_ref(rank).cast_mut().cast()
}

/// The rank of a `user` pointer.
///
/// # Safety
///
/// The pointer comes from [`user`].
pub(super) unsafe fn rank(user: *mut c_void) -> &'static Rank {
    // SAFETY:
    // - it was made from a reference that is valid for ever.
    unsafe { &*user.cast::<Rank>() }
}

unsafe extern "C" fn write(user: *mut c_void, stream: i32, bytes: *const u8, length: usize) -> i32 {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image hands back what it was given.
    let rank = unsafe { rank(user) };
    let buffer = rank.stream(if stream == 1 { Stream::Out } else { Stream::Error });
    let written = match length {
        0 => buffer.finish(),
        // SAFETY:
        // - there are as many bytes as the image says, which stay as they are during the call.
        _ => buffer.write(unsafe { slice::from_raw_parts(bytes, length) }),
    };
    written.map_or_else(|error| error.raw_os_error(), |()| 0)
}

unsafe extern "C" fn thread_started(user: *mut c_void) {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image hands back what it was given.
    let rank = unsafe { rank(user) };
    rank.heaps().enter();
    rank.note_thread(simurgh_core::this_kernel_thread());
    // The thread runs beside the virtual processor of the ranks, which does more than what ranks ask for.
    revoke_bias();
    Process::bind(Arc::clone(rank.process()));
    // Without the alternate stack, a stack overflow of this thread ends the job without a report. That is no reason to
    // refuse the thread.
    let _ = altstack::add();
}

unsafe extern "C" fn thread_ended(user: *mut c_void) {
    let _inside = enter_runtime();
    altstack::remove();
    RankHeaps::leave();
    // SAFETY:
    // - the image hands back what it was given.
    let rank = unsafe { rank(user) };
    rank.wake_joiner();
    rank_memory::thread_ends(rank);
}

unsafe extern "C" fn await_thread(user: *mut c_void, word: *mut u32, value: u32) {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image hands back what it was given, and a variable of its own that it uses with atomic operations alone.
    let (rank, word) = unsafe { (rank(user), AtomicU32::from_ptr(word)) };
    rank.await_thread(|| word.load(Ordering::SeqCst) != value);
}

unsafe extern "C" fn wake(user: *mut c_void) {
    // SAFETY:
    // - the image hands back what it was given.
    unsafe { rank(user) }.wake_joiner();
}

unsafe extern "C" fn exited_elsewhere(user: *mut c_void, status: i32) {
    let _inside = enter_runtime();
    // SAFETY:
    // - the image hands back what it was given.
    let rank = unsafe { rank(user) };
    if let Some(host) = Host::running() {
        finished(host, rank, exit_status(status));
    }
}

unsafe extern "C" fn yield_now(_user: *mut c_void) {
    let _inside = enter_runtime();
    simurgh_core::yield_now();
}
