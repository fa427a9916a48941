//! Exclusion of many short accesses by a few long ones.
//!
//! Most accesses share what they access: they are atomic to each other by themselves. Now and then one is faster if
//! nobody else accesses the same meanwhile.
//!
//! # Protocol
//!
//! `state` is one of three:
//!
//! | state | short accesses | a long access |
//! |---|---|---|
//! | `OPEN` | begin at once | makes it `HELD`, issues a heavy fence, and looks whether a short access goes on |
//! | `SHUT` | make it `OPEN` first | makes it `HELD`: nobody has begun a short access since the last long one |
//! | `HELD` | wait | waits, or becomes a short one if it brings little work |
//!
//! A short access [pins](super::pin) its execution context, issues a light fence, and reads `state`. So either the one
//! that holds it sees the pin after its heavy fence, or the other one sees `HELD`. Execution contexts may be pinned for
//! other reasons, and for long. So a long access that finds somebody pinned gives up after a few looks: then it is done
//! in the way of short ones.
//!
//! Where processes of a node share what they access, a short access takes a [seat](super::access_seat) in shared memory
//! instead, and the heavy fence is one in all processes.
//!
//! # Costs
//!
//! A short access costs two plain stores and a load. A long access that follows another one costs an exchange. The
//! first one costs a system call and a look at all control blocks, so it waits until long accesses have brought as much
//! work as that. Where long accesses meet, they had better be done side by side if they are not very long: the one that
//! comes second opens what the first one has shut.

use super::access_seat::{AccessSeat, SeatHolder, SeatedAccess};
use super::pin::{Pin, is_anybody_pinned};
use crate::sync::asymmetric_fence::{enable_heavy_fence, global_fence, heavy_fence};
use crate::sync::{AtomicU32, Ordering, relax, wait_for};

const OPEN: u32 = 0;
const SHUT: u32 = 1;
const HELD: u32 = 2;

/// How often a long access looks whether all short ones have ended.
const LOOKS: u32 = 32;

/// The state of an exclusion, which processes may share; zeroed it is open.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct ExclusionCell {
    state: AtomicU32,
    /// The work of long accesses that have come since it was opened.
    work: AtomicU32,
}

/// Lets short accesses go on side by side, and long ones by themselves.
#[derive(Clone, Copy)]
pub struct RareExclusion<'a> {
    cell: &'a ExclusionCell,
    parties: Parties<'a>,
    worth: ExclusionWorth,
}

/// The work that is worth something.
#[derive(Clone, Copy, Debug)]
pub struct ExclusionWorth {
    /// The work of all long accesses that is worth a heavy fence.
    pub fence: u32,
    /// The work of a long access that is worth waiting for another one.
    pub wait: u32,
}

/// Who accesses what is excluded.
#[derive(Clone, Copy)]
enum Parties<'a> {
    /// Execution contexts of this process, which pin themselves.
    Process { has_fence: bool },
    /// Processes of a node, each of which has seats there, one of them to sit on.
    Node {
        seats: &'a [AccessSeat],
        holder: &'a SeatHolder,
    },
}

/// A short access, which excludes long ones.
pub struct SharedAccess<'a>(#[expect(dead_code, reason = "held for its drop")] Inside<'a>);

/// A party that is within a short access.
#[expect(dead_code, reason = "held for its drop")]
enum Inside<'a> {
    Pinned(Pin),
    Seated(SeatedAccess<'a>),
}

/// A long access, which excludes all others.
pub struct LongAccess<'a>(&'a ExclusionCell);

/// Whether long accesses of this process can exclude its short ones.
#[must_use]
pub fn enable_exclusion() -> bool {
    enable_heavy_fence()
}

impl<'a> Parties<'a> {
    #[inline]
    fn enter(self) -> Inside<'a> {
        match self {
            Self::Process { .. } => Inside::Pinned(Pin::new()),
            Self::Node { seats, holder } => Inside::Seated(holder.sit_down(seats)),
        }
    }

    /// Whether short accesses can be excluded.
    fn can_be_excluded(self) -> bool {
        match self {
            Self::Process { has_fence } => has_fence,
            Self::Node { seats, .. } => seats.iter().all(AccessSeat::is_ready),
        }
    }

    fn fence(self) {
        match self {
            Self::Process { .. } => heavy_fence(),
            Self::Node { .. } => global_fence(),
        }
    }

    /// Whether somebody is within a short access that was so before the last fence of the calling thread.
    fn is_anybody_inside(self) -> bool {
        match self {
            Self::Process { .. } => is_anybody_pinned(),
            Self::Node { seats, .. } => seats.iter().any(AccessSeat::is_taken),
        }
    }
}

impl<'a> RareExclusion<'a> {
    /// That of the accesses of this process. `has_fence` tells what [`enable_exclusion`] has returned.
    #[inline]
    #[must_use]
    pub fn within_process(cell: &'a ExclusionCell, worth: ExclusionWorth, has_fence: bool) -> Self {
        Self {
            cell,
            parties: Parties::Process { has_fence },
            worth,
        }
    }

    /// That of the accesses of processes with these seats, of which this one holds some.
    #[inline]
    #[must_use]
    pub fn within_node(
        cell: &'a ExclusionCell,
        worth: ExclusionWorth,
        seats: &'a [AccessSeat],
        holder: &'a SeatHolder,
    ) -> Self {
        Self {
            cell,
            parties: Parties::Node { seats, holder },
            worth,
        }
    }

    /// Begins a short access, after the long one if there is one.
    #[inline]
    #[must_use]
    pub fn share(&self) -> SharedAccess<'a> {
        let inside = self.parties.enter();
        if self.is_open() {
            return SharedAccess(inside);
        }
        drop(inside);
        self.open()
    }

    /// Does something within a short access. As [`RareExclusion::share`], inlined where it is used.
    #[inline(always)]
    pub fn share_while<R>(&self, act: impl FnOnce() -> R) -> R {
        match self.parties {
            Parties::Process { .. } => {
                let _pin = Pin::new();
                if self.is_open() {
                    return act();
                }
            }
            Parties::Node { seats, holder } => {
                let _seated = holder.sit_down(seats);
                if self.is_open() {
                    return act();
                }
            }
        }
        let _shared = self.open();
        act()
    }

    /// Whether short accesses begin at once. Asked by one that is inside.
    #[inline(always)]
    fn is_open(&self) -> bool {
        // Acquire pairs with the Release of the last long access.
        self.cell.state.load(Ordering::Acquire) == OPEN
    }

    #[cold]
    fn open(&self) -> SharedAccess<'a> {
        wait_for(|| {
            let inside = self.parties.enter();
            // Acquire as in `is_open`. Release: a long access that sees that it is open sees who is inside.
            let opened = self
                .cell
                .state
                .compare_exchange(SHUT, OPEN, Ordering::AcqRel, Ordering::Acquire);
            (opened != Err(HELD)).then(|| SharedAccess(inside))
        })
    }

    /// Begins a long access, which brings so much work; none if it has to be done as a short one.
    #[inline]
    #[must_use]
    pub fn exclude(&self, work: u32) -> Option<LongAccess<'a>> {
        match self.follow() {
            Ok(_) => Some(LongAccess(self.cell)),
            Err(found) => self.exclude_from(found, work),
        }
    }

    /// Begins a long access if nobody has begun a short one since the last; otherwise says what the state is.
    #[inline]
    fn follow(&self) -> Result<u32, u32> {
        // Acquire pairs with the Release of the last long access. A look beforehand would move the line twice.
        self.cell
            .state
            .compare_exchange(SHUT, HELD, Ordering::Acquire, Ordering::Relaxed)
    }

    #[cold]
    fn exclude_from(&self, found: u32, work: u32) -> Option<LongAccess<'a>> {
        let cell = self.cell;
        if found == HELD {
            if work < self.worth.wait {
                return None;
            }
            let found = wait_for(|| Some(self.follow()).filter(|found| *found != Err(HELD)));
            if found.is_ok() {
                return Some(LongAccess(cell));
            }
        }
        if !self.parties.can_be_excluded() {
            return None;
        }
        // Relaxed: a hint, of which a part may be lost.
        let sum = cell.work.load(Ordering::Relaxed).saturating_add(work);
        cell.work
            .store(if sum < self.worth.fence { sum } else { 0 }, Ordering::Relaxed);
        (sum >= self.worth.fence).then(|| self.shut()).flatten()
    }

    #[cold]
    fn shut(&self) -> Option<LongAccess<'a>> {
        let state = &self.cell.state;
        // Acquire pairs with the Release of whoever has opened it.
        state
            .compare_exchange(OPEN, HELD, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        self.parties.fence();
        for _ in 0..LOOKS {
            // What those that were within a short access have done is visible.
            if !self.parties.is_anybody_inside() {
                return Some(LongAccess(self.cell));
            }
            relax();
        }
        // Release: nothing has been done, but the order of the states is that of the others.
        state.store(OPEN, Ordering::Release);
        None
    }
}

impl Drop for LongAccess<'_> {
    fn drop(&mut self) {
        // Release: those that come later see what was done.
        self.0.state.store(SHUT, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const WORTH: ExclusionWorth = ExclusionWorth { fence: 10, wait: 5 };

    /// Long accesses follow each other until a short one comes, and none begins within a short one.
    fn check(exclusion: RareExclusion<'_>) {
        assert!(exclusion.exclude(6).is_none(), "it is not worth the fence");
        // Tests of other values may be pinned just then.
        while exclusion.exclude(10).is_none() {
            relax();
        }
        let long = exclusion.exclude(1).expect("nobody has come between");
        assert!(exclusion.exclude(4).is_none(), "it is not worth waiting");
        drop(long);
        let shared = exclusion.share();
        assert!(exclusion.exclude(1).is_none(), "somebody has");
        assert!(exclusion.exclude(10).is_none(), "somebody is inside");
        drop(shared);
        while exclusion.exclude(10).is_none() {
            relax();
        }
        let is_kept_out = exclusion.share_while(|| exclusion.exclude(10).is_none());
        assert!(is_kept_out, "somebody is inside");
    }

    #[test]
    fn long_accesses_of_a_process_exclude_short_ones() {
        let cell = ExclusionCell::default();
        if enable_exclusion() {
            check(RareExclusion::within_process(&cell, WORTH, true));
        }
    }

    #[test]
    fn long_accesses_of_a_node_exclude_short_ones() {
        let (cell, seats) = (ExclusionCell::default(), [(); 3].map(|()| AccessSeat::default()));
        let [one, other] = [&[0][..], &[1, 2]].map(|own| SeatHolder::new(&seats, own));
        if !seats[0].is_ready() {
            return;
        }
        check(RareExclusion::within_node(&cell, WORTH, &seats, &one));
        let other = RareExclusion::within_node(&cell, WORTH, &seats, &other);
        let shared = other.share();
        let one = RareExclusion::within_node(&cell, WORTH, &seats, &one);
        assert!(one.exclude(20).is_none(), "another process is inside");
        drop(shared);
        assert!(one.exclude(20).is_some());
        assert!(other.exclude(1).is_some());
    }

    #[test]
    fn nobody_is_excluded_before_all_processes_take_part() {
        let (cell, seats) = (ExclusionCell::default(), [(); 2].map(|()| AccessSeat::default()));
        let holder = SeatHolder::new(&seats, &[0]);
        let exclusion = RareExclusion::within_node(&cell, WORTH, &seats, &holder);
        assert!(exclusion.exclude(20).is_none());
    }
}
