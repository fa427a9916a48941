//! Instrumentation: the counters and events of a rank, and the hooks by which the engine reports to them.
//!
//! Each rank has one [`Tool`], made when it first uses the tool information interface. Another rank often causes an
//! event of this one: it puts the event into the queue of the rank, which takes it out at the end of one of its calls.
//!
//! # Costs
//!
//! Nothing is counted, timed or noted unless somebody wants it: a started handle of a counted variable and a callback
//! of an event are *watchers*. Without watchers a hook costs one load of a number that nobody writes ([`on`]) and a
//! predictable branch. While there are watchers, counting is exact, by atomic additions to counters of the rank.
//!
//! May depend on core, settings and matching.
//!
//! # Layers
//!
//! * `error`: what can be wrong with a call of a tool.
//! * `watch`: whether anybody watches.
//! * `counters`: what a rank has done, counted while somebody watches.
//! * `event`: the types of events.
//! * `queue`: events that wait to be delivered.
//! * `hooks`: where the engine reports what happens.

#![forbid(unsafe_code)]

mod counters;
mod error;
pub mod event;
mod hooks;
mod queue;
mod watch;

pub use error::{ToolError, ToolResult};
pub use queue::{MAX_TOOL_EVENTS, Queue, Record, Wish};
pub use watch::{Watch, on};

pub use counters::{COLLECTIVES, Counters};
pub use event::Reason;
pub use hooks::{Watched, blocking, collective, left_with_sender, matched, sent, set_caller, unexpected};

use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

/// What a value of a variable is in the memory of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// An `int`; its meaning is in an enumeration.
    Int,
    /// An `unsigned long`.
    Unsigned,
    /// A `double`: values carry its bits.
    Double,
    /// Characters, with a null character at the end.
    Text,
}

/// What the interface holds for one rank.
#[derive(Debug)]
pub struct Tool {
    initialised: AtomicU32,
    counters: Counters,
    queue: Queue,
    /// Whether one of the rank's threads runs callbacks.
    delivering: AtomicBool,
    started: Instant,
}

impl Default for Tool {
    fn default() -> Self {
        Self {
            initialised: AtomicU32::new(0),
            counters: Counters::default(),
            queue: Queue::default(),
            delivering: AtomicBool::new(false),
            started: Instant::now(),
        }
    }
}

impl Tool {
    /// One more user of the interface (`MPI_T_init_thread`).
    pub fn init(&self) {
        self.initialised.fetch_add(1, Ordering::AcqRel);
    }

    /// One user less (`MPI_T_finalize`); returns whether it was the last.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotInitialized`] if there was none.
    pub fn finalize(&self) -> ToolResult<bool> {
        let less = |users: u32| users.checked_sub(1);
        let users = self
            .initialised
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less)
            .map_err(|_| ToolError::NotInitialized)?;
        Ok(users == 1)
    }

    /// Whether the interface may be used.
    ///
    /// # Errors
    ///
    /// [`ToolError::NotInitialized`] if not.
    pub fn check(&self) -> ToolResult<()> {
        // Acquire pairs with the AcqRel in `init`.
        match self.initialised.load(Ordering::Acquire) {
            0 => Err(ToolError::NotInitialized),
            _ => Ok(()),
        }
    }

    /// What the rank has done, counted while somebody watched.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The events that happened and have not been delivered.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Nanoseconds since the rank has first used the interface: the clock of events.
    #[must_use]
    pub fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Runs `deliver`, unless one of the rank's threads does so already: a callback may make calls.
    pub fn deliver_with(&self, deliver: impl FnOnce()) {
        // Acquire and Release: the next thread to deliver sees what this one's callbacks did.
        if !self.delivering.swap(true, Ordering::Acquire) {
            deliver();
            self.delivering.store(false, Ordering::Release);
        }
    }
}
