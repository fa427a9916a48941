//! The mailbox of a rank: the ring of its virtual processor, through which short messages of other ones come.

use super::Process;
use simurgh_core::sync::Arc;
use simurgh_core::{Mailbox, current_worker};

impl Process {
    /// Gives the calling thread, which begins to call MPI for the process, its mailbox.
    pub(super) fn add_thread(self: &Arc<Self>) {
        simurgh_core::set_mailbox(Some(Arc::clone(self) as _));
        self.endpoint().add_thread();
    }
}

impl Mailbox for Process {
    #[inline]
    fn look(&self) {
        let host = self.job().host();
        self.endpoint().look_into_ring(host);
        self.references.look(host);
    }

    #[inline]
    fn begin_looking(&self, is_alone: bool) -> bool {
        let job = self.job();
        job.layout().here().len() > 1
            && current_worker().is_some_and(|worker| self.endpoint().begin_looking(worker, is_alone, job))
    }

    fn settle(&self) {
        let host = self.job().host();
        self.references.drain(host);
        self.endpoint().look_into_ring(host);
    }
}
