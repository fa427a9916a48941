//! A buffer of one part for each rank.

use simurgh_core::sync::Arc;

use super::buffer::{Source, Target};
use super::mixed_parts::MixedParts;
use super::numbers::Numbers;

/// A buffer that has a part for every rank.
#[derive(Clone, Debug)]
pub enum Parts<B> {
    /// One part behind the other; all are like the first, which is given.
    ///
    /// The promise made for the first part holds for as many as there are ranks.
    Even(B),
    /// Parts of one datatype, so many elements each, at displacements that are multiples of its extent from a buffer
    /// that is given without elements.
    ///
    /// What would be promised for each part by itself holds for all of them.
    Listed(B, Numbers, Numbers),
    /// Parts of datatypes of their own in a buffer that is given without elements.
    ///
    /// What would be promised for each part by itself holds for all of them.
    Mixed(B, Arc<MixedParts>),
    /// A part for each rank, in rank order.
    Each(Box<[B]>),
}

impl<B> Parts<B> {
    /// The first of evenly spaced parts: the whole of a buffer that is not divided.
    #[inline]
    pub fn whole(&self) -> Option<&B> {
        match self {
            Parts::Even(first) => Some(first),
            Parts::Listed(..) | Parts::Mixed(..) | Parts::Each(_) => None,
        }
    }

    /// The same, whatever becomes of the arrays in which the parts were listed.
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
    /// The parts of so many ranks in one, if they lie one behind the other.
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
