//! Mailboxes: what an execution context looks into while it waits for completions.
//!
//! Messages that others leave in a mailbox complete nothing by themselves: somebody has to deliver them. An execution
//! context that waits looks again and again while it checks whether a completion has come, and once more before it
//! suspends. Then its worker looks into [its mailbox](WorkerMailbox), which is the same for all execution contexts that
//! live there, whenever nothing is ready. Before the worker sleeps it closes the mailbox, so that from then on others
//! deliver by themselves, and wake it.

#[cfg(not(loom))]
use super::control_block::Ec;
#[cfg(not(loom))]
use super::reference::EcRef;
#[cfg(not(loom))]
use super::wait::{has_team, is_alone, try_current};
#[cfg(not(loom))]
use crate::sync::Arc;

/// Where others leave messages for the owner of an execution context.
pub trait Mailbox: Send + Sync {
    /// Delivers what is there. Cheap if nothing is.
    fn look(&self);

    /// The calling execution context of a worker is going to wait, and to look meanwhile; whether it is alone there.
    /// Returns whether others may leave messages from now on.
    fn begin_looking(&self, is_alone: bool) -> bool;

    /// Delivers what is there and does what else the owner should not leave undone, before it suspends.
    fn settle(&self);
}

/// Where others leave messages for all execution contexts that live on a worker.
pub trait WorkerMailbox: Send + Sync {
    /// Whether anything is there.
    fn has_messages(&self) -> bool;

    /// Delivers what is there.
    fn deliver(&self);

    /// Closes the mailbox once more, and delivers all that has been left there. Anybody may call this.
    fn close(&self);

    /// Takes a [`WorkerMailbox::close`] back.
    fn open(&self);
}

/// The mailbox of the calling execution context, if that minds it.
#[derive(Clone, Copy)]
pub(super) struct OwnMailbox(Option<&'static dyn Mailbox>);

impl OwnMailbox {
    /// That of the caller. It must not be kept beyond the call of the runtime.
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn get() -> Self {
        Self(try_current().map(EcRef::control).and_then(minded))
    }

    /// As [`OwnMailbox::get`], before the caller waits. If there are other workers, others may leave messages from now
    /// on.
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn get_to_wait() -> Self {
        Self(try_current().map(EcRef::control).and_then(|me| {
            if has_team(me) {
                begin_looking(me)
            } else {
                minded(me)
            }
        }))
    }

    /// No thread of the model has one.
    #[cfg(loom)]
    pub(super) fn get() -> Self {
        Self(None)
    }

    /// No thread of the model has one.
    #[cfg(loom)]
    pub(super) fn get_to_wait() -> Self {
        Self(None)
    }

    /// Delivers what is there.
    #[inline]
    pub(super) fn look(self) {
        if let Some(mailbox) = self.0 {
            mailbox.look();
        }
    }

    /// Delivers what is there, before the caller suspends.
    #[inline]
    pub(super) fn settle(self) {
        if let Some(mailbox) = self.0 {
            mailbox.settle();
        }
    }
}

/// The mailbox of an execution context, which is the calling one.
#[cfg(not(loom))]
#[inline]
fn of(me: &'static Ec) -> Option<&'static dyn Mailbox> {
    // SAFETY:
    // - the slot is used only by its own execution context, and set between its waits.
    unsafe { (*me.mailbox().get()).as_deref() }
}

/// The mailbox of the calling execution context, if the context minds it.
#[cfg(not(loom))]
#[inline]
fn minded(me: &'static Ec) -> Option<&'static dyn Mailbox> {
    me.minds_mailbox.get().then(|| of(me)).flatten()
}

/// Says that the calling execution context is going to look into its mailbox; the mailbox, if the context minds it now.
#[cfg(not(loom))]
#[inline]
fn begin_looking(me: &'static Ec) -> Option<&'static dyn Mailbox> {
    if of(me)?.begin_looking(is_alone(me)) {
        me.minds_mailbox.set(true);
    }
    minded(me)
}

/// Sets the mailbox of the calling execution context, attaching the calling thread if need be. Not to be called by what
/// the mailbox does.
#[cfg(not(loom))]
pub fn set_mailbox(mailbox: Option<Arc<dyn Mailbox>>) {
    let me = super::current().control();
    me.minds_mailbox.set(false);
    // SAFETY:
    // - the slot is used only by its own execution context, which is not within a wait.
    drop(std::mem::replace(unsafe { &mut *me.mailbox().get() }, mailbox));
}
