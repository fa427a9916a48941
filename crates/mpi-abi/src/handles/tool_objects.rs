//! The objects that a tool has handles of.

use std::sync::Arc;

use simurgh_core::sync::SpinLock;
use simurgh_tool::control::Control;
use simurgh_tool::{Handle, Record, ToolError, ToolResult};

use super::{Rank, Registration};
use crate::types::{
    MPI_T_cvar_handle, MPI_T_event_instance, MPI_T_event_registration, MPI_T_pvar_handle, MPI_T_pvar_session,
};

/// The handles of a session for performance variables.
pub(crate) type PvarSession = Arc<SpinLock<Vec<usize>>>;

/// An object of a tool.
#[derive(Clone)]
pub(crate) enum ToolObject {
    Control(&'static Control),
    Session(PvarSession),
    Variable {
        /// The session that the handle belongs to.
        session: usize,
        handle: Arc<Handle>,
    },
    Registration(Arc<Registration>),
    /// An event, while its callback runs.
    Instance(Record),
}

impl Rank<'_> {
    /// The tool's object behind a handle.
    fn tool_object(self, handle: usize) -> Option<ToolObject> {
        // SAFETY:
        // - the program does not free a handle in one thread while another uses it in a call.
        unsafe { self.tables.tools.get(handle) }.cloned()
    }

    /// Gives out a handle.
    pub(crate) fn give_out_tool(self, object: ToolObject) -> ToolResult<usize> {
        let full = |_| ToolError::OutOfHandles;
        self.tables.tools.insert(object).map_err(full)
    }

    /// The control variable behind a handle.
    pub(crate) fn control(self, handle: MPI_T_cvar_handle) -> ToolResult<&'static Control> {
        match self.tool_object(handle.0) {
            Some(ToolObject::Control(control)) => Ok(control),
            _ => Err(ToolError::InvalidHandle),
        }
    }

    /// The session behind a handle.
    pub(crate) fn pvar_session(self, handle: MPI_T_pvar_session) -> ToolResult<PvarSession> {
        match self.tool_object(handle.0) {
            Some(ToolObject::Session(session)) => Ok(session),
            _ => Err(ToolError::InvalidSession),
        }
    }

    /// The performance variable behind a handle of a session.
    pub(crate) fn variable(
        self,
        of: MPI_T_pvar_session,
        handle: MPI_T_pvar_handle,
    ) -> ToolResult<Arc<Handle>> {
        self.pvar_session(of)?;
        match self.tool_object(handle.0) {
            Some(ToolObject::Variable { session, handle }) if session == of.0 => Ok(handle),
            _ => Err(ToolError::InvalidHandle),
        }
    }

    /// The registration behind a handle.
    pub(crate) fn registration(self, handle: MPI_T_event_registration) -> ToolResult<Arc<Registration>> {
        match self.tool_object(handle.0) {
            Some(ToolObject::Registration(registration)) => Ok(registration),
            _ => Err(ToolError::InvalidHandle),
        }
    }

    /// The event behind a handle, while its callback runs.
    pub(crate) fn instance(self, handle: MPI_T_event_instance) -> ToolResult<Record> {
        match self.tool_object(handle.0) {
            Some(ToolObject::Instance(record)) => Ok(record),
            _ => Err(ToolError::InvalidHandle),
        }
    }

    /// Frees all handles, when the last user of the interface has gone.
    pub(crate) fn free_tool_objects(self) {
        for handle in self.tables.tools.handles() {
            if let Some(ToolObject::Registration(registration)) = self.tables.tools.remove(handle) {
                registration.clear(self.process.tool());
            }
        }
        self.tables.registrations.clear();
    }
}
