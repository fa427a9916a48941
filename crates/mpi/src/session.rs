//! Sessions: the use of MPI without a world.

use crate::errhandler::ErrorHandler;
use crate::error::{Error, ErrorClass, Result};
use crate::process::{Process, ThreadLevel};
use simurgh_core::sync::{Arc, AtomicBool, Ordering, SpinLock};
use std::fmt;

/// A session of a process. As long as one is open, the process may communicate.
pub struct Session {
    process: Arc<Process>,
    level: ThreadLevel,
    errhandler: SpinLock<ErrorHandler>,
    open: AtomicBool,
}

impl Session {
    /// Opens a session (`MPI_Session_init`) whose threads call MPI as `level` allows.
    #[must_use]
    pub fn init(process: &Arc<Process>, level: ThreadLevel, errhandler: ErrorHandler) -> Arc<Self> {
        process.open_session();
        Arc::new(Self {
            process: Arc::clone(process),
            level,
            errhandler: SpinLock::new(errhandler),
            open: AtomicBool::new(true),
        })
    }

    /// Ends the session (`MPI_Session_finalize`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Session`] if it has been finalized before.
    pub fn finalize(&self) -> Result<()> {
        // AcqRel: of several threads only one closes the session, after what the others did in it.
        if !self.open.swap(false, Ordering::AcqRel) {
            return Err(Error::new(
                ErrorClass::Session,
                "the session has been finalized before",
            ));
        }
        self.process.close_session();
        Ok(())
    }

    /// The process that has opened the session.
    #[must_use]
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// The level of thread support.
    #[must_use]
    pub fn level(&self) -> ThreadLevel {
        self.level
    }

    /// What happens when a call on this session fails.
    #[must_use]
    pub fn errhandler(&self) -> ErrorHandler {
        self.errhandler.lock().clone()
    }

    /// Sets what happens when a call on this session fails.
    pub fn set_errhandler(&self, handler: ErrorHandler) {
        let old = std::mem::replace(&mut *self.errhandler.lock(), handler);
        drop(old);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("process", &self.process)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
