//! The handle tables of a rank: the objects behind the handles of the program.
//!
//! The tables are in the extension slot of the rank's [`Process`]: each rank of a host has handles of its own, and all
//! threads of a rank share them. Predefined objects need no table, since their handles are constants.

mod attributes;
mod completed_receive;
mod completed_send;
mod datatypes;
mod errhandler;
mod extensions;
mod files;
mod fortran;
mod fortran_types;
mod generalised_request;
mod info;
mod keyval;
mod leaks;
mod lookup;
mod memory;
mod mixed_parts;
mod parts;
mod predefined;
mod registrations;
mod representation;
mod send_integers;
mod slab;
mod tool_objects;
mod user_op;
mod window;

use simurgh_core::sync::{AtomicPtr, Ordering, SpinLock};
use simurgh_mpi::attribute::{Cache, Keys};
use simurgh_mpi::datatype::Datatype;
use simurgh_mpi::{Comm, ErrorCodes, Group, Info, Message, Process, Request, Result, Session, Status};
use std::ptr;
use std::sync::{Arc, OnceLock};

pub(crate) use completed_receive::{CompletedReceives, completed_receive_of_handle};
pub(crate) use completed_send::{
    COMPLETED_SEND, CancelledSends, completed_send_of_handle, handle_of_completed_send,
};
pub(crate) use datatypes::DatatypeNames;
pub(crate) use errhandler::{HandlerFunction, HandlerKind, UserHandler};
pub(crate) use generalised_request::GeneralisedRequest;
pub(crate) use info::info_env;
pub(crate) use keyval::UserKeyval;
pub(crate) use lookup::{Rank, handle_of};
pub(crate) use memory::{allocate, give_back};
pub(crate) use parts::{sources, targets};
pub(crate) use registrations::{EventCallback, Registration, Registrations};
pub(crate) use representation::{ConversionFunction, UserRepresentation};
pub(crate) use slab::{FIRST_HANDLE, Slab};
pub(crate) use tool_objects::{PvarSession, ToolObject};
pub(crate) use user_op::{Function, UserDefinedOp};
pub(crate) use window::WindowEntry;

use attributes::Attributes;
use extensions::Extensions;
use files::Files;
use fortran::Fortran;
use memory::Allocations;
use mixed_parts::MixedPartsCache;
use send_integers::SendIntegers;

use crate::constants::MPI_COMM_SELF;
use crate::error::RaisedOn;
use crate::singleton::with_process;
use crate::types::{MPI_Comm, MPI_Request};

/// The number of the kind "request" in handles.
const REQUESTS: u8 = 5;

/// A request, and the object on which its errors are raised.
pub(crate) struct RequestEntry {
    pub(crate) request: Arc<Request>,
    pub(crate) raised_on: RaisedOn,
}

/// A message that a matching probe has taken, and the communicator on which its errors are raised.
pub(crate) struct MessageEntry {
    pub(crate) message: Message,
    pub(crate) comm: MPI_Comm,
}

/// The communicators that `MPI_Init` makes.
pub(crate) struct Predefined {
    pub(crate) world: Arc<Comm>,
    pub(crate) myself: Arc<Comm>,
    /// The execution context that has called `MPI_Init`.
    pub(crate) main_context: u64,
}

/// All tables of a rank. They exist from its first call on, since some objects may be made before `MPI_Init`. The
/// fields that most calls read come first, in one cache line.
#[repr(C, align(64))]
pub(crate) struct HandleTables {
    /// The address of what is in `predefined`, from `MPI_Init` until `MPI_Finalize`; null otherwise. Most calls are on
    /// the world, and look here.
    world: AtomicPtr<Predefined>,
    /// Set by `MPI_Init`.
    predefined: OnceLock<Predefined>,
    pub(crate) comms: Slab<Arc<Comm>>,
    /// The handle of the communicator with the parents, once the program has asked for it.
    pub(crate) parent: SpinLock<Option<MPI_Comm>>,
    pub(crate) groups: Slab<Group>,
    pub(crate) datatypes: Slab<Datatype>,
    pub(crate) datatype_names: DatatypeNames,
    pub(crate) ops: Slab<UserDefinedOp>,
    pub(crate) requests: Slab<RequestEntry>,
    /// What makes handles of receives that are complete when their call returns.
    pub(crate) completed_receives: CompletedReceives,
    /// The request of every send that was complete when its call returned.
    completed_send: RequestEntry,
    /// The request of every such send that has been cancelled, and the handles of those sends.
    cancelled_send: RequestEntry,
    pub(crate) cancelled: CancelledSends,
    /// The integers of sends that were complete when their call returned.
    pub(crate) send_integers: SendIntegers,
    pub(crate) messages: Slab<MessageEntry>,
    pub(crate) errhandlers: Slab<Arc<UserHandler>>,
    pub(crate) infos: Slab<SpinLock<Info>>,
    /// The content of `MPI_INFO_ENV`, once it has been asked for.
    info_env: OnceLock<Info>,
    /// The program's error classes, codes and strings.
    pub(crate) codes: ErrorCodes,
    /// The keys of attributes.
    pub(crate) keys: Keys,
    /// The attributes of all objects, by handle.
    pub(crate) cache: Cache,
    /// The predefined attributes of communicators.
    attributes: Attributes,
    allocations: Allocations,
    /// The descriptions of buffers whose parts have different datatypes.
    mixed_parts: MixedPartsCache,
    /// The extensions of the standard whose use has been reported.
    extensions: Extensions,
    /// The declarations of a Fortran layer.
    pub(crate) fortran: Fortran,
    pub(crate) files: Files,
    pub(crate) sessions: Slab<Arc<Session>>,
    pub(crate) windows: Slab<WindowEntry>,
    pub(crate) tools: Slab<ToolObject>,
    pub(crate) registrations: Registrations,
}

impl HandleTables {
    /// The tables of a process; they are made at its first call.
    pub(crate) fn of(process: &Process) -> Option<&Self> {
        process.extension_or(|| Self::new(process))
    }

    fn new(process: &Process) -> Self {
        let ended = |cancelled| RequestEntry {
            request: Request::ended(&Status {
                cancelled,
                ..Status::EMPTY
            }),
            raised_on: RaisedOn::Comm(MPI_COMM_SELF),
        };
        Self {
            world: AtomicPtr::new(ptr::null_mut()),
            predefined: OnceLock::new(),
            comms: Slab::new(1),
            parent: SpinLock::default(),
            groups: Slab::new(2),
            datatypes: Slab::new(3),
            datatype_names: DatatypeNames::default(),
            ops: Slab::new(4),
            requests: Slab::new(REQUESTS),
            completed_receives: CompletedReceives::default(),
            completed_send: ended(false),
            cancelled_send: ended(true),
            cancelled: CancelledSends::default(),
            send_integers: SendIntegers::default(),
            messages: Slab::new(6),
            errhandlers: Slab::new(7),
            infos: Slab::new(8),
            info_env: OnceLock::new(),
            codes: ErrorCodes::default(),
            keys: Keys::default(),
            cache: Cache::default(),
            attributes: Attributes::new(process),
            allocations: Allocations::default(),
            mixed_parts: MixedPartsCache::default(),
            extensions: Extensions::default(),
            fortran: Fortran::default(),
            files: Files::new(),
            sessions: Slab::new(12),
            windows: Slab::new(9),
            tools: Slab::new(15),
            registrations: Registrations::default(),
        }
    }

    /// Stores the predefined communicators of a process that `main_context` has just initialised.
    pub(crate) fn begin(&self, process: &Process, main_context: u64) -> Result<()> {
        let predefined = Predefined {
            world: process.comm_world()?,
            myself: process.comm_self()?,
            main_context,
        };
        // A process is initialised once.
        let predefined = self.predefined.get_or_init(|| predefined);
        // Release pairs with the Acquire in `predefined`.
        self.world
            .store(ptr::from_ref(predefined).cast_mut(), Ordering::Release);
        simurgh_core::keep_warm(&[
            ptr::from_ref(process).cast(),
            ptr::from_ref(self).cast(),
            Arc::as_ptr(&predefined.world).cast(),
            ptr::from_ref(&*predefined.world).wrapping_byte_add(64).cast(),
        ]);
        Ok(())
    }

    /// The handle with a slot for a receive that was complete when its call returned; `None` for other requests, and if
    /// there are too many.
    pub(crate) fn slot_of_completed_receive(&self, handle: MPI_Request) -> Option<MPI_Request> {
        let entry = RequestEntry {
            request: Request::ended(&completed_receive_of_handle(handle)?),
            raised_on: RaisedOn::Comm(MPI_COMM_SELF),
        };
        self.requests.insert(entry).ok().map(MPI_Request)
    }

    /// Removes the predefined communicators of a process that has been finalized.
    pub(crate) fn end(&self) {
        self.world.store(ptr::null_mut(), Ordering::Release);
    }

    /// The predefined communicators, from `MPI_Init` until `MPI_Finalize`.
    #[inline]
    fn predefined(&self) -> Option<&Predefined> {
        let world = self.world.load(Ordering::Acquire);
        // SAFETY:
        // - a pointer that is not null goes to what is in `predefined`, which lives as long as the tables.
        unsafe { world.as_ref() }
    }
}

/// Calls `body` with the tables of the calling thread's rank, if it has any.
pub(crate) fn with_tables<R>(body: impl FnOnce(Option<&HandleTables>) -> R) -> R {
    with_process(|process| body(process.and_then(|process| process.extension::<HandleTables>())))
}
