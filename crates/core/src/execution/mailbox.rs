//! Mailboxes: what an execution context looks into while it waits for completions.
//!
//! Messages that others leave in a mailbox complete nothing by themselves: the execution context delivers them when it
//! looks. So it looks again and again while it checks whether a completion has come. Before it suspends it closes the
//! mailbox, so that from then on others deliver to it directly, and wake it. A future does not look: the mailbox is
//! closed as long as its waker waits.

#[cfg(not(loom))]
use super::control_block::Ec;
#[cfg(not(loom))]
use super::reference::EcRef;
#[cfg(not(loom))]
use super::wait::{is_alone, try_current};
use crate::sync::Arc;

/// Where others leave messages for the owner of an execution context.
pub trait Mailbox: Send + Sync {
    /// Delivers what is there. Cheap if nothing is.
    fn look(&self);

    /// The caller is the only execution context of its virtual processor, and is going to look again and again. Returns
    /// whether others may leave messages there from now on, so that the caller has to [mind](mind_mailbox) the mailbox.
    fn begin_looking(&self) -> bool;

    /// Closes the mailbox once more, and delivers all that has been left there. False if there was nothing to close.
    fn close(&self) -> bool;

    /// Takes a [`Mailbox::close`] back that has returned true.
    fn open(&self);

    /// A waker begins to wait: until [`Mailbox::remove_waker`], [`Mailbox::begin_looking`] lets nobody leave messages
    /// there who could not before.
    fn add_waker(&self);

    /// A waker waits no more. Called by whoever completes an operation, in the midst of a call, as is the
    /// [`Mailbox::open`] after it.
    fn remove_waker(&self);
}

/// The mailbox of the calling execution context, if that minds it.
#[derive(Clone, Copy)]
pub(super) struct OwnMailbox(Option<&'static dyn Mailbox>);

/// A mailbox that is closed until this is dropped.
pub(super) struct ClosedMailbox(OwnMailbox);

/// A mailbox that is closed for a waker, until this is dropped.
pub(super) struct ClosedForWaker {
    mailbox: Option<Arc<dyn Mailbox>>,
    /// Whether there was something to close.
    closed: bool,
}

impl ClosedForWaker {
    /// That of the caller, if it has one.
    #[cfg(not(loom))]
    pub(super) fn new() -> Self {
        // SAFETY:
        // - the slot is used only by its own execution context, which is the calling one, and set between its waits.
        let mailbox = try_current().and_then(|me| unsafe { (*me.control().mailbox().get()).clone() });
        let closed = mailbox.as_ref().is_some_and(|mailbox| {
            mailbox.add_waker();
            mailbox.close()
        });
        Self { mailbox, closed }
    }

    /// No thread of the model has one.
    #[cfg(loom)]
    pub(super) fn new() -> Self {
        let (mailbox, closed) = (None, false);
        Self { mailbox, closed }
    }
}

impl Drop for ClosedForWaker {
    fn drop(&mut self) {
        if let Some(mailbox) = &self.mailbox {
            mailbox.remove_waker();
            if self.closed {
                mailbox.open();
            }
        }
    }
}

impl OwnMailbox {
    /// That of the caller. It must not be kept beyond the call of the runtime.
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn get() -> Self {
        Self(try_current().map(EcRef::control).and_then(minded))
    }

    /// As [`OwnMailbox::get`], before the caller waits. If it is alone on its virtual processor, others may leave
    /// messages from now on.
    #[cfg(not(loom))]
    #[inline]
    pub(super) fn get_to_wait() -> Self {
        Self(try_current().map(EcRef::control).and_then(|me| {
            if is_alone(me) {
                begin_looking(me)
            } else {
                minded(me)
            }
        }))
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

    /// Closes it, and delivers what has been left there.
    #[inline]
    #[must_use = "it is opened when this is dropped"]
    pub(super) fn close(self) -> ClosedMailbox {
        ClosedMailbox(Self(self.0.filter(|mailbox| mailbox.close())))
    }
}

impl Drop for ClosedMailbox {
    #[inline]
    fn drop(&mut self) {
        if let Some(mailbox) = self.0.0 {
            mailbox.open();
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
fn begin_looking(me: &'static Ec) -> Option<&'static dyn Mailbox> {
    if of(me)?.begin_looking() {
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

/// Has the calling execution context mind its mailbox: it looks there while it waits, and closes it before it suspends.
/// To be called where others may have opened the mailbox.
#[cfg(not(loom))]
pub fn mind_mailbox() {
    super::current().control().minds_mailbox.set(true);
}
