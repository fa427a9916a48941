//! Error codes of the tool information interface.

use std::ffi::c_int;

use simurgh_tool::ToolError;

use crate::constants::tool::*;
use crate::error::CallError;

/// The error code of a failure.
pub(super) fn of(error: ToolError) -> c_int {
    match error {
        ToolError::NotInitialized => MPI_T_ERR_NOT_INITIALIZED,
        ToolError::Invalid => MPI_T_ERR_INVALID,
        ToolError::InvalidIndex => MPI_T_ERR_INVALID_INDEX,
        ToolError::InvalidSession => MPI_T_ERR_INVALID_SESSION,
        ToolError::InvalidHandle => MPI_T_ERR_INVALID_HANDLE,
        ToolError::InvalidName => MPI_T_ERR_INVALID_NAME,
        ToolError::OutOfHandles => MPI_T_ERR_OUT_OF_HANDLES,
        ToolError::OutOfSessions => MPI_T_ERR_OUT_OF_SESSIONS,
        ToolError::SetNever => MPI_T_ERR_CVAR_SET_NEVER,
        ToolError::SetNotNow => MPI_T_ERR_CVAR_SET_NOT_NOW,
        ToolError::NoWrite => MPI_T_ERR_PVAR_NO_WRITE,
        ToolError::NoStartStop => MPI_T_ERR_PVAR_NO_STARTSTOP,
        ToolError::NoAtomic => MPI_T_ERR_PVAR_NO_ATOMIC,
        ToolError::NotAccessible => MPI_T_ERR_NOT_ACCESSIBLE,
    }
}

/// A bad pointer, or a handle of another part of MPI: tools are told no more than that.
impl From<Box<CallError>> for ToolError {
    fn from(_: Box<CallError>) -> Self {
        Self::Invalid
    }
}
