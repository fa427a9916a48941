//! Setting up persistent sends and receives.

use super::Mode;
use crate::comm::Comm;
use crate::comm::check;
use crate::error::Result;
use crate::memory::{Source, Target};
use crate::request::{Operation, Request};
use simurgh_core::sync::Arc;

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
        Ok(Request::set_up(Operation::Send {
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
        Ok(Request::set_up(Operation::Receive {
            comm: Arc::clone(self),
            target: target.clone(),
            source,
            tag,
        }))
    }
}
