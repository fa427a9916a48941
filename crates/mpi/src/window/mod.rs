//! Windows: one-sided communication and its synchronisation (chapter 12 of the standard).
//!
//! The ranks of a window share some state, which exists once per host ([`WindowShared`]): the parts of all ranks, and
//! for each rank of the host its lock and what others have told it. Each rank holds a small object of its own
//! ([`Window`]) with its epochs, and what it may set for itself: name, error handler and hints. A window has a
//! communicator of its own, for its barriers; the context id of that numbers the window.
//!
//! * **Where the target's memory is at hand**, the origin does everything at once (`operation`): a put is a copy from
//!   layout to layout, an accumulate a series of atomic updates. So it is on one host, and where the processes of a
//!   node share the memory, because the library has allocated it (`memory`).
//! * **Otherwise** operations are [active messages](crate::network) (`remote`): the thread that polls the network at
//!   the target's host does them there (`handler`), in the order in which the origin has sent them. A flush is a
//!   message whose reply says that all before it have been handled. Short ones go together (`batch`). Long puts and
//!   gets are transfers, where the transport can access the target's memory (`transfer`).
//! * **Locks** are at the target's host, or in memory that the processes of a node share (`lock`, `control`). One that
//!   is free costs one atomic instruction; ranks that have to wait are served in order, and suspended meanwhile
//!   (`waiters`).
//! * **Fences** are barriers: in memory that processes share, if each rank has a process of its own (`barrier`).
//! * **Posts and completions** are signals: counts in memory that processes share, if all ranks live on one node
//!   (`shared_signals`), and otherwise told to the process of the other rank (`signals`).
//!
//! All ways to a rank's memory use the same atomic updates, with the same locks where the machine has no instruction
//! ([`Stripes`](crate::memory::Stripes)), so that accumulates of all ranks are atomic to each other.
//!
//! With `--check` the process of each rank notes the accesses to its memory, and finds those that conflict
//! (`conflict`).
//!
//! What a rank does is counted where a tool or the statistics of the job want to know (`meter`, `statistics`).
//!
//! Costs: a put or get of a few bytes on one host goes a short way (`plain`), without a locked instruction: a look at
//! the targets of the rank's epochs (`open`), and the copy. A flush on one host is such a look. A lock that nobody else
//! wants costs an atomic instruction to take and one to release (`single_lock`).

mod access;
mod access_log;
mod across;
pub mod assertion;
mod barrier;
mod batch;
mod completed;
mod conflict;
mod control;
mod create;
mod epoch;
mod error;
mod fence;
mod flushing;
mod general;
mod handler;
mod hints;
mod hold;
mod lock;
mod long_data;
mod memory;
mod meter;
mod name;
mod open;
mod operation;
mod own_epochs;
mod pace;
mod packet;
mod passive;
mod plain;
mod remote;
mod seats;
mod shared;
mod shared_signals;
mod short_request;
mod signals;
mod single_lock;
mod sleepers;
mod statistics;
mod table;
mod tallies;
mod timed_choice;
mod transfer;
mod untold;
mod waiters;
mod waits;

pub use operation::Place;
pub use simurgh_core::LockKind;
pub use statistics::window_statistics;

use crate::collective::Call;
use crate::comm::Comm;
use crate::errhandler::ErrorHandler;
use crate::error::Result;
use crate::group::Group;
use crate::memory::Region;
use crate::process::Process;
use access_log::Ends;
use batch::Batches;
use epoch::Epochs;
use flushing::Flushing;
use hints::Hints;
use long_data::LongData;
use meter::Meter;
use open::Open;
use pace::Pace;
use plain::Reach;
use shared::WindowShared;
use simurgh_core::sync::{Arc, AtomicU32, SpinLock};
use std::fmt;

/// The ways in which windows get their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// The program has it already.
    Create,
    /// The library allocates it.
    Allocate,
    /// The program attaches it to the window later.
    Dynamic,
    /// The library allocates it where all ranks load and store directly.
    Shared,
}

/// A window, as one of its ranks sees it.
pub struct Window {
    /// The window's own communicator.
    comm: Arc<Comm>,
    process: Arc<Process>,
    shared: Arc<WindowShared>,
    /// The memory of all ranks.
    reach: Arc<[Reach]>,
    /// Whether some of its ranks live on other hosts.
    has_other_hosts: bool,
    /// Calls after which the rank might have let others run.
    calls: AtomicU32,
    /// Fences at which it has met all others, if accesses are checked.
    phase: AtomicU32,
    epochs: SpinLock<Epochs>,
    flushing: Flushing,
    /// Requests to other hosts that have not been sent.
    batches: Batches,
    /// How soon it waits for them.
    pace: Pace,
    /// What long data takes.
    long_data: LongData,
    /// The targets of its access epochs.
    open: Open,
    /// Whether no operation is checked or always counted.
    is_unchecked: bool,
    /// Whether, beside that, no operation is ever under way when its call has returned.
    is_direct: bool,
    /// Counts what the rank does.
    meter: Meter,
    hints: SpinLock<Hints>,
    name: SpinLock<String>,
    errhandler: SpinLock<ErrorHandler>,
}

impl Window {
    /// The calling rank.
    #[must_use]
    pub fn rank(&self) -> i32 {
        self.comm.rank()
    }

    /// The members.
    #[must_use]
    pub fn group(&self) -> &Group {
        self.comm.group()
    }

    /// The way in which the window got its memory.
    #[must_use]
    pub fn flavor(&self) -> Flavor {
        self.shared.flavor()
    }

    /// The process that holds this object.
    #[must_use]
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// The memory that the calling rank has in the window; none in a dynamic window.
    #[must_use]
    pub fn region(&self) -> Option<Region> {
        self.shared.part(self.comm.seat()).region().copied()
    }

    /// The displacement unit of the calling rank in bytes.
    #[must_use]
    pub fn unit(&self) -> usize {
        self.shared.part(self.comm.seat()).unit()
    }

    /// The error handler for calls on this window.
    #[must_use]
    pub fn errhandler(&self) -> ErrorHandler {
        self.errhandler.lock().clone()
    }

    /// Sets the error handler for calls on this window.
    pub fn set_errhandler(&self, handler: ErrorHandler) {
        let old = std::mem::replace(&mut *self.errhandler.lock(), handler);
        drop(old);
    }

    /// Refuses to free the window in an epoch.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) in that case.
    pub fn check_free(&self) -> Result<()> {
        self.epochs().check_none("MPI_Win_free")
    }

    /// Frees the window (`MPI_Win_free`): returns when all ranks have called this, so that nobody accesses their memory
    /// any more.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::RmaSync`](crate::ErrorClass::RmaSync) if the rank is in an epoch; when ranks make different calls.
    pub fn free(&self) -> Result<()> {
        self.check_free()?;
        self.flush_hosts(Ends::All)?;
        self.comm.meet_in(Call::WIN_FREE)?;
        self.leave();
        Ok(())
    }

    /// Frees what the rank has of the window without waiting for the others, for callers that know that nobody accesses
    /// the rank's memory any more. A rank calls this or [`Window::free`], once.
    pub fn leave(&self) {
        let own = self.shared.local(self.comm.seat());
        if let (Some(own), Some(network)) = (own, self.process().job().network()) {
            own.exposures.end(network);
        }
        table::forget(self.process().job(), &self.shared);
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Window")
            .field("rank", &self.rank())
            .field("flavor", &self.flavor())
            .finish_non_exhaustive()
    }
}
