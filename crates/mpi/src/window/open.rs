//! The targets that a rank may access, for the short ways (`plain`, `single_lock`), which look at them without the lock
//! of the epochs.
//!
//! They are told whenever an epoch begins or ends. Accesses to them are relaxed: a thread that relies on an epoch has
//! synchronised with the one that has begun it, so it sees what that has told, or something later. What the short ways
//! have done, the epochs are told when they are next locked ([`Open::news`]).

use super::hold::Hold;
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
    /// The number of an [`EpochKind`], or [`ONE_LOCK`] plus the number of how the target in `locks` is locked.
    state: AtomicU32,
    /// Whether no operation is under way to another host.
    is_clean: AtomicBool,
}

/// What kind of access epoch a rank is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EpochKind {
    /// None, and no thread of the rank waits for one.
    None,
    /// One between fences.
    Fence,
    /// One that `MPI_Win_start` has begun.
    Start,
    /// What it is is known to the epochs alone.
    Other,
}

/// The rank is in the epoch of one lock, of which the epochs have not been told.
const ONE_LOCK: u32 = 4;

/// What the short ways have done, of which the epochs have not been told.
pub(super) struct News {
    pub(super) is_used: bool,
    /// The one target that is locked.
    pub(super) lock: Option<(u32, Hold)>,
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
            state: AtomicU32::new(EpochKind::None as u32),
            is_clean: AtomicBool::new(true),
        }
    }
}

impl Open {
    /// Tells the targets after a change of epochs, and which kind the rank is in.
    pub(super) fn tell(&self, access: Targets, locks: Targets, kind: EpochKind) {
        self.set(access, locks, kind as u32);
    }

    #[inline]
    fn set(&self, access: Targets, locks: Targets, state: u32) {
        self.access.store(access.0, Ordering::Relaxed);
        self.locks.store(locks.0, Ordering::Relaxed);
        self.is_used.store(false, Ordering::Relaxed);
        self.state.store(state, Ordering::Relaxed);
    }

    /// Whether the rank is in no access epoch, and no thread of it waits for one.
    #[inline]
    pub(super) fn has_no_epoch(&self) -> bool {
        self.is(EpochKind::None)
    }

    /// Whether the rank is in an epoch of this kind.
    #[inline]
    pub(super) fn is(&self, kind: EpochKind) -> bool {
        self.state.load(Ordering::Relaxed) == kind as u32
    }

    /// Begins the epoch of a lock by the short way, where there is no other.
    #[inline]
    pub(super) fn hold(&self, target: u32, hold: Hold) {
        self.set(
            Targets::one(target),
            Targets::one(target),
            ONE_LOCK + hold.number(),
        );
    }

    /// How a target is locked, if that has been done by the short way and the epochs do not know of it.
    #[inline]
    pub(super) fn held(&self, target: u32) -> Option<Hold> {
        let number = self.state.load(Ordering::Relaxed).checked_sub(ONE_LOCK)?;
        let is_target = self.locks.load(Ordering::Relaxed) == target;
        is_target.then(|| Hold::of_number(number)).flatten()
    }

    /// Ends the epoch of such a lock.
    #[inline]
    pub(super) fn let_go(&self) {
        self.set(Targets::NONE, Targets::NONE, EpochKind::None as u32);
    }

    /// What the epochs have to be told, if there is anything; it is told from now on. Called under the lock of the
    /// epochs.
    #[inline]
    pub(super) fn news(&self) -> Option<News> {
        // Only epochs between fences are told of their use.
        let is_used = self.is(EpochKind::Fence) && self.is_used.load(Ordering::Relaxed);
        let is_held = self.state.load(Ordering::Relaxed) >= ONE_LOCK;
        (is_used || is_held).then(|| self.take_news())
    }

    fn take_news(&self) -> News {
        let target = self.locks.load(Ordering::Relaxed);
        let lock = self.held(target).map(|hold| (target, hold));
        if lock.is_some() {
            self.state.store(EpochKind::Other as u32, Ordering::Relaxed);
        }
        News {
            is_used: self.is_used.load(Ordering::Relaxed),
            lock,
        }
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

    /// Tells whether no operation is under way to another host. Called under the lock of the epochs.
    #[inline]
    pub(super) fn tell_clean(&self, is_clean: bool) {
        // Release: what operations have brought is seen by threads that find that they are over.
        self.is_clean.store(is_clean, Ordering::Release);
    }

    /// Whether no operation is under way to another host.
    #[inline(always)]
    pub(super) fn is_clean(&self) -> bool {
        // Acquire: as in `tell_clean`.
        self.is_clean.load(Ordering::Acquire)
    }

    /// Whether a rank of the window is locked.
    #[inline(always)]
    pub(super) fn is_locked(&self, target: u32) -> bool {
        Targets(self.locks.load(Ordering::Relaxed)).have(target)
    }
}
