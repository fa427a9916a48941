//! The mailbox of a rank: the ring through which short messages of other virtual processors come.
//!
//! A rank gets a ring only as long as one of its threads alone has called MPI. That one minds the mailbox from then on,
//! and all further ones from their first call.

use super::Process;
use simurgh_core::Mailbox;
use simurgh_core::sync::Arc;

impl Process {
    /// Gives the calling thread, which begins to call MPI for the process, its mailbox.
    pub(super) fn add_thread(self: &Arc<Self>) {
        simurgh_core::set_mailbox(Some(Arc::clone(self) as _));
        if self.endpoint().add_thread() > 1 {
            simurgh_core::mind_mailbox();
        }
    }
}

impl Mailbox for Process {
    #[inline]
    fn look(&self) {
        let endpoint = self.endpoint();
        if endpoint.ring().is_some_and(|ring| ring.has_message()) {
            drop(endpoint.own_table());
        }
        self.references.look(self.job().host());
    }

    fn begin_looking(&self) -> bool {
        let endpoint = self.endpoint();
        if !endpoint.has_open_ring() && self.job().layout().here().len() > 1 {
            self.job().host().add_ring(self.id());
        }
        endpoint.has_open_ring()
    }

    fn close(&self) -> bool {
        self.references.drain(self.job().host());
        let endpoint = self.endpoint();
        let Some(ring) = endpoint.ring() else { return false };
        ring.close();
        drop(endpoint.table());
        true
    }

    fn open(&self) {
        if let Some(ring) = self.endpoint().ring() {
            ring.open();
        }
    }

    fn add_waker(&self) {
        self.endpoint().add_waker();
    }

    fn remove_waker(&self) {
        self.endpoint().remove_waker();
    }
}
