//! A session that is open, which all that was made from it shares.

use simurgh_mpi::Session;
use std::sync::Arc;

/// A session; it is ended when this is dropped.
pub(crate) struct OpenSession(Arc<Session>);

impl OpenSession {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self(session)
    }

    /// The session of the engine.
    pub(crate) fn engine(&self) -> &Session {
        &self.0
    }
}

impl Drop for OpenSession {
    fn drop(&mut self) {
        // It is ended here only, so it has not been ended before, which is all that is refused.
        let _ = self.0.finalize();
    }
}
