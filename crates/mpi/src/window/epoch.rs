//! The epochs of a rank: what it may access now, and who may access its memory.

use super::Window;
use super::error::{fault, in_epoch, no_epoch};
use super::hold::Hold;
use super::open::{EpochKind, News, Open, Targets};
use super::seats::Seats;
use super::transfer::Transfers;
use crate::endpoint::Handle;
use crate::error::{ErrorClass, Result};
use simurgh_core::LockKind;
use simurgh_net::HostId;

/// The access epoch of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Access {
    /// None, save for locks.
    #[default]
    None,
    /// One between fences, in which operations may have been called.
    Fence { is_used: bool },
    /// One for these targets.
    Start(Seats),
    /// One by shared locks of all ranks, which have been taken or not, as in [`Hold`].
    LockAll { is_taken: bool },
}

/// The epochs of a rank in a window. What begins or ends an access epoch tells the short ways of operations ([`Open`]).
#[derive(Debug, Default)]
pub(super) struct Epochs {
    access: Access,
    /// The targets that are locked, and how.
    locks: Vec<(u32, Hold)>,
    /// The targets for whose locks threads of the rank wait.
    awaited: Vec<u32>,
    /// Whether a thread of the rank waits for the locks of all.
    awaits_all: bool,
    /// The number of ranks to which the rank's memory is exposed, in an exposure epoch.
    exposure: Option<usize>,
    /// The hosts to which operations have been sent that may not have been done, ascending.
    pub(super) dirty: Vec<Dirty>,
    /// Whether some of these are targets of a last epoch, which wait themselves for what it has sent.
    is_unsettled: bool,
    pub(super) transfers: Transfers,
    /// The number of threads of the rank that flush, or wait for their turn.
    pub(super) flushing: usize,
}

/// A host to which operations have been sent that may not have been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dirty {
    pub(super) host: HostId,
    /// Whether it has to reply to some of them.
    pub(super) replies: bool,
    /// The reply to the last one, if there is one: then all have been handled, and replied to.
    pub(super) last: Option<Handle>,
}

impl Window {
    /// Whether this rank has taken the exclusive lock of a rank, and not only asserted that it could.
    #[inline]
    #[must_use]
    pub fn holds_exclusively(&self, rank: i32) -> bool {
        let Ok(seat) = u32::try_from(rank) else {
            return false;
        };
        let held = self.open.held(seat);
        held.or_else(|| self.epochs().lock_of(seat)) == Some(Hold::new(LockKind::Exclusive, true))
    }
}

impl Epochs {
    /// Notes what has gone the short way, without asking here.
    pub(super) fn note(&mut self, news: &News) {
        if let Access::Fence { is_used } = &mut self.access {
            *is_used |= news.is_used;
        }
        self.locks.extend(news.lock);
    }

    fn tell(&self, open: &Open) {
        let locks = match &self.access {
            Access::LockAll { .. } => Targets::ALL,
            _ => self
                .locks
                .last()
                .map_or(Targets::NONE, |(target, _)| Targets::one(*target)),
        };
        let access = match &self.access {
            Access::Fence { .. } => Targets::ALL,
            Access::Start(targets) => match **targets {
                [target] => Targets::one(target),
                _ => Targets::NONE,
            },
            Access::None | Access::LockAll { .. } => locks,
        };
        let awaits_none = self.awaited.is_empty() && !self.awaits_all;
        let has_no_lock = self.locks.is_empty() && awaits_none;
        let kind = match &self.access {
            Access::None if has_no_lock => EpochKind::None,
            Access::Fence { .. } if has_no_lock => EpochKind::Fence,
            Access::Start(_) if has_no_lock => EpochKind::Start,
            _ => EpochKind::Other,
        };
        open.tell(access, locks, kind);
    }

    /// Refuses an operation on a target for which no access epoch is open.
    #[inline]
    pub(super) fn check_access(&mut self, target: u32) -> Result<()> {
        let is_open = match &mut self.access {
            Access::LockAll { .. } => true,
            Access::Fence { is_used } => {
                *is_used = true;
                true
            }
            Access::Start(targets) => targets.binary_search(&target).is_ok(),
            Access::None => self.lock_of(target).is_some(),
        };
        if is_open {
            Ok(())
        } else {
            Err(no_epoch(target.cast_signed()))
        }
    }

    /// Whether the rank holds the lock of a target, if that is found out at once.
    #[inline(always)]
    pub(super) fn has_lock(&self, target: u32) -> bool {
        let is_first = self.locks.first().is_some_and(|(locked, _)| *locked == target);
        is_first || self.locks_all()
    }

    /// Refuses a call that needs a lock of the target, or of any target.
    #[inline]
    pub(super) fn check_passive(&self, call: &str, target: Option<u32>) -> Result<()> {
        let is_locked = match target {
            _ if self.locks_all() => true,
            Some(target) => self.lock_of(target).is_some(),
            None => !self.locks.is_empty(),
        };
        if is_locked {
            return Ok(());
        }
        let of = target.map_or_else(String::new, |target| format!(" of rank {target}"));
        Err(fault(
            ErrorClass::RmaSync,
            format!("{call} needs a lock{of}: call MPI_Win_lock or MPI_Win_lock_all first"),
        ))
    }

    fn lock_of(&self, target: u32) -> Option<Hold> {
        let mut locks = self.locks.iter();
        locks.find(|(locked, _)| *locked == target).map(|(_, hold)| *hold)
    }

    /// Whether the rank is in an epoch of `MPI_Win_lock_all`.
    #[inline(always)]
    fn locks_all(&self) -> bool {
        matches!(self.access, Access::LockAll { .. })
    }

    /// Refuses a call that begins another access epoch, unless that may begin now. Locks of different targets may be
    /// held at the same time.
    fn check_may_begin(&self, call: &str, is_lock: bool) -> Result<()> {
        let is_alone = is_lock || self.locks.is_empty() && self.awaited.is_empty();
        match &self.access {
            _ if self.awaits_all => Err(in_epoch(call, "MPI_Win_lock_all", "MPI_Win_unlock_all")),
            Access::None | Access::Fence { is_used: false } if is_alone => Ok(()),
            Access::Fence { is_used: true } => Err(in_epoch(call, "MPI_Win_fence", "another fence")),
            Access::Start(_) => Err(in_epoch(call, "MPI_Win_start", "MPI_Win_complete")),
            Access::LockAll { .. } => Err(in_epoch(call, "MPI_Win_lock_all", "MPI_Win_unlock_all")),
            _ => Err(in_epoch(call, "MPI_Win_lock", "MPI_Win_unlock")),
        }
    }

    /// Refuses a fence within another kind of epoch.
    pub(super) fn check_fence(&self) -> Result<()> {
        const CALL: &str = "MPI_Win_fence";
        if self.exposure.is_some() {
            return Err(in_epoch(CALL, "MPI_Win_post", "MPI_Win_wait"));
        }
        match self.access {
            Access::Fence { .. } => Ok(()),
            _ => self.check_may_begin(CALL, false),
        }
    }

    /// Refuses to free a window while an epoch is open.
    pub(super) fn check_none(&self, call: &str) -> Result<()> {
        self.check_may_begin(call, false)?;
        match self.exposure {
            Some(_) => Err(in_epoch(call, "MPI_Win_post", "MPI_Win_wait")),
            None => Ok(()),
        }
    }

    /// Notes that a fence has been passed, after which an epoch may follow.
    pub(super) fn pass_fence(&mut self, open: &Open, is_followed: bool) {
        self.access = match is_followed {
            true => Access::Fence { is_used: false },
            false => Access::None,
        };
        self.tell(open);
    }

    /// Refuses `MPI_Win_start` within another access epoch.
    pub(super) fn check_start(&self) -> Result<()> {
        self.check_may_begin("MPI_Win_start", false)
    }

    /// Begins an access epoch for these targets.
    pub(super) fn start(&mut self, open: &Open, targets: Seats) {
        self.access = Access::Start(targets);
        self.tell(open);
    }

    /// Ends the access epoch of `MPI_Win_start`. Its targets.
    pub(super) fn complete(&mut self, open: &Open) -> Result<Seats> {
        match std::mem::take(&mut self.access) {
            Access::Start(targets) => {
                self.tell(open);
                Ok(targets)
            }
            other => {
                self.access = other;
                let message = "no epoch of MPI_Win_start is open: call MPI_Win_start first";
                Err(fault(ErrorClass::RmaSync, message))
            }
        }
    }

    /// Begins an exposure epoch for so many ranks.
    pub(super) fn expose(&mut self, origins: usize) -> Result<()> {
        match self.exposure {
            Some(_) => Err(in_epoch("MPI_Win_post", "MPI_Win_post", "MPI_Win_wait")),
            None => {
                self.exposure = Some(origins);
                Ok(())
            }
        }
    }

    /// The number of ranks of the exposure epoch.
    pub(super) fn exposure(&self, call: &str) -> Result<usize> {
        self.exposure.ok_or_else(|| {
            let message =
                format!("{call} ends an epoch of MPI_Win_post, but none is open: call MPI_Win_post first");
            fault(ErrorClass::RmaSync, message)
        })
    }

    /// Ends the exposure epoch.
    pub(super) fn conceal(&mut self) {
        self.exposure = None;
    }

    /// Refuses to lock a target within another access epoch, or a second time.
    pub(super) fn check_lock(&self, target: u32) -> Result<()> {
        self.check_may_begin("MPI_Win_lock", true)?;
        if self.lock_of(target).is_none() && !self.awaited.contains(&target) {
            return Ok(());
        }
        Err(fault(
            ErrorClass::RmaSync,
            format!("rank {target} is locked already by this rank; call MPI_Win_unlock first"),
        ))
    }

    /// Notes that a thread of the rank waits for the lock of a target, which no other one may ask for meanwhile.
    pub(super) fn await_lock(&mut self, open: &Open, target: u32) {
        self.awaited.push(target);
        self.tell(open);
    }

    /// Notes that a target is locked.
    #[inline]
    pub(super) fn lock(&mut self, open: &Open, target: u32, hold: Hold) {
        if !self.awaited.is_empty() {
            self.awaited.retain(|awaited| *awaited != target);
        }
        self.access = Access::None;
        self.locks.push((target, hold));
        self.tell(open);
    }

    /// Notes that a target is no longer locked. How it was.
    pub(super) fn unlock(&mut self, open: &Open, target: u32) -> Result<Hold> {
        let place = self.locks.iter().position(|(locked, _)| *locked == target);
        let place = place.ok_or_else(|| {
            let message = format!("rank {target} is not locked by this rank: call MPI_Win_lock first");
            fault(ErrorClass::RmaSync, message)
        })?;
        let (_, hold) = self.locks.swap_remove(place);
        self.tell(open);
        Ok(hold)
    }

    /// Refuses to lock all ranks within another access epoch.
    pub(super) fn check_lock_all(&self) -> Result<()> {
        self.check_may_begin("MPI_Win_lock_all", false)
    }

    /// Notes that a thread of the rank waits for the locks of all, which no other one may ask for meanwhile.
    pub(super) fn await_lock_all(&mut self, open: &Open) {
        self.awaits_all = true;
        self.tell(open);
    }

    /// Notes that all ranks are locked, by locks that have been taken or not.
    pub(super) fn lock_all(&mut self, open: &Open, is_taken: bool) {
        self.awaits_all = false;
        self.access = Access::LockAll { is_taken };
        self.tell(open);
    }

    /// Notes that they are no longer locked. Whether their locks have been taken.
    pub(super) fn unlock_all(&mut self, open: &Open) -> Result<bool> {
        let Access::LockAll { is_taken } = self.access else {
            let message = "the ranks are not locked: call MPI_Win_lock_all first";
            return Err(fault(ErrorClass::RmaSync, message));
        };
        self.access = Access::None;
        self.tell(open);
        Ok(is_taken)
    }

    /// Notes a host. `is_ordered` says whether operations are noted in the order in which they were sent.
    pub(super) fn note_dirty(&mut self, dirty: Dirty, is_ordered: bool) {
        match self.dirty.binary_search_by_key(&dirty.host, |known| known.host) {
            Ok(place) => {
                let known = &mut self.dirty[place];
                known.replies |= dirty.replies;
                known.last = dirty.last.filter(|_| is_ordered);
            }
            Err(place) => self.dirty.insert(place, dirty),
        }
    }

    /// Takes the hosts to which operations have been sent, if there are some, and none has to reply.
    pub(super) fn take_unreplied(&mut self) -> Option<Vec<Dirty>> {
        let are_there = !self.dirty.is_empty() && self.dirty.iter().all(|dirty| !dirty.replies);
        are_there.then(|| std::mem::take(&mut self.dirty))
    }

    /// Notes hosts that wait themselves for what has been sent to them, in the epoch that has just ended.
    pub(super) fn leave_unsettled(&mut self, dirty: Vec<Dirty>) {
        self.dirty = dirty;
        self.is_unsettled = true;
    }

    /// Whether there are such hosts; they are forgotten.
    pub(super) fn take_unsettled(&mut self) -> bool {
        std::mem::take(&mut self.is_unsettled)
    }

    /// Takes a host, if operations have been sent to it since it was last taken.
    pub(super) fn take_dirty(&mut self, host: HostId) -> Option<Dirty> {
        let place = self.dirty.binary_search_by_key(&host, |dirty| dirty.host);
        place.map(|place| self.dirty.remove(place)).ok()
    }
}
