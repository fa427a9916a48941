//! The memory of a rank that has ended before others of its host: it goes back to the system.
//!
//! That is the memory of its heaps, the part of its stack that it has used, and the large variables of its program and
//! libraries. It goes when the main execution context of the rank has ended, and no thread of the rank is left that
//! could use it. The main context sees to it, if it is the last to end. A thread cannot: it goes on for a moment when
//! it tells that it ends, and may run functions of the program (destructors of thread-specific data). So another thread
//! waits until it has gone.
//!
//! What the rank has in the engine, and in the C library, is not part of it. Pointers that others have kept lead to
//! zeros. Where blocks are checked they keep their records, so heaps are left as they are.

use super::heaps;
use super::state::{Host, Rank};
use super::threads::HOST;
use simurgh_alloc::give_back;
use simurgh_core::sync::{AtomicBool, Ordering};
use simurgh_core::{PassiveThread, with_signals_blocked};
use simurgh_heap::RankHeaps;
use std::time::Duration;

/// The time between two looks at whether threads that end have gone.
const PERIOD: Duration = Duration::from_millis(1);
/// What is left of the stack below the function that gives it back: room for what that calls.
const ROOM: usize = 64 << 10;

/// How far the end of a rank has come.
#[derive(Debug, Default)]
pub(super) struct MemoryEnd {
    main_has_ended: AtomicBool,
    /// Whether somebody sees to it that the memory goes.
    is_taken_on: AtomicBool,
}

impl MemoryEnd {
    /// Whether the caller is the first who can see to it.
    fn take_on(&self) -> bool {
        !self.is_taken_on.swap(true, Ordering::SeqCst)
    }
}

/// Called by the main context of a rank when it has ended, and will use no memory of the rank any more.
pub(super) fn main_has_ended(host: &'static Host, rank: &'static Rank) {
    let Some(place) = rank.place().filter(|_| host.is_running()) else {
        return;
    };
    RankHeaps::leave();
    give_back_stack(place.stack.start);
    // SeqCst, here and in `thread_ends`: of the main context and the last thread, one sees that the other has ended.
    rank.memory_end().main_has_ended.store(true, Ordering::SeqCst);
    if place.images.memory_users() > 0 || !rank.memory_end().take_on() {
        return;
    }
    match rank.count_threads() {
        0 => give_back_memory(host, rank),
        _ => wait_elsewhere(host, rank),
    }
}

/// Called by a thread of a rank that is about to end.
pub(super) fn thread_ends(rank: &'static Rank) {
    let end = rank.memory_end();
    let Some(host) = Host::running().filter(|_| end.main_has_ended.load(Ordering::SeqCst)) else {
        return;
    };
    let is_last = rank.place().is_some_and(|place| place.images.memory_users() == 0);
    if is_last && end.take_on() {
        wait_elsewhere(host, rank);
    }
}

/// Gives back the memory of a rank when its last threads have gone.
fn wait_elsewhere(host: &'static Host, rank: &'static Rank) {
    let wait = move || {
        let _passive = PassiveThread::new();
        while rank.count_threads() > 0 {
            std::thread::sleep(PERIOD);
        }
        give_back_memory(host, rank);
    };
    let thread = std::thread::Builder::new().name(HOST.to_owned());
    // Where there can be no more threads, the memory goes when the process ends.
    let _ = with_signals_blocked(|| thread.spawn(wait));
}

fn give_back_memory(host: &Host, rank: &Rank) {
    // Where the job is about to end, somebody may be writing out what the rank has left in its buffers.
    if host.is_ending() || !host.is_running() {
        return;
    }
    if !heaps::are_checked(rank.process().job().settings()) {
        // SAFETY:
        // - the main context and all threads of the rank have ended, and the former has left;
        // - all of its operations were complete when it finalized MPI.
        unsafe { rank.heaps().end() };
    }
    let parts = rank.place().map(|place| place.images.unfilled_parts());
    for part in parts.into_iter().flatten() {
        // SAFETY:
        // - these are private variables of the rank, of which nothing runs any more.
        let _ = unsafe { give_back(part) };
    }
}

/// Gives back the stack of the calling context, whose lowest address is given, below what is in use.
fn give_back_stack(low: usize) {
    let here = 0_u8;
    let top = std::hint::black_box(&raw const here).addr();
    // SAFETY:
    // - the addresses are those of the stack of the calling context, which has used them in calls that are over. A
    //   handler of a signal that runs on it has ended before the call, or begins after it.
    let _ = unsafe { give_back(low..top.saturating_sub(ROOM).max(low)) };
}
