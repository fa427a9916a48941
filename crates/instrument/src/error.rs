//! The errors of calls of the tool information interface.

/// An error of the tool information interface. Its calls invoke no error handler: the returned code is all that tells
/// of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The interface is not initialised, or has been finalized.
    #[error("the interface is not initialised: call MPI_T_init_thread first")]
    NotInitialized,
    /// An argument is invalid.
    #[error("an argument is not valid")]
    Invalid,
    /// No variable, category, event or source has this index.
    #[error("there is nothing with this index")]
    InvalidIndex,
    /// There is no such session.
    #[error("the session is not valid")]
    InvalidSession,
    /// There is no such handle.
    #[error("the handle is not valid")]
    InvalidHandle,
    /// Nothing has this name.
    #[error("there is nothing with this name")]
    InvalidName,
    /// There are too many handles.
    #[error("there is no room for another handle")]
    OutOfHandles,
    /// There are too many sessions.
    #[error("there is no room for another session")]
    OutOfSessions,
    /// The control variable cannot be set any more.
    #[error("the control variable is fixed when the job starts")]
    SetNever,
    /// The control variable cannot be set at this moment.
    #[error("the control variable cannot be set at this moment")]
    SetNotNow,
    /// The performance variable can only be read.
    #[error("the performance variable can only be read")]
    NoWrite,
    /// The performance variable is always on.
    #[error("the performance variable can be neither started nor stopped")]
    NoStartStop,
    /// The performance variable cannot be read and reset in one step.
    #[error("the performance variable cannot be read and reset in one step")]
    NoAtomic,
    /// The thread belongs to no rank.
    #[error("the calling thread belongs to no rank")]
    NotAccessible,
}

/// The result of a call of the tool interface.
pub type ToolResult<T> = Result<T, ToolError>;
