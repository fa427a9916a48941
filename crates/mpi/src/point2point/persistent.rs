//! Setting up persistent sends and receives.

use super::Mode;
use crate::check;
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Source, Target};
use crate::request::{Operation, Request};
use simurgh_core::sync::Arc;

impl Comm {
    /// Sets up a standard send (`MPI_Send_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn send_init(self: &Arc<Self>, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.set_up_send(source, dest, tag, Mode::Standard)
    }

    /// Sets up a synchronous send (`MPI_Ssend_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn ssend_init(self: &Arc<Self>, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.set_up_send(source, dest, tag, Mode::Synchronous)
    }

    /// Sets up a buffered send (`MPI_Bsend_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn bsend_init(self: &Arc<Self>, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.set_up_send(source, dest, tag, Mode::Buffered)
    }

    /// Sets up a ready send (`MPI_Rsend_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`].
    pub fn rsend_init(self: &Arc<Self>, source: &Source, dest: i32, tag: i32) -> Result<Arc<Request>> {
        self.set_up_send(source, dest, tag, Mode::Ready)
    }

    /// Sets up a receive (`MPI_Recv_init`).
    ///
    /// # Errors
    ///
    /// As [`Comm::irecv`].
    pub fn recv_init(self: &Arc<Self>, target: &Target, source: i32, tag: i32) -> Result<Arc<Request>> {
        check::source(source, self)?;
        check::receive_tag(tag)?;
        let operation = Operation::Receive {
            target: target.clone(),
            source,
            tag,
        };
        Ok(Request::set_up(Arc::clone(self), operation))
    }

    fn set_up_send(
        self: &Arc<Self>,
        source: &Source,
        dest: i32,
        tag: i32,
        mode: Mode,
    ) -> Result<Arc<Request>> {
        check::dest(dest, self)?;
        check::tag(tag)?;
        let operation = Operation::Send {
            mode,
            source: source.clone(),
            dest,
            tag,
        };
        Ok(Request::set_up(Arc::clone(self), operation))
    }
}
