//! Operations that are set up once and started many times.
//!
//! A start does what a nonblocking call does, without what a set-up request spares: checks, a request from the pool, a
//! handle. It goes through the match table. Pairing a persistent send with a persistent receive for good, as
//! partitioned operations are, would be wrong: MPI lets either match an ordinary operation and orders them all. The
//! next start of the send may have to go to a blocking receive that was posted before the start of the receive, or stay
//! behind an ordinary message that waits. Only the table knows, and once it is locked and asked, the match has been
//! made: with nothing else queued that is one comparison. The bench is `benches/c/requests.c`: an exchange of 8 bytes
//! costs a rank three quarters of what it costs with nonblocking calls.

use super::{Kind, Request, Waiter};
use crate::collective::PersistentCollective;
use crate::comm::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Source, Target};
use crate::point2point::{Mode, Partitioned, Received, Sent};
use crate::status::Status;
use simurgh_core::sync::{Arc, AtomicBool, Ordering};

/// The arguments of a persistent operation, checked when it was set up.
#[derive(Debug)]
pub(crate) struct Persistent {
    operation: Operation,
    active: AtomicBool,
}

/// What a persistent request does when started.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A send in some mode.
    Send {
        comm: Arc<Comm>,
        mode: Mode,
        source: Source,
        dest: i32,
        tag: i32,
    },
    /// A receive.
    Receive {
        comm: Arc<Comm>,
        target: Target,
        source: i32,
        tag: i32,
    },
    /// A side of a partitioned operation.
    Partitioned(Partitioned),
    /// A collective.
    Collective(Box<PersistentCollective>),
}

impl Persistent {
    /// Whether the operation has been started and not yet waited for.
    // Relaxed here and below: MPI lets one thread at a time use a request; the outcome is ordered by the ticket.
    pub(super) fn is_active(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    pub(super) fn operation(&self) -> &Operation {
        &self.operation
    }

    pub(super) fn rest(&self) {
        self.active.store(false, Ordering::Relaxed);
    }

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

    /// Runs the operation in the name of `request`, which holds it.
    pub(super) fn launch(&self, request: &Arc<Request>) -> Result<()> {
        let waiter = || Waiter::Request(Arc::clone(request));
        match &self.operation {
            Operation::Send {
                comm,
                mode,
                source,
                dest,
                tag,
            } => match comm.offer(source, *dest, *tag, *mode, waiter)? {
                Sent::Done => request.settle(&Status::EMPTY),
                Sent::Left { process, place } => {
                    request.queued_at(process, place);
                    request.settle(&Status::EMPTY);
                }
                Sent::Queued { process, place } => request.queued_at(process, place),
            },
            Operation::Receive {
                comm,
                target,
                source,
                tag,
            } => match comm.accept(target, *source, *tag, |_| waiter()) {
                Received::Done(status) => request.settle(&status),
                Received::Posted(place) => request.queued_at(comm.process().id(), place),
            },
            Operation::Partitioned(side) => side.start(request),
            Operation::Collective(persistent_collective) => persistent_collective.start(request)?,
        }
        Ok(())
    }
}

impl Request {
    /// A persistent request at rest.
    pub(crate) fn set_up(operation: Operation) -> Arc<Self> {
        Arc::new(Self::of_kind(Kind::Persistent(Persistent {
            operation,
            active: AtomicBool::new(false),
        })))
    }

    /// The side of a partitioned operation that this is.
    pub(crate) fn partitioned(&self) -> Option<&Partitioned> {
        match self.persistent()?.operation() {
            Operation::Partitioned(side) => Some(side),
            Operation::Send { .. } | Operation::Receive { .. } | Operation::Collective(_) => None,
        }
    }

    /// Starts several persistent operations.
    ///
    /// # Errors
    ///
    /// What [`Request::start`] reports for the first that could not be started.
    pub fn start_all<'a>(requests: impl IntoIterator<Item = &'a Arc<Self>>) -> Result<()> {
        requests.into_iter().try_for_each(Self::start)
    }
}
