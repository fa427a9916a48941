//! The short way of the most frequent operations: elements of one predefined datatype without gaps, as many at the
//! target as at the origin, in memory that this host can access, or the kernel for it (`across`), or another process of
//! the node (`short_request`). It checks everything once, and does nothing where it cannot tell that all is right: then
//! the general way tells what is wrong, or does it (`operation`).

use super::Window;
use super::epoch::Epochs;
use super::operation::is_comparable;
use super::shared::Part;
use crate::instrument;
use crate::memory::{Dense, Region, Source, Target};
use crate::op::BuiltinOp;
use simurgh_core::sync::SpinGuard;

/// The memory of a rank, for the short way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// None where this host cannot access it, in dynamic windows, and where accesses are checked or all are counted.
    region: Option<Region>,
    unit: usize,
}

impl Reach {
    /// Of a rank with this part, whose memory goes the short way or never does.
    pub(super) fn of(part: &Part, is_short: bool) -> Self {
        Self {
            region: part.region().copied().filter(|_| is_short),
            unit: part.unit(),
        }
    }

    /// Whether this host can access it.
    pub(super) fn is_at_hand(&self) -> bool {
        self.region.is_some()
    }
}

impl Window {
    /// The memory of a rank to which this one has access now, and a displacement in bytes; none if there is none, or if
    /// it takes longer to find out, or a tool counts operations.
    #[inline(always)]
    fn reach(&self, rank: i32, displacement: isize) -> Option<(&Region, isize)> {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let Reach { region, unit } = self.reach.get(seat as usize)?;
        let displacement = displacement.checked_mul(unit.cast_signed())?;
        let region = region.as_ref()?;
        let is_open = !instrument::on() && self.open.allows(seat);
        is_open.then_some((region, displacement))
    }

    /// [`Window::put`] to elements of the same datatype, as many. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn put_plain(&self, origin: Dense<*const u8>, rank: i32, displacement: isize) -> bool {
        match self.reach(rank, displacement) {
            Some((region, displacement)) => region.write(displacement, origin),
            None => self.put_across(origin, rank, displacement),
        }
    }

    /// [`Window::get`] of elements of the same datatype, as many. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn get_plain(&self, origin: Dense<*mut u8>, rank: i32, displacement: isize) -> bool {
        match self.reach(rank, displacement) {
            Some((region, displacement)) => region.read(displacement, origin),
            None => self.get_across(origin, rank, displacement),
        }
    }

    /// [`Window::fetch_and_op`] on an element of the same datatype. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn fetch_plain(
        &self,
        (origin, op): (&Source, BuiltinOp),
        result: &Target,
        rank: i32,
        displacement: isize,
    ) -> bool {
        let Some(known) = op.known_update(origin.datatype()) else {
            return false;
        };
        match self.reach(rank, displacement) {
            Some((region, displacement)) => {
                region.update(self.shared.stripes(), displacement, known, (origin, result))
            }
            None => self.fetch_across((origin, op, known), result, rank, displacement),
        }
    }

    /// [`Window::accumulate`] of elements of the same datatype, as many. False, with nothing done, if that takes the
    /// general way.
    #[inline(always)]
    #[must_use]
    pub fn accumulate_plain(
        &self,
        (origin, op): (&Source, BuiltinOp),
        rank: i32,
        displacement: isize,
    ) -> bool {
        let Some(known) = op.known_update(origin.datatype()) else {
            return false;
        };
        match self.reach(rank, displacement) {
            Some((region, displacement)) => {
                region.accumulate(self.shared.stripes(), displacement, known, origin)
            }
            None => self.accumulate_across((origin, op), rank, displacement),
        }
    }

    /// [`Window::compare_and_swap`] of elements of the same datatype. False, with nothing done, if that takes the
    /// general way.
    #[inline(always)]
    #[must_use]
    pub fn swap_plain(
        &self,
        (origin, compare): (&Source, &Source),
        result: &Target,
        rank: i32,
        displacement: isize,
    ) -> bool {
        if !is_comparable(origin.datatype()) {
            return false;
        }
        match self.reach(rank, displacement) {
            Some((region, displacement)) => {
                region.swap(self.shared.stripes(), displacement, (compare, origin), result)
            }
            None => self.swap_across((origin, compare), result, rank, displacement),
        }
    }

    /// Whether a flush of a rank has nothing to do but to let others run. False if it takes the general way.
    #[inline(always)]
    pub(super) fn is_flushed(&self, rank: i32) -> bool {
        let seat = rank.cast_unsigned();
        let is_rank = (seat as usize) < self.reach.len();
        self.is_direct && is_rank && self.open.is_locked(seat) && !instrument::on()
    }

    /// Locks the rank's epochs.
    #[inline]
    pub(super) fn epochs(&self) -> SpinGuard<'_, Epochs> {
        let mut epochs = self.epochs.lock_serialized(self.process.serialized());
        if let Some(news) = self.open.news() {
            epochs.note(&news);
        }
        epochs
    }
}
