//! What can be wrong with a call of a tool.

/// Why a call of the tool interface failed. Such calls raise no error: their code is all that tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The interface has no user.
    #[error("the interface is not initialised: call MPI_T_init_thread first")]
    NotInitialized,
    /// A bad argument.
    #[error("an argument is not valid")]
    Invalid,
    /// No such variable, category, event or source.
    #[error("there is nothing with this index")]
    InvalidIndex,
    /// No such session.
    #[error("the session is not valid")]
    InvalidSession,
    /// No such handle.
    #[error("the handle is not valid")]
    InvalidHandle,
    /// Nothing with this name.
    #[error("there is nothing with this name")]
    InvalidName,
    /// Too many handles.
    #[error("there is no room for another handle")]
    OutOfHandles,
    /// Too many sessions.
    #[error("there is no room for another session")]
    OutOfSessions,
    /// The control variable cannot be set any more.
    #[error("the control variable is fixed when the job starts")]
    SetNever,
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
