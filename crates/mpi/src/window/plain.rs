//! The short way of the most frequent operations: elements of one predefined datatype without gaps, as many at the
//! target as at the origin, in memory that this host can access. It checks everything once, and does nothing where it
//! cannot tell that all is right: then the general way tells what is wrong, or does it (`operation`).

use super::Window;
use super::epoch::Epochs;
use super::shared::Part;
use crate::instrument;
use crate::memory::{Region, Source, Target};
use crate::op::BuiltinOp;
use simurgh_core::sync::SpinGuard;

/// The memory of a rank, for the short way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// None where this host cannot access it, in dynamic windows, and where accesses are checked.
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
}

impl Window {
    /// The memory of a rank to which this one has access now, and a displacement in bytes; none if there is none, or if
    /// it takes longer to find out, or somebody counts operations.
    #[inline(always)]
    fn reach(&self, rank: i32, displacement: isize) -> Option<(&Region, isize)> {
        // A negative rank is a number that is too large.
        let seat = rank.cast_unsigned();
        let Reach { region, unit } = self.reach.get(seat as usize)?;
        let displacement = displacement.checked_mul(unit.cast_signed())?;
        let region = region.as_ref()?;
        if instrument::on() {
            return None;
        }
        self.epochs().allows(seat).then_some((region, displacement))
    }

    /// [`Window::put`] to elements of the same datatype, as many. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn put_plain(&self, origin: &Source, rank: i32, displacement: isize) -> bool {
        let reach = self.reach(rank, displacement);
        reach.is_some_and(|(region, displacement)| region.write(displacement, origin))
    }

    /// [`Window::get`] of elements of the same datatype, as many. False, with nothing done, if that takes the general
    /// way.
    #[inline(always)]
    #[must_use]
    pub fn get_plain(&self, origin: &Target, rank: i32, displacement: isize) -> bool {
        let reach = self.reach(rank, displacement);
        reach.is_some_and(|(region, displacement)| region.read(displacement, origin))
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
        let Some(update) = op.known_update(origin.datatype()) else {
            return false;
        };
        let reach = self.reach(rank, displacement);
        let stripes = self.shared.stripes();
        reach.is_some_and(|(region, displacement)| {
            region.update(stripes, displacement, update, (origin, result))
        })
    }

    /// Locks the rank's epochs.
    #[inline(always)]
    pub(super) fn epochs(&self) -> SpinGuard<'_, Epochs> {
        self.epochs.lock_serialized(self.process.serialized())
    }
}
