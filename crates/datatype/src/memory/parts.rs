//! A buffer of one part for each rank.

use simurgh_core::sync::Arc;

use super::buffer::{Source, Target};
use super::mixed_parts::MixedParts;
use super::numbers::Numbers;

/// A buffer that has a part for every rank.
#[derive(Clone, Debug)]
pub enum Parts<B> {
    /// Equal parts, one after the other. The first is given.
    ///
    /// The promise made for the first part holds for as many as there are ranks.
    Even(B),
    /// Parts of one datatype, with counts and displacements in units of its extent. The buffer is given without
    /// elements.
    ///
    /// The promise that would be made for each part holds for all of them.
    Listed(B, Numbers, Numbers),
    /// Parts with a datatype each. The buffer is given without elements.
    ///
    /// The promise that would be made for each part holds for all of them.
    Mixed(B, Arc<MixedParts>),
    /// A part for each rank, in rank order.
    Each(Box<[B]>),
}

impl<B> Parts<B> {
    /// The first of equal parts, which is the whole of a buffer that is not divided; none for other parts.
    #[inline]
    pub fn whole(&self) -> Option<&B> {
        match self {
            Parts::Even(first) => Some(first),
            Parts::Listed(..) | Parts::Mixed(..) | Parts::Each(_) => None,
        }
    }

    /// The same parts, with copies of the program's arrays of counts and displacements, which may then change.
    #[inline]
    pub fn kept(self) -> Self {
        match self {
            Parts::Listed(base, counts, displacements) => {
                Parts::Listed(base, counts.iter().collect(), displacements.iter().collect())
            }
            parts => parts,
        }
    }
}

macro_rules! parts {
    ($buffer:ty) => {
        impl Parts<$buffer> {
            /// The part of `rank`; `None` if there is none.
            #[inline]
            #[must_use]
            pub fn part(&self, rank: usize) -> Option<$buffer> {
                match self {
                    Parts::Even(first) => Some(first.repeated(rank)),
                    Parts::Listed(base, counts, displacements) => {
                        let displacement = displacements.get(rank)?;
                        Some(base.shifted(displacement as isize, counts.count(rank)))
                    }
                    Parts::Mixed(base, mixed) => Some(base.placed(mixed.place(rank)?)),
                    Parts::Each(parts) => parts.get(rank).cloned(),
                }
            }

            /// Bytes of data in the parts of `ranks` ranks.
            #[inline]
            #[must_use]
            pub fn bytes(&self, ranks: usize) -> usize {
                match self {
                    Parts::Even(first) => first.bytes().saturating_mul(ranks),
                    Parts::Listed(base, counts, _) => {
                        counts.before(ranks).saturating_mul(base.datatype().size())
                    }
                    Parts::Mixed(_, mixed) => mixed.places().take(ranks).fold(0, |bytes: usize, place| {
                        bytes.saturating_add(place.count.saturating_mul(place.datatype.size()))
                    }),
                    Parts::Each(parts) => parts.iter().take(ranks).map(<$buffer>::bytes).sum(),
                }
            }
        }
    };
}

parts!(Source);
parts!(Target);

impl Parts<Target> {
    /// The parts of `ranks` ranks as one buffer, if they are equal parts, one after the other.
    #[inline]
    pub fn together(&self, ranks: usize) -> Option<Target> {
        let first = self.whole()?;
        Some(first.shifted(0, first.count().checked_mul(ranks)?))
    }

    /// The same memory, to be read.
    #[inline]
    #[must_use]
    pub fn as_source(&self) -> Parts<Source> {
        match self {
            Parts::Even(first) => Parts::Even(first.as_source()),
            Parts::Listed(base, counts, displacements) => {
                Parts::Listed(base.as_source(), counts.clone(), displacements.clone())
            }
            Parts::Mixed(base, mixed) => Parts::Mixed(base.as_source(), Arc::clone(mixed)),
            Parts::Each(parts) => Parts::Each(parts.iter().map(Target::as_source).collect()),
        }
    }
}
