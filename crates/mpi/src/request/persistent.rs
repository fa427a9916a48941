//! Persistent operations, which are set up once and started many times.
//!
//! A start does what a nonblocking call does, without checks, a request from the pool, and a handle. It goes through
//! the match table. Pairing a persistent send with a persistent receive for good, as partitioned operations are, would
//! be wrong: MPI lets either match an ordinary operation and orders them all. The next start of the send may have to
//! match a blocking receive that was posted before the receive was started, or be queued behind an ordinary message.
//! Only the table knows, and once it is locked and searched, the match has been made; with nothing else queued that is
//! one comparison. The bench is `benches/c/requests.c`: an exchange of 8 bytes costs a rank three quarters of what it
//! costs with nonblocking calls.

use super::{Kind, Participation, Request};
use crate::error::{Error, ErrorClass, Result};
use simurgh_core::AnyArc;
use simurgh_core::sync::{Arc, AtomicBool, Ordering};
use std::any::Any;
use std::fmt;

/// The operation of a persistent request, with its arguments, which were checked when it was set up.
pub(crate) trait Operation: Any + fmt::Debug + Send + Sync {
    /// Runs the operation in the name of `request`, which holds it.
    fn start(&self, request: &Arc<Request>) -> Result<()>;

    /// Which way its message goes, if it is a send or a receive, which can be cancelled.
    fn direction(&self) -> Option<Direction> {
        None
    }

    /// The part in a collective, if it is one.
    fn participation(&self) -> Option<&Participation> {
        None
    }
}

/// Which way a message goes, as the rank that starts it sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Send,
    Receive,
}

/// The part of a request that makes it persistent.
pub(super) struct Persistent {
    operation: Arc<dyn Operation>,
    /// The same, for those who know its type.
    typed: AnyArc,
    active: AtomicBool,
}

impl Persistent {
    /// An operation at rest.
    fn new(operation: impl Operation) -> Self {
        let operation = Arc::new(operation);
        Self {
            typed: AnyArc::new(Arc::clone(&operation)),
            operation,
            active: AtomicBool::new(false),
        }
    }

    /// Whether the operation has been started and not yet waited for.
    // Relaxed here and below: MPI lets one thread at a time use a request; the status cell orders the outcome.
    pub(super) fn is_active(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    /// The operation.
    pub(super) fn operation(&self) -> &dyn Operation {
        &*self.operation
    }

    /// Notes that the operation has been waited for.
    pub(super) fn rest(&self) {
        self.active.store(false, Ordering::Relaxed);
    }

    /// Notes that the operation is started.
    pub(super) fn activate(&self) -> Result<()> {
        if self.is_active() {
            return Err(Error::new(
                ErrorClass::Request,
                "the request is active already; wait for it before starting it",
            ));
        }
        self.active.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl fmt::Debug for Persistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Persistent")
            .field("operation", &self.operation)
            .field("active", &self.active)
            .finish_non_exhaustive()
    }
}

impl Request {
    /// A persistent request at rest.
    pub(crate) fn set_up(operation: impl Operation) -> Arc<Self> {
        Arc::new(Self::of_kind(Kind::Persistent(Persistent::new(operation))))
    }

    /// The persistent operation, if it is of this type.
    #[inline]
    pub(crate) fn operation<T: Operation>(&self) -> Option<&T> {
        self.persistent()?.typed.get()
    }

    /// Starts several persistent operations.
    ///
    /// # Errors
    ///
    /// The error of [`Request::start`] for the first request that could not be started.
    pub fn start_all<'a>(requests: impl IntoIterator<Item = &'a Arc<Self>>) -> Result<()> {
        requests.into_iter().try_for_each(Self::start)
    }
}
