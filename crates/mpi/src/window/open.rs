//! The targets that a rank may access, for the short ways (`plain`), which look at them without the lock of the epochs.
//!
//! They are told whenever an epoch begins or ends. All accesses are relaxed: a thread that relies on an epoch has
//! synchronised with the one that has begun it, so it sees what that has told, or something later.

use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering};

/// Targets of which it is found out at once whether a rank is among them: one, all or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Targets(u32);

/// The targets to which a rank has access, and those that it has locked.
pub(super) struct Open {
    access: AtomicU32,
    locks: AtomicU32,
    /// Whether an operation has gone the short way since epochs have changed.
    is_used: AtomicBool,
}

impl Targets {
    pub(super) const NONE: Self = Self(u32::MAX);
    pub(super) const ALL: Self = Self(u32::MAX - 1);

    pub(super) fn one(target: u32) -> Self {
        Self(target)
    }

    /// Whether a rank of the window is among them.
    #[inline(always)]
    fn have(self, target: u32) -> bool {
        self.0 == target || self == Self::ALL
    }
}

impl Default for Open {
    fn default() -> Self {
        Self {
            access: AtomicU32::new(Targets::NONE.0),
            locks: AtomicU32::new(Targets::NONE.0),
            is_used: AtomicBool::new(false),
        }
    }
}

impl Open {
    /// Tells the targets after a change of epochs.
    pub(super) fn tell(&self, access: Targets, locks: Targets) {
        self.access.store(access.0, Ordering::Relaxed);
        self.locks.store(locks.0, Ordering::Relaxed);
        self.is_used.store(false, Ordering::Relaxed);
    }

    /// Whether a rank of the window may be accessed, which is noted as a use of the epoch.
    #[inline(always)]
    pub(super) fn allows(&self, target: u32) -> bool {
        let allows = Targets(self.access.load(Ordering::Relaxed)).have(target);
        if allows {
            self.is_used.store(true, Ordering::Relaxed);
        }
        allows
    }

    /// Whether a rank of the window is locked.
    #[inline(always)]
    pub(super) fn is_locked(&self, target: u32) -> bool {
        Targets(self.locks.load(Ordering::Relaxed)).have(target)
    }

    /// Whether an operation has gone the short way since epochs have changed.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }
}
