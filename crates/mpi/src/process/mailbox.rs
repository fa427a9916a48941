//! The mailbox of a rank: the ring through which short messages of other virtual processors come.
//!
//! Where several threads of the rank call MPI, each minds the mailbox from its first call on: another one may have
//! given the rank a ring.

use super::{Process, ThreadLevel};
use simurgh_core::Mailbox;

/// [`Mailbox::close`] has closed the ring.
const RING: u8 = 1;
/// [`Mailbox::close`] has counted a thread that sleeps.
const THREAD: u8 = 2;

impl Process {
    /// Whether several threads of the process may wait at a time.
    fn has_threads(&self) -> bool {
        self.thread_level() == ThreadLevel::Multiple
    }

    /// Has the calling thread of the process mind the mailbox, if others may call MPI, too.
    pub(super) fn mind_mailbox(&self) {
        if self.thread_level() as i32 >= ThreadLevel::Serialized as i32 {
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
    }

    fn begin_looking(&self) -> bool {
        let endpoint = self.endpoint();
        if !endpoint.has_open_ring() && self.job().layout().here().len() > 1 {
            self.job().host().add_ring(self.id(), self.has_threads());
        }
        endpoint.ring().is_some()
    }

    fn close(&self) -> u8 {
        let endpoint = self.endpoint();
        let mut closed = 0;
        if self.has_threads() {
            endpoint.begin_sleep();
            closed |= THREAD;
        }
        if let Some(ring) = endpoint.ring() {
            ring.close();
            drop(endpoint.table());
            closed |= RING;
        }
        closed
    }

    fn open(&self, closed: u8) {
        let endpoint = self.endpoint();
        if closed & THREAD != 0 {
            endpoint.end_sleep();
        }
        if let Some(ring) = endpoint.ring().filter(|_| closed & RING != 0) {
            ring.open();
        }
    }
}
