//! Sessions: the use of MPI without a world.
//!
//! A process may have several sessions at a time, besides the world or without it. Groups that come from a session's
//! process sets carry its number, and so a communicator made from them finds the session again.

mod process_set;

pub use process_set::ProcessSet;

use crate::buffered::SendBuffer;
use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::group::{Group, SessionId};
use crate::info::{Info, MEMORY_KINDS};
use crate::process::Process;
use simurgh_core::sync::{Arc, SpinLock};
use std::fmt;

/// A session of a process. As long as one is open, the process may communicate.
pub struct Session {
    process: Arc<Process>,
    id: SessionId,
    errhandler: SpinLock<ErrorHandler>,
    buffer: SendBuffer,
}

/// The open sessions of a process.
#[derive(Debug, Default)]
struct Sessions(SpinLock<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u32,
    sessions: Vec<Arc<Session>>,
}

impl Sessions {
    fn open(&self, make: impl FnOnce(SessionId) -> Session) -> Arc<Session> {
        let mut open = self.0.lock();
        // A process does not open so many sessions that a number comes back while it is in use.
        open.last = open.last.wrapping_add(1).max(1);
        let session = Arc::new(make(SessionId::new(open.last)));
        open.sessions.push(Arc::clone(&session));
        session
    }

    fn close(&self, id: SessionId) -> Option<Arc<Session>> {
        let mut open = self.0.lock();
        let place = open.sessions.iter().position(|session| session.id == id)?;
        Some(open.sessions.swap_remove(place))
    }

    /// The open session with this number.
    fn get(&self, id: SessionId) -> Option<Arc<Session>> {
        let open = self.0.lock();
        open.sessions.iter().find(|session| session.id == id).cloned()
    }
}

impl Process {
    /// The open sessions.
    fn sessions(&self) -> &Sessions {
        self.layer_state().get_or_init(Sessions::default)
    }

    /// The open session with this number.
    #[must_use]
    pub fn session(&self, id: SessionId) -> Option<Arc<Session>> {
        self.sessions().get(id)
    }
}

impl Session {
    /// Opens a session (`MPI_Session_init`).
    #[must_use]
    pub fn init(process: &Arc<Process>, errhandler: ErrorHandler) -> Arc<Self> {
        process.open_session();
        process.sessions().open(|id| Self {
            process: Arc::clone(process),
            id,
            errhandler: SpinLock::new(errhandler),
            buffer: SendBuffer::default(),
        })
    }

    /// Ends the session (`MPI_Session_finalize`). The last use of MPI waits for operations whose requests were freed.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Session`] if it has been finalized before.
    pub fn finalize(&self) -> Result<()> {
        match self.process.sessions().close(self.id) {
            Some(_) => {
                self.process.close_session();
                Ok(())
            }
            None => Err(Error::new(
                ErrorClass::Session,
                "the session has been finalized before",
            )),
        }
    }

    /// The session's number, which the groups from its process sets carry.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// The properties of the session (`MPI_Session_get_info`).
    #[must_use]
    pub fn info(&self) -> Info {
        let pairs: [(&[u8], &[u8]); 2] = [
            (b"thread_level", b"MPI_THREAD_MULTIPLE"),
            (MEMORY_KINDS.0.as_bytes(), MEMORY_KINDS.1.as_bytes()),
        ];
        pairs.into_iter().collect()
    }

    /// The group of a process set (`MPI_Group_from_session_pset`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Arg`] if there is no such process set.
    pub fn group(&self, pset: &str) -> Result<Group> {
        Ok(self.process_set(pset)?.group.in_session(self.id))
    }

    /// The place where the session's buffer for buffered sends is attached.
    #[must_use]
    pub fn buffer(&self) -> &SendBuffer {
        &self.buffer
    }

    /// The error handler for calls on this session.
    #[must_use]
    pub fn errhandler(&self) -> ErrorHandler {
        self.errhandler.lock().clone()
    }

    /// Sets the error handler for calls on this session.
    pub fn set_errhandler(&self, handler: ErrorHandler) {
        let old = std::mem::replace(&mut *self.errhandler.lock(), handler);
        drop(old);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("process", &self.process.id())
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
