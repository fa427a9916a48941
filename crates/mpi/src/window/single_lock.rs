//! The short way of the most frequent passive epoch: one lock, which nobody holds in another way, on a window whose
//! memory this process can access, of a rank that is in no other epoch. It does nothing where it cannot tell that all
//! is right: then the general way tells what is wrong, or waits (`passive`).
//!
//! Costs: an atomic instruction to take the lock and one to release it, both on the lock's word, unless the rank
//! asserts that it need not be taken; and a few plain stores by which the short ways of operations know the epoch
//! (`open`). The lock of the epochs is left alone: it is not needed where the program's calls come one after the other.

use super::Window;
use super::assertion::NOCHECK;
use super::hold::Hold;
use crate::instrument;
use simurgh_core::LockKind;

impl Window {
    /// Whether an epoch may begin or end without the lock of the epochs, and without being counted.
    #[inline(always)]
    fn goes_alone(&self) -> bool {
        self.is_direct && self.process.serialized().holds() && !instrument::on()
    }

    /// [`Window::lock`] of a free lock. False, with nothing done, if that takes the general way.
    #[inline(always)]
    #[must_use]
    pub fn lock_alone(&self, kind: LockKind, rank: i32, assert: i32) -> bool {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let may = assert & !NOCHECK == 0 && self.goes_alone() && self.open.has_no_epoch();
        if !may || self.shared.no_locks() {
            return false;
        }
        let Some(lock) = self.shared.lock_word_of(seat as usize) else {
            return false;
        };
        let is_taken = assert == 0;
        if is_taken && !lock.try_acquire(self.lock_request(kind)) {
            return false;
        }
        self.open.hold(seat, Hold::new(kind, is_taken));
        true
    }

    /// How a target is locked, if it is so and may be released so.
    #[inline(always)]
    fn held_alone(&self, seat: u32) -> Option<Hold> {
        self.goes_alone().then(|| self.open.held(seat)).flatten()
    }

    /// [`Window::unlock`] of such a lock for which nobody waits, when it is not yet time to let others run. False, with
    /// nothing done, if that takes a longer way.
    #[inline(always)]
    #[must_use]
    pub fn unlock_at_once(&self, rank: i32) -> bool {
        let seat = rank.cast_unsigned();
        let (Some(hold), Some(lock)) = (self.held_alone(seat), self.shared.lock_word_of(seat as usize))
        else {
            return false;
        };
        if !self.goes_on() || hold.is_taken && !lock.try_release(hold.kind) {
            return false;
        }
        self.open.let_go();
        true
    }

    /// [`Window::unlock`] of such a lock. False, with nothing done, if that takes the general way.
    #[inline(always)]
    pub(super) fn unlock_alone(&self, rank: i32) -> bool {
        let seat = rank.cast_unsigned();
        let (Some(hold), Some(lock)) = (self.held_alone(seat), self.shared.lock_of(seat as usize)) else {
            return false;
        };
        self.open.let_go();
        if hold.is_taken {
            self.release(lock, seat, hold.kind);
        }
        self.let_others_run();
        true
    }
}
