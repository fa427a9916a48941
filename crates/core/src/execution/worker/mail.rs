//! The mailbox of a worker: messages that others leave for the execution contexts that live there.
//!
//! The worker delivers them when nothing is ready, and now and then between two execution contexts. The latter do it
//! when they wait or yield. While one execution context keeps the worker's thread, nobody might look. So the starvation
//! guard suspends the mailbox: it stays closed until the worker looks again.

use super::Worker;
use crate::execution::mailbox::WorkerMailbox;
use crate::sync::{Arc, AtomicBool, Ordering};
use std::sync::OnceLock;

/// The number of switches between two looks into the mailbox while contexts are ready.
const PERIOD: u64 = 64;

/// The mailbox of a worker, once it has one.
#[derive(Default)]
pub(super) struct Mail {
    mailbox: OnceLock<Arc<dyn WorkerMailbox>>,
    is_suspended: AtomicBool,
}

impl Worker {
    /// The mailbox.
    #[inline]
    fn mailbox(&self) -> Option<&dyn WorkerMailbox> {
        self.own.mail.mailbox.get().map(|mailbox| &**mailbox)
    }

    /// Gives the worker a mailbox, into which it looks from now on. False if it has one already, or stands in for
    /// another one. To be called by an execution context that runs on it.
    pub fn set_mailbox(&self, mailbox: Arc<dyn WorkerMailbox>) -> bool {
        self.own.principal.is_none() && self.own.mail.mailbox.set(mailbox).is_ok()
    }

    /// Delivers what is in the mailbox. Returns whether a context is ready to run now. For the worker's own thread
    /// while idle, and for the contexts that it runs.
    #[inline]
    pub fn look_into_mailbox(&self) -> bool {
        let Some(mailbox) = self.mailbox().filter(|mailbox| mailbox.has_messages()) else {
            return false;
        };
        mailbox.deliver();
        self.has_runnable()
    }

    /// As [`Worker::look_into_mailbox`], between two contexts, after so many switches.
    #[inline]
    pub(super) fn look_in_passing(&self, switches: u64) {
        if switches.is_multiple_of(PERIOD) && self.mailbox().is_some_and(WorkerMailbox::has_messages) {
            self.load_own();
            self.look_into_mailbox();
            self.own.registers.reread();
        }
    }

    /// Closes the mailbox, and delivers what is there.
    pub fn close_mailbox(&self) {
        if let Some(mailbox) = self.mailbox() {
            mailbox.close();
        }
    }

    /// Takes a [`Worker::close_mailbox`] back.
    pub fn open_mailbox(&self) {
        if let Some(mailbox) = self.mailbox() {
            mailbox.open();
        }
    }

    /// Closes the mailbox, and delivers what is there, until the worker looks again. Anybody may call this.
    pub fn suspend_mailbox(&self) {
        // AcqRel: who sees the mark sees it open, but for a moment.
        if self.mailbox().is_some() && !self.own.mail.is_suspended.swap(true, Ordering::AcqRel) {
            self.close_mailbox();
        }
    }

    /// Ends a [`Worker::suspend_mailbox`]. For the worker's own thread.
    #[inline]
    pub fn resume_mailbox(&self) {
        // Relaxed: a hint. Each mark that is taken away here belongs to one closing, which may be still to come.
        if self.own.mail.is_suspended.load(Ordering::Relaxed)
            && self.own.mail.is_suspended.swap(false, Ordering::AcqRel)
        {
            self.open_mailbox();
        }
    }
}
