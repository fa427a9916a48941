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
//! | `HELD` | wait | waits |
//!
//! A short access pins its execution context, issues a light fence, and reads `state`. So either the one that holds it
//! sees the pin after its heavy fence, or the other one sees `HELD`. Execution contexts may be pinned for other
//! reasons, and for long. So a long access that finds somebody pinned gives up after a few looks: then it is done in
//! the way of short ones.
//!
//! # Costs
//!
//! A short access costs two plain stores and a load. A long access that follows another one costs an exchange. The
//! first one costs a system call and a look at all control blocks, so it waits until long accesses have brought as much
//! work as that.

use super::pin::{Pin, is_anybody_pinned};
use crate::sync::asymmetric_fence::{enable_heavy_fence, heavy_fence};
use crate::sync::{AtomicU32, Ordering, relax, wait_for};

const OPEN: u32 = 0;
const SHUT: u32 = 1;
const HELD: u32 = 2;

/// How often a long access looks whether all short ones have ended.
const LOOKS: u32 = 32;

/// Lets short accesses go on side by side, and long ones by themselves.
pub struct RareExclusion {
    state: AtomicU32,
    /// The work of long accesses that have come since it was opened.
    work: AtomicU32,
    /// The work that is worth a heavy fence; none if the kernel has no heavy fences.
    worth: Option<u32>,
}

/// A short access, which excludes long ones.
pub struct SharedAccess(#[expect(dead_code, reason = "held for its drop")] Pin);

/// A long access, which excludes all others.
pub struct LongAccess<'a>(&'a RareExclusion);

impl RareExclusion {
    /// One that is open, for which so much work is worth a heavy fence.
    #[must_use]
    pub fn new(worth: u32) -> Self {
        Self {
            state: AtomicU32::new(OPEN),
            work: AtomicU32::new(0),
            worth: enable_heavy_fence().then_some(worth),
        }
    }

    /// Begins a short access, after the long one if there is one.
    #[inline]
    #[must_use]
    pub fn share(&self) -> SharedAccess {
        let pin = Pin::new();
        // Acquire pairs with the Release of the last long access.
        if self.state.load(Ordering::Acquire) == OPEN {
            return SharedAccess(pin);
        }
        drop(pin);
        self.open()
    }

    #[cold]
    fn open(&self) -> SharedAccess {
        wait_for(|| {
            let pin = Pin::new();
            // Acquire as in `share`. Release: a long access that sees that it is open sees the pin.
            let opened = self
                .state
                .compare_exchange(SHUT, OPEN, Ordering::AcqRel, Ordering::Acquire);
            (opened != Err(HELD)).then(|| SharedAccess(pin))
        })
    }

    /// Begins a long access, which brings so much work; none if it has to be done as a short one.
    #[must_use]
    pub fn exclude(&self, work: u32) -> Option<LongAccess<'_>> {
        let worth = self.worth?;
        let found = wait_for(|| {
            // Acquire pairs with the Release of the last long access.
            let found = self
                .state
                .compare_exchange(SHUT, HELD, Ordering::Acquire, Ordering::Relaxed);
            (found != Err(HELD)).then_some(found)
        });
        if found.is_ok() {
            return Some(LongAccess(self));
        }
        // Relaxed: a hint, of which a part may be lost.
        let sum = self.work.load(Ordering::Relaxed).saturating_add(work);
        self.work
            .store(if sum < worth { sum } else { 0 }, Ordering::Relaxed);
        (sum >= worth).then(|| self.shut()).flatten()
    }

    #[cold]
    fn shut(&self) -> Option<LongAccess<'_>> {
        // Acquire pairs with the Release of whoever has opened it.
        self.state
            .compare_exchange(OPEN, HELD, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        heavy_fence();
        for _ in 0..LOOKS {
            // What those that were within a short access have done is visible.
            if !is_anybody_pinned() {
                return Some(LongAccess(self));
            }
            relax();
        }
        // Release: nothing has been done, but the order of the states is that of the others.
        self.state.store(OPEN, Ordering::Release);
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

    #[test]
    fn long_accesses_follow_each_other_until_a_short_one_comes() {
        let exclusion = RareExclusion::new(10);
        if exclusion.worth.is_none() {
            return;
        }
        assert!(exclusion.exclude(6).is_none(), "it is not worth the fence");
        // Tests of other values may be pinned just then.
        while exclusion.exclude(10).is_none() {
            relax();
        }
        assert!(exclusion.exclude(1).is_some(), "nobody has come between");
        drop(exclusion.share());
        assert!(exclusion.exclude(1).is_none(), "somebody has");
    }

    #[test]
    fn a_long_access_does_not_begin_within_a_short_one() {
        let exclusion = RareExclusion::new(1);
        let shared = exclusion.share();
        assert!(exclusion.exclude(10).is_none());
        drop(shared);
    }
}
