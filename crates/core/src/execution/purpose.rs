//! The purpose of an execution context, which changes by phase.
//!
//! A program says what its phase is about; the engine says so for a context that waits for the other side of a long
//! message or for a file. To say so costs two plain stores to the context's own control block. What a policy makes of
//! it is in `worker/purposes.rs`, and costs nothing where the policy does not care.
//!
//! A context may be asleep when it turns out that what it waits for is a long message from another host. Then whoever
//! takes note of that makes it one that is about the network, until it goes on ([`Completion::expedite`]).
//!
//! [`Completion::expedite`]: super::completion::Completion::expedite

use super::completion::{ASLEEP, URGENT};
use super::control_block::Ec;
use super::{current, try_current};
use crate::sync::Ordering;

/// The purpose of an execution context; policies distinguish them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// It computes.
    #[default]
    Compute,
    /// It drives the network, or waits for it.
    Network,
    /// It waits for files.
    Io,
}

impl Purpose {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Compute, Self::Network, Self::Io];
    /// Their names, in the same order.
    pub const NAMES: [&'static str; 3] = ["compute", "network", "io"];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.name() == name)
    }

    /// That of a context with this note.
    pub(super) fn of_note(note: u8) -> Self {
        match note & EXPEDITED {
            0 => Self::ALL.get(usize::from(note)).copied().unwrap_or_default(),
            _ => Self::Network,
        }
    }
}

/// Set in the note of a purpose while the context sleeps and others have found that it waits for the network.
const EXPEDITED: u8 = 0x80;

impl Ec {
    /// Notes its purpose. For the context itself, or for whoever makes it.
    #[inline]
    pub(super) fn set_purpose(&self, purpose: Purpose) {
        self.sleeper_mark.set(match purpose {
            Purpose::Network => URGENT,
            Purpose::Compute | Purpose::Io => ASLEEP,
        });
        // Relaxed: nothing depends on it but where and when it runs.
        self.purpose.store(purpose as u8, Ordering::Relaxed);
    }

    /// Notes that it is about the network for as long as it sleeps. For callers that know that nobody wakes it
    /// meanwhile.
    pub(super) fn expedite(&self) {
        // Relaxed, here and below: as above. Whoever wakes the context comes after the caller.
        self.purpose.fetch_or(EXPEDITED, Ordering::Relaxed);
    }

    /// Notes that it sleeps no more. For the context itself.
    #[inline]
    pub(super) fn end_expedition(&self) {
        let note = self.purpose.load(Ordering::Relaxed);
        if note & EXPEDITED != 0 {
            self.purpose.store(note & !EXPEDITED, Ordering::Relaxed);
        }
    }
}

/// Says what the phase of the calling execution context is about. The policy may continue it elsewhere: one that is
/// about I/O, and may block its kernel thread, on a virtual processor that is for such contexts alone.
pub fn set_purpose(purpose: Purpose) {
    let me = current().control();
    me.set_purpose(purpose);
    // SAFETY:
    // - workers live for the rest of the program, and the calling EC, if it is a coroutine, runs on this one.
    if let Some(worker) = unsafe { me.worker().as_ref() } {
        worker.continue_where(me, purpose);
    }
}

/// The calling execution context has a purpose until this is dropped, and then the earlier one again. It is for the
/// time of a wait: the context stays where it is.
#[must_use = "the purpose ends when this is dropped"]
pub struct PurposeGuard(Option<(&'static Ec, Purpose)>);

impl PurposeGuard {
    /// Gives the calling execution context a purpose; without effect for an OS thread that was never attached.
    pub fn begin(purpose: Purpose) -> Self {
        Self(try_current().map(|me| {
            let before = me.purpose();
            me.control().set_purpose(purpose);
            (me.control(), before)
        }))
    }
}

impl Drop for PurposeGuard {
    fn drop(&mut self) {
        if let Some((me, before)) = self.0 {
            me.set_purpose(before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_lasts_for_a_phase_and_the_earlier_one_comes_back() {
        set_purpose(Purpose::Io);
        let wait = PurposeGuard::begin(Purpose::Network);
        assert_eq!(current().purpose(), Purpose::Network);
        drop(wait);
        assert_eq!(current().purpose(), Purpose::Io);
        set_purpose(Purpose::Compute);
        assert_eq!(current().purpose(), Purpose::Compute);
    }

    #[test]
    fn names_are_those_of_the_purposes() {
        for purpose in Purpose::ALL {
            assert_eq!(Purpose::named(purpose.name()), Some(purpose));
        }
        assert_eq!(Purpose::named("idleness"), None);
    }
}
