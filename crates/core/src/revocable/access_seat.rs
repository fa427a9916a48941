//! Seats: a process that accesses what it shares with others says so in shared memory.
//!
//! One execution context of a process, the first that comes, counts its accesses by plain stores. That is the rank's
//! main thread, where ranks are processes. All other threads count theirs by atomic additions.

use crate::execution::try_current;
use crate::sync::asymmetric_fence::{enable_global_fence, light_fence};
use crate::sync::{AtomicU32, AtomicUsize, Ordering};

/// A place in shared memory where others see whether a process accesses something; zeroed it belongs to nobody yet.
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub struct AccessSeat {
    /// 1 if others can issue fences in the process.
    ready: AtomicU32,
    /// How many accesses go on of the one execution context.
    plain: AtomicU32,
    /// How many of all others.
    counted: AtomicU32,
}

/// What a process knows of its seat.
#[derive(Debug)]
pub struct SeatHolder {
    /// The index of the seat.
    own: usize,
    /// The word of the execution context that counts by plain stores; 0 if there is none yet.
    owner: AtomicUsize,
}

/// An access that goes on.
pub(super) struct SeatedAccess<'a> {
    count: &'a AtomicU32,
    is_plain: bool,
}

impl AccessSeat {
    /// Whether the holder can be excluded.
    pub(super) fn is_ready(&self) -> bool {
        // Acquire pairs with the Release in `SeatHolder::new`.
        self.ready.load(Ordering::Acquire) != 0
    }

    /// Whether its holder accesses something, as seen after a global fence.
    pub(super) fn is_taken(&self) -> bool {
        // Acquire pairs with the Release at the end of an access: what that has done is visible.
        self.plain.load(Ordering::Acquire) != 0 || self.counted.load(Ordering::Acquire) != 0
    }
}

impl SeatHolder {
    /// The holder of seats, one of which it uses.
    ///
    /// # Panics
    ///
    /// If it holds none, or one that there is not.
    #[must_use]
    pub fn new(seats: &[AccessSeat], own: &[usize]) -> Self {
        if enable_global_fence() {
            // Release: whoever sees this may issue fences in this process.
            own.iter()
                .for_each(|seat| seats[*seat].ready.store(1, Ordering::Release));
        }
        Self {
            own: own[0],
            owner: AtomicUsize::new(0),
        }
    }

    /// Begins an access: orders the count before all loads that follow, for those that issue a global fence.
    #[inline]
    pub(super) fn sit_down<'a>(&self, seats: &'a [AccessSeat]) -> SeatedAccess<'a> {
        let seat = &seats[self.own];
        let me = try_current().map_or(0, |ec| ec.to_word());
        // Relaxed: only whoever has stored its own word finds it here.
        if me != 0 && self.owner.load(Ordering::Relaxed) == me {
            return SeatedAccess::plain(&seat.plain);
        }
        self.sit_beside(seat, me)
    }

    #[cold]
    fn sit_beside<'a>(&self, seat: &'a AccessSeat, me: usize) -> SeatedAccess<'a> {
        // Relaxed: as above.
        let claim = || {
            self.owner
                .compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed)
        };
        if me != 0 && claim().is_ok() {
            return SeatedAccess::plain(&seat.plain);
        }
        // SeqCst orders it before the load of the state; it pairs with the global fence.
        seat.counted.fetch_add(1, Ordering::SeqCst);
        SeatedAccess {
            count: &seat.counted,
            is_plain: false,
        }
    }
}

impl<'a> SeatedAccess<'a> {
    #[inline]
    fn plain(count: &'a AtomicU32) -> Self {
        // Only the one execution context changes the count; a signal handler on its stack undoes what it adds.
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        light_fence();
        Self {
            count,
            is_plain: true,
        }
    }
}

impl Drop for SeatedAccess<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire in `is_taken`.
        if self.is_plain {
            self.count
                .store(self.count.load(Ordering::Relaxed) - 1, Ordering::Release);
        } else {
            self.count.fetch_sub(1, Ordering::Release);
        }
    }
}
