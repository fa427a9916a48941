//! Instrumentation: the counters and events of a rank, and the hooks by which the engine reports to them.
//!
//! Each rank has one [`Tool`], which is made when the rank first uses the tool information interface. Often another
//! rank causes an event that concerns this one. It puts the event into the queue of this rank, which delivers it at the
//! end of one of its calls.
//!
//! # Costs
//!
//! Nothing is counted, timed or noted unless there is a *watcher*: a started handle of a counted variable, or a
//! callback of an event. Without watchers a hook costs one load of a number that nobody writes ([`on`]) and a
//! predictable branch. While there are watchers, counting is exact, by atomic additions to the counters of the rank.
//!
//! May depend on core, settings and matching.
//!
//! # Layers
//!
//! * `error`: the errors of calls of the tool information interface.
//! * `watch`: the number of watchers.
//! * `file_traffic`: accesses to files, counted by kind.
//! * `window_traffic`: one-sided communication, counted by kind.
//! * `counters`: the counters of a rank, which count only while somebody watches.
//! * `peers`: what a rank exchanges with others.
//! * `event`: the types of events.
//! * `queue`: the events of a rank that have not been delivered.
//! * `hooks`: the functions by which the engine reports what happens.

#![forbid(unsafe_code)]

mod counters;
mod error;
pub mod event;
mod file_traffic;
mod hooks;
mod peers;
mod queue;
mod watch;
mod window_traffic;

pub use error::{ToolError, ToolResult};
pub use peers::{Sent, Way};
pub use queue::{MAX_TOOL_EVENTS, Queue, Record, Wish};
pub use watch::{Watch, on};

pub use counters::{COLLECTIVES, Counters};
pub use event::Reason;
pub use file_traffic::{FileAccess, FileTraffic};
pub use hooks::{
    Watched, blocking, collective, exchanged, left_with_sender, matched, one_sided, sent, set_caller,
    unexpected,
};
pub use window_traffic::{OneSided, Synchronisation, TargetMemory, WindowTotals, WindowTraffic};

use peers::Peers;
use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering};
use std::sync::OnceLock;
use std::time::Instant;

/// The representation of a value in the memory of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// An `int`. An enumeration may name its values.
    Int,
    /// An `unsigned long`.
    Unsigned,
    /// A `double`. Values hold its bits.
    Double,
    /// Characters, with a null character at the end.
    Text,
}

/// The instrumentation of one rank: its counters and its queue of events.
#[derive(Debug)]
pub struct Tool {
    initialised: AtomicU32,
    counters: Counters,
    /// What the rank exchanges with others, if that is to be counted.
    peers: OnceLock<Peers>,
    queue: Queue,
    /// Whether one of the rank's threads is running callbacks.
    delivering: AtomicBool,
    started: Instant,
}

impl Default for Tool {
    fn default() -> Self {
        Self {
            initialised: AtomicU32::new(0),
            counters: Counters::default(),
            peers: OnceLock::new(),
            queue: Queue::default(),
            delivering: AtomicBool::new(false),
            started: Instant::now(),
        }
    }
}

impl Tool {
    /// Counts one more user of the interface (`MPI_T_init_thread`).
    pub fn init(&self) {
        self.initialised.fetch_add(1, Ordering::AcqRel);
    }

    /// Counts one user less (`MPI_T_finalize`). Returns whether it was the last.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotInitialized`] if there was no user.
    pub fn finalize(&self) -> ToolResult<bool> {
        let less = |users: u32| users.checked_sub(1);
        let users = self
            .initialised
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less)
            .map_err(|_| ToolError::NotInitialized)?;
        Ok(users == 1)
    }

    /// Checks that the interface may be used.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotInitialized`] if it has no user.
    pub fn check(&self) -> ToolResult<()> {
        // Acquire pairs with the AcqRel in `init`.
        match self.initialised.load(Ordering::Acquire) {
            0 => Err(ToolError::NotInitialized),
            _ => Ok(()),
        }
    }

    /// The counters of the rank, which count only while somebody watches.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Has what the rank exchanges with each process counted from now on, as long as there is a watcher.
    pub fn count_peers(&self) {
        self.peers.get_or_init(Peers::default);
    }

    /// Whether what the rank exchanges with each process is counted.
    #[must_use]
    pub fn counts_peers(&self) -> bool {
        self.peers.get().is_some()
    }

    /// What the rank has exchanged with each process, as far as that has been counted.
    #[must_use]
    pub fn peers(&self) -> Vec<(Way, u32, Sent)> {
        self.peers.get().map_or_else(Vec::new, Peers::all)
    }

    /// The queue of events that have happened and have not been delivered.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The nanoseconds since the rank first used the interface. Events are timed by this clock.
    #[must_use]
    pub fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Runs `deliver`, unless one of the rank's threads is already delivering. A callback may make calls, which would
    /// otherwise deliver again.
    pub fn deliver_with(&self, deliver: impl FnOnce()) {
        // Acquire and Release: the next thread to deliver sees what this one's callbacks did.
        if !self.delivering.swap(true, Ordering::Acquire) {
            deliver();
            self.delivering.store(false, Ordering::Release);
        }
    }
}
