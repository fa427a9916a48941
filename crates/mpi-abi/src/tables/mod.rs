//! The objects of one rank, by handle.
//!
//! They hang in the extension slot of the rank's [`Process`], so that each rank of a host has handles of its own and
//! all threads of a rank share them. Predefined objects need no table: their handles are constants.

mod errhandler;
mod lookup;
mod parts;
mod program_op;
mod slab;

use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::Source;
use simurgh_mpi::{Comm, Group, Message, Process, Request, Result};
use std::ptr;
use std::sync::Arc;

pub(crate) use errhandler::UserHandler;
pub(crate) use lookup::{Rank, handle_of};
pub(crate) use parts::{sources, targets};
pub(crate) use program_op::{Function, ProgramOp};
pub(crate) use slab::Slab;

use crate::constants::{MPI_COMM_SELF, MPI_PROC_NULL};
use crate::types::MPI_Comm;

/// The kind number of requests in their handles.
const REQUESTS: u8 = 5;

/// A request, and the communicator on which its errors are raised.
pub(crate) struct RequestEntry {
    pub(crate) request: Arc<Request>,
    pub(crate) comm: MPI_Comm,
}

/// A message that a matching probe has taken, and the communicator on which its errors are raised.
pub(crate) struct MessageEntry {
    pub(crate) message: Message,
    pub(crate) comm: MPI_Comm,
}

/// All tables of a rank.
pub(crate) struct Tables {
    /// The execution context that has called `MPI_Init`.
    pub(crate) main_context: u64,
    pub(crate) world: Arc<Comm>,
    pub(crate) myself: Arc<Comm>,
    pub(crate) comms: Slab<Arc<Comm>>,
    pub(crate) groups: Slab<Group>,
    pub(crate) datatypes: Slab<Datatype>,
    pub(crate) ops: Slab<ProgramOp>,
    pub(crate) requests: Slab<RequestEntry>,
    /// The request of every send that was complete when its call returned.
    pub(crate) done_send: RequestEntry,
    pub(crate) messages: Slab<MessageEntry>,
    pub(crate) errhandlers: Slab<Arc<UserHandler>>,
}

impl Tables {
    /// The tables of a process that `main_context` has just initialised.
    pub(crate) fn new(process: &Process, main_context: u64) -> Result<Self> {
        let myself = process.comm_self()?;
        // A send to nobody is complete at once.
        let done_send = myself.isend(&nothing(), MPI_PROC_NULL, 0)?;
        Ok(Self {
            main_context,
            world: process.comm_world()?,
            myself,
            comms: Slab::new(1),
            groups: Slab::new(2),
            datatypes: Slab::new(3),
            ops: Slab::new(4),
            requests: Slab::new(REQUESTS),
            done_send: RequestEntry {
                request: done_send,
                comm: MPI_COMM_SELF,
            },
            messages: Slab::new(6),
            errhandlers: Slab::new(7),
        })
    }
}

/// A message without data.
fn nothing() -> Source {
    // SAFETY:
    // - no element, so no memory.
    unsafe { Source::new(ptr::dangling(), 0, Basic::Byte.into()) }
}
