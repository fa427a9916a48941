//! The calling rank, and lookup of the objects behind the handles that it passes.
//!
//! A wrong handle is an error of the class that the standard gives to it, never a crash.
//!
//! References into the tables rest on one rule of the standard, which every `SAFETY` comment here refers to: a program
//! must not free an object in one thread while another uses it in a call.

use std::ffi::c_int;
use std::sync::Arc;

use simurgh_mpi::check::Checks;
use simurgh_mpi::datatype::{Basic, Datatype};
use simurgh_mpi::memory::{Dense, Operands, Source, Target};
use simurgh_mpi::op::{BuiltinOp, Op};
use simurgh_mpi::{Comm, ErrorClass, Group, Message, Process, Request, Session, Status};

use super::completed_receive::completed_receive_of_handle;
use super::completed_send::is_completed_send;
use super::predefined::{predefined, usual};
use super::slab::LIMIT;
use super::{
    HandleTables, MessageEntry, Predefined, RequestEntry, Slab, UserDefinedOp, UserHandler, WindowEntry,
};
use crate::arguments::{Buffer, BufferMut, Number, count_of};
use crate::constants::*;
use crate::error::{CallError, RaisedOn, ResultOf};
use crate::types::*;

/// The rank that makes a call.
#[derive(Clone, Copy)]
pub(crate) struct Rank<'a> {
    pub(crate) process: &'a Arc<Process>,
    pub(crate) tables: &'a HandleTables,
}

#[cold]
pub(super) fn not_an_object(class: ErrorClass, what: &str, handle: usize, null: usize) -> Box<CallError> {
    let reason = if handle == null {
        format!("{what} is the null handle; pass one that refers to an object")
    } else {
        format!("{what} is {handle:#x}, which refers to nothing: it was never set, or has been freed")
    };
    CallError::new(class, reason)
}

#[cold]
fn not_in_compiler(what: &str, basic: Basic) -> Box<CallError> {
    let reason = format!(
        "{what} is {}, which the Fortran compiler does not have, as MPI_Abi_set_fortran_info was told",
        basic.name()
    );
    CallError::new(ErrorClass::Type, reason)
}

#[cold]
fn no_world() -> Box<CallError> {
    let reason = "MPI_COMM_WORLD and MPI_COMM_SELF exist only from MPI_Init to MPI_Finalize; \
                  call MPI_Init, or make a communicator from a process set of the session, such as mpi://WORLD";
    CallError::new(ErrorClass::Comm, reason)
}

impl<'a> Rank<'a> {
    /// The rank of a process, between `MPI_Init` and `MPI_Finalize` or with a session open.
    #[inline(always)]
    pub(crate) fn active(process: &'a Arc<Process>) -> Option<Self> {
        let tables = process.extension::<HandleTables>()?;
        process.is_active().then_some(Self { process, tables })
    }

    /// The communicator behind a handle.
    #[inline]
    pub(crate) fn comm(self, handle: MPI_Comm) -> ResultOf<&'a Arc<Comm>> {
        match handle {
            MPI_COMM_WORLD => Ok(&self.predefined()?.world),
            MPI_COMM_SELF => Ok(&self.predefined()?.myself),
            // SAFETY:
            // - the rule above.
            _ => unsafe { self.tables.comms.get(handle.0) }
                .ok_or_else(|| not_an_object(ErrorClass::Comm, "comm", handle.0, MPI_COMM_NULL.0)),
        }
    }

    /// The predefined communicators, from `MPI_Init` until `MPI_Finalize`.
    #[inline]
    pub(crate) fn predefined(self) -> ResultOf<&'a Predefined> {
        self.tables.predefined().ok_or_else(no_world)
    }

    /// The datatype behind a handle, for calls that ask about it or derive from it.
    #[inline]
    pub(crate) fn any_datatype(self, name: &str, handle: MPI_Datatype) -> ResultOf<Datatype> {
        if let Some(basic) = predefined(handle) {
            return Ok(Datatype::Basic(basic));
        }
        if let Some(basic) = usual(handle) {
            let declared = self.tables.fortran.datatype(basic);
            return declared.ok_or_else(|| not_in_compiler(name, basic));
        }
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.datatypes.get(handle.0) }
            .cloned()
            .ok_or_else(|| not_an_object(ErrorClass::Type, name, handle.0, MPI_DATATYPE_NULL.0))
    }

    /// The predefined datatype with this handle, if the program's Fortran compiler does not have it.
    pub(crate) fn lacking(self, handle: MPI_Datatype) -> Option<Basic> {
        usual(handle).filter(|basic| self.tables.fortran.datatype(*basic).is_none())
    }

    /// The datatype behind a handle, for communication: it has to be committed.
    #[inline]
    pub(crate) fn datatype(self, name: &str, handle: MPI_Datatype) -> ResultOf<Datatype> {
        let datatype = self.any_datatype(name, handle)?;
        if datatype.is_committed() || self.process.job().checks() == Checks::Off {
            Ok(datatype)
        } else {
            let reason =
                format!("{name} is {datatype:?}, which is not committed: call MPI_Type_commit first");
            Err(CallError::new(ErrorClass::Type, reason))
        }
    }

    /// Data of the program to be sent: `count` elements at `buffer`.
    #[inline(always)]
    pub(crate) fn source(
        self,
        buffer: Buffer,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> ResultOf<Source> {
        let (count, datatype) = self.elements(buffer, count, datatype)?;
        // SAFETY:
        // - the program passed the buffer for this operation and leaves it alone until the operation is complete.
        Ok(unsafe { Source::new(buffer.address(), count, datatype) })
    }

    /// Memory of the program to be received into: `count` elements at `buffer`.
    #[inline(always)]
    pub(crate) fn target(
        self,
        buffer: BufferMut,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> ResultOf<Target> {
        let (count, datatype) = self.elements(buffer.as_const(), count, datatype)?;
        // SAFETY:
        // - the program passed the buffer for this operation and leaves it alone until the operation is complete.
        Ok(unsafe { Target::new(buffer.address(), count, datatype) })
    }

    /// The count and datatype of a buffer, checked. Inlined for predefined datatypes, since it is on the path of every
    /// message.
    #[inline(always)]
    fn elements(
        self,
        buffer: Buffer,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> ResultOf<(usize, Datatype)> {
        match plain(buffer, count, datatype) {
            Some((count, basic)) => Ok((count, Datatype::Basic(basic))),
            None => self.elements_checked(buffer, count, datatype),
        }
    }

    /// [`Rank::source`], if the datatype is predefined and no argument is special.
    #[inline(always)]
    pub(crate) fn plain_source(
        self,
        buffer: Buffer,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> Option<Source> {
        let (count, basic) = plain(buffer, count, datatype)?;
        // SAFETY:
        // - as in `source`.
        Some(unsafe { Source::new(buffer.address(), count, Datatype::Basic(basic)) })
    }

    /// [`Rank::target`], if the datatype is predefined and no argument is special.
    #[inline(always)]
    pub(crate) fn plain_target(
        self,
        buffer: BufferMut,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> Option<Target> {
        let (count, basic) = plain(buffer.as_const(), count, datatype)?;
        // SAFETY:
        // - as in `target`.
        Some(unsafe { Target::new(buffer.address(), count, Datatype::Basic(basic)) })
    }

    /// [`Rank::source`] without gaps, if the datatype is predefined and no argument is special.
    #[inline(always)]
    pub(crate) fn dense_source(
        self,
        buffer: Buffer,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> Option<Dense<*const u8>> {
        let (count, basic) = plain(buffer, count, datatype)?;
        // SAFETY:
        // - as in `source`.
        unsafe { Dense::new(buffer.address(), count, basic) }
    }

    /// [`Rank::target`] without gaps, if the datatype is predefined and no argument is special.
    #[inline(always)]
    pub(crate) fn dense_target(
        self,
        buffer: BufferMut,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> Option<Dense<*mut u8>> {
        let (count, basic) = plain(buffer.as_const(), count, datatype)?;
        // SAFETY:
        // - as in `target`.
        unsafe { Dense::new(buffer.address(), count, basic) }
    }

    /// An element of the program and the place of another one, if the datatype is predefined, has no gaps, and no
    /// argument is special.
    #[inline(always)]
    pub(crate) fn operands(
        self,
        input: Buffer,
        result: BufferMut,
        datatype: MPI_Datatype,
    ) -> Option<Operands> {
        let (_, basic) = plain(input, 1, datatype)?;
        if result.as_const().is_special() {
            return None;
        }
        // SAFETY:
        // - as in `source` and `target`.
        unsafe { Operands::new(basic, input.address(), result.address()) }
    }

    /// The same with an element to compare with.
    #[inline(always)]
    pub(crate) fn compared_operands(
        self,
        (input, compare): (Buffer, Buffer),
        result: BufferMut,
        datatype: MPI_Datatype,
    ) -> Option<Operands> {
        let operands = self.operands(input, result, datatype)?;
        // SAFETY:
        // - as in `source`.
        (!compare.is_special()).then(|| unsafe { operands.compared_with(compare.address()) })
    }

    #[inline(never)]
    fn elements_checked(
        self,
        buffer: Buffer,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> ResultOf<(usize, Datatype)> {
        let (count, datatype) = self.counted_checked(count, datatype)?;
        check_address(buffer, count, &datatype)?;
        Ok((count, datatype))
    }

    /// A count and a datatype, checked. Programs may leave the datatype open if the count is 0. Inlined for predefined
    /// datatypes, since it is on the path of every one-sided operation.
    #[inline(always)]
    pub(crate) fn counted(self, count: impl Number, datatype: MPI_Datatype) -> ResultOf<(usize, Datatype)> {
        match plain_elements(count, datatype) {
            Some((count, basic)) => Ok((count, Datatype::Basic(basic))),
            None => self.counted_checked(count, datatype),
        }
    }

    #[inline(never)]
    fn counted_checked(self, count: impl Number, datatype: MPI_Datatype) -> ResultOf<(usize, Datatype)> {
        if datatype == MPI_DATATYPE_NULL && count.wide() == 0 {
            return Ok((0, Datatype::Basic(Basic::Byte)));
        }
        if let Some(basic) = predefined(datatype) {
            return Ok((count_of("count", count)?, Datatype::Basic(basic)));
        }
        let datatype = self.datatype("datatype", datatype)?;
        Ok((count_of("count", count)?, datatype))
    }

    /// [`Rank::source`] for a buffer that may be `MPI_IN_PLACE`, in which case the other arguments mean nothing.
    pub(crate) fn source_unless_in_place(
        self,
        buffer: Buffer,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> ResultOf<Option<Source>> {
        if buffer.is_in_place() {
            Ok(None)
        } else {
            self.source(buffer, count, datatype).map(Some)
        }
    }

    /// [`Rank::target`] for a buffer that may be `MPI_IN_PLACE`, in which case the other arguments mean nothing.
    pub(crate) fn target_unless_in_place(
        self,
        buffer: BufferMut,
        count: impl Number,
        datatype: MPI_Datatype,
    ) -> ResultOf<Option<Target>> {
        if buffer.is_in_place() {
            Ok(None)
        } else {
            self.target(buffer, count, datatype).map(Some)
        }
    }

    /// The predefined operation with this handle.
    pub(crate) fn predefined_op(self, handle: MPI_Op) -> Option<BuiltinOp> {
        BuiltinOp::from_handle(handle.0)
    }

    /// The program's operation behind a handle.
    pub(crate) fn user_op(self, handle: MPI_Op) -> ResultOf<UserDefinedOp> {
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.ops.get(handle.0) }
            .copied()
            .ok_or_else(|| not_an_object(ErrorClass::Op, "op", handle.0, MPI_OP_NULL.0))
    }

    /// The operation behind a handle, for a call with this datatype.
    pub(crate) fn op(self, handle: MPI_Op, datatype: MPI_Datatype) -> ResultOf<Op> {
        match self.predefined_op(handle) {
            Some(builtin) => {
                self.report_extension(builtin, datatype);
                Ok(Op::Builtin(builtin))
            }
            None => Ok(self.user_op(handle)?.on(datatype)),
        }
    }

    /// The group behind a handle.
    pub(crate) fn group(self, name: &str, handle: MPI_Group) -> ResultOf<Group> {
        if handle == MPI_GROUP_EMPTY {
            return Ok(Group::EMPTY);
        }
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.groups.get(handle.0) }
            .cloned()
            .ok_or_else(|| not_an_object(ErrorClass::Group, name, handle.0, MPI_GROUP_NULL.0))
    }

    /// The request behind a handle; `None` for the null request. Not for the status of a receive that was complete when
    /// its call returned: [`completed_receive_of_handle`] has it.
    #[inline]
    pub(crate) fn request(self, handle: MPI_Request) -> ResultOf<Option<&'a RequestEntry>> {
        match handle {
            MPI_REQUEST_NULL => Ok(None),
            _ if is_completed_send(handle) => Ok(Some(self.completed_send(handle))),
            _ if completed_receive_of_handle(handle).is_some() => Ok(Some(&self.tables.completed_send)),
            // SAFETY:
            // - the rule above.
            _ => match unsafe { self.tables.requests.get(handle.0) } {
                Some(entry) => Ok(Some(entry)),
                None => Err(not_an_object(
                    ErrorClass::Request,
                    "request",
                    handle.0,
                    MPI_REQUEST_NULL.0,
                )),
            },
        }
    }

    /// Fails unless the handle is one of a request.
    #[inline]
    pub(crate) fn check_request(self, handle: MPI_Request) -> ResultOf<()> {
        if is_completed_send(handle) || self.tables.requests.holds(handle.0) {
            return Ok(());
        }
        self.request(handle).map(drop)
    }

    /// Voids the handle of a send or a receive that has succeeded, and returns its status. Returns `None`, with nothing
    /// done, if the request has not succeeded, or if it is in the table and the rank's calls are not serialized.
    #[inline]
    pub(crate) fn retire_succeeded(self, handle: &mut MPI_Request) -> Option<Status> {
        let status = if is_completed_send(*handle) {
            if self.tables.cancelled.contains(*handle) {
                return None;
            }
            self.tables.send_integers.forget(*handle);
            Status::EMPTY
        } else if let Some(status) = completed_receive_of_handle(*handle) {
            status
        } else {
            let has_succeeded = |entry: &RequestEntry| entry.request.has_succeeded();
            let requests = &self.tables.requests;
            let entry = requests.remove_if(self.process.serialized(), handle.0, has_succeeded)?;
            let status = entry.request.outcome();
            self.process.release(entry.request);
            status
        };
        *handle = MPI_REQUEST_NULL;
        Some(status)
    }

    /// The request of a send that was complete when its call returned.
    #[inline]
    fn completed_send(self, handle: MPI_Request) -> &'a RequestEntry {
        if self.tables.cancelled.contains(handle) {
            &self.tables.cancelled_send
        } else {
            &self.tables.completed_send
        }
    }

    /// The handle of a request that a call on an object has made, on which its errors are raised.
    #[inline(always)]
    pub(crate) fn request_handle(
        self,
        request: Arc<Request>,
        raised_on: impl Into<RaisedOn>,
    ) -> ResultOf<MPI_Request> {
        let raised_on = raised_on.into();
        let entry = RequestEntry { request, raised_on };
        let handle = self
            .tables
            .requests
            .insert_serially(self.process.serialized(), entry);
        Ok(MPI_Request(handle.map_err(|_| too_many())?))
    }

    /// Voids the handle of a request that is complete or given up.
    #[inline]
    pub(crate) fn release_request(self, handle: &mut MPI_Request) {
        if is_completed_send(*handle) {
            self.tables.cancelled.remove(*handle);
            self.tables.send_integers.forget(*handle);
        } else if let Some(entry) = self
            .tables
            .requests
            .remove_serially(self.process.serialized(), handle.0)
        {
            self.process.release(entry.request);
        }
        *handle = MPI_REQUEST_NULL;
    }

    /// Takes the message behind a handle.
    pub(crate) fn take_message(self, handle: MPI_Message) -> ResultOf<MessageEntry> {
        if handle == MPI_MESSAGE_NO_PROC {
            return Ok(MessageEntry {
                message: Message::NONE,
                comm: MPI_COMM_SELF,
            });
        }
        let entry = self.tables.messages.remove(handle.0);
        entry.ok_or_else(|| not_an_object(ErrorClass::Request, "message", handle.0, MPI_MESSAGE_NULL.0))
    }

    /// The session behind a handle.
    pub(crate) fn session(self, handle: MPI_Session) -> ResultOf<&'a Arc<Session>> {
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.sessions.get(handle.0) }
            .ok_or_else(|| not_an_object(ErrorClass::Session, "session", handle.0, MPI_SESSION_NULL.0))
    }

    /// The window behind a handle.
    #[inline]
    pub(crate) fn window(self, handle: MPI_Win) -> ResultOf<&'a WindowEntry> {
        match self.recent_window(handle) {
            Some(recent) => Ok(recent),
            None => self.other_window(handle),
        }
    }

    /// The window behind a handle, if it is the one that was looked up last.
    #[inline(always)]
    pub(crate) fn recent_window(self, handle: MPI_Win) -> Option<&'a WindowEntry> {
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.windows.get_recent(handle.0) }
    }

    #[cold]
    fn other_window(self, handle: MPI_Win) -> ResultOf<&'a WindowEntry> {
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.windows.get_again(handle.0) }
            .ok_or_else(|| not_an_object(ErrorClass::Win, "win", handle.0, MPI_WIN_NULL.0))
    }

    /// The program's error handler behind a handle.
    pub(crate) fn user_handler(self, handle: MPI_Errhandler) -> ResultOf<&'a Arc<UserHandler>> {
        // SAFETY:
        // - the rule above.
        unsafe { self.tables.errhandlers.get(handle.0) }.ok_or_else(|| {
            not_an_object(
                ErrorClass::Errhandler,
                "errhandler",
                handle.0,
                MPI_ERRHANDLER_NULL.0,
            )
        })
    }
}

/// The count and datatype of a buffer, if the datatype is predefined and no argument is special.
#[inline(always)]
fn plain(buffer: Buffer, count: impl Number, datatype: MPI_Datatype) -> Option<(usize, Basic)> {
    plain_elements(count, datatype).filter(|_| !buffer.is_special())
}

/// A count and a datatype, if the datatype is predefined and the count is one.
#[inline(always)]
fn plain_elements(count: impl Number, datatype: MPI_Datatype) -> Option<(usize, Basic)> {
    match (predefined(datatype), usize::try_from(count.wide())) {
        (Some(basic), Ok(count)) => Some((count, basic)),
        _ => None,
    }
}

/// Fails on a null pointer for data, which is right only for datatypes with absolute addresses (`MPI_BOTTOM`), and on
/// `MPI_IN_PLACE`.
#[inline]
pub(super) fn check_address(buffer: Buffer, count: usize, datatype: &Datatype) -> ResultOf<()> {
    if buffer.address().is_null() && count > 0 && datatype.named().is_some() {
        let reason = format!("the buffer is NULL, but count is {count}: pass the address of the data");
        return Err(CallError::new(ErrorClass::Buffer, reason));
    }
    if buffer.is_in_place() {
        let reason = "the buffer is MPI_IN_PLACE, which has no meaning for this argument";
        return Err(CallError::new(ErrorClass::Buffer, reason));
    }
    Ok(())
}

/// The handle of a new object; a full table is an error, not a crash.
pub(crate) fn handle_of<T>(table: &Slab<T>, value: T) -> ResultOf<usize> {
    table.insert(value).map_err(|_| too_many())
}

#[cold]
fn too_many() -> Box<CallError> {
    let limit = c_int::try_from(LIMIT).unwrap_or(c_int::MAX);
    CallError::new(
        ErrorClass::Intern,
        format!("more than {limit} objects of one kind are alive; free those not used"),
    )
}
