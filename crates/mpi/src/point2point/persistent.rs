//! Persistent sends and receives.

use super::{Mode, Received, Sent};
use crate::comm::Comm;
use crate::comm::check;
use crate::error::Result;
use crate::error::Status;
use crate::memory::{Source, Target};
use crate::request::{Direction, Operation, Request, Waiter};
use simurgh_core::sync::Arc;

/// A send that is started again and again.
#[derive(Debug)]
struct PersistentSend {
    comm: Arc<Comm>,
    mode: Mode,
    source: Source,
    dest: i32,
    tag: i32,
}

/// A receive that is started again and again.
#[derive(Debug)]
struct PersistentReceive {
    comm: Arc<Comm>,
    target: Target,
    source: i32,
    tag: i32,
}

impl Operation for PersistentSend {
    fn start(&self, request: &Arc<Request>) -> Result<()> {
        let waiter = || Waiter::Request(Arc::clone(request));
        match self
            .comm
            .start_send(&self.source, self.dest, self.tag, self.mode, waiter)?
        {
            Sent::Done => request.settle(&Status::EMPTY),
            Sent::Buffered { process, place } => {
                request.queued_at(process, place);
                request.settle(&Status::EMPTY);
            }
            Sent::Queued { process, place } => request.queued_at(process, place),
        }
        Ok(())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Send)
    }
}

impl Operation for PersistentReceive {
    fn start(&self, request: &Arc<Request>) -> Result<()> {
        let waiter = |_: &_| Waiter::Request(Arc::clone(request));
        match self
            .comm
            .post_receive(&self.target, self.source, self.tag, waiter)
        {
            Received::Done(status) => request.settle(&status),
            Received::Posted(place) => request.queued_at(self.comm.process().id(), place),
        }
        Ok(())
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Receive)
    }
}

impl Comm {
    /// Sets up a send (`MPI_Send_init`, `MPI_Ssend_init`, `MPI_Bsend_init`, `MPI_Rsend_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn send_init(
        self: &Arc<Self>,
        mode: Mode,
        source: &Source,
        dest: i32,
        tag: i32,
    ) -> Result<Arc<Request>> {
        check::to(dest, tag, self)?;
        Ok(Request::set_up(PersistentSend {
            comm: Arc::clone(self),
            mode,
            source: source.clone(),
            dest,
            tag,
        }))
    }

    /// Sets up a receive (`MPI_Recv_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::irecv`].
    pub fn recv_init(self: &Arc<Self>, target: &Target, source: i32, tag: i32) -> Result<Arc<Request>> {
        check::from(source, tag, self)?;
        Ok(Request::set_up(PersistentReceive {
            comm: Arc::clone(self),
            target: target.clone(),
            source,
            tag,
        }))
    }
}
