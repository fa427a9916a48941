//! The division of a collective's work into shares.

use std::ops::Range;

use crate::limits::SHARE_GRAIN;

/// The part of a collective's work that one rank does: share `index` of `of`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    index: usize,
    of: usize,
}

impl Share {
    /// The whole work.
    pub(crate) const ALL: Share = Share { index: 0, of: 1 };

    /// No part of the work.
    pub(crate) const NONE: Share = Share {
        index: usize::MAX,
        of: 1,
    };

    /// The share of seat `index` when `of` seats work.
    pub(crate) fn one(index: usize, of: usize) -> Self {
        Self { index, of }
    }

    /// How many of `all` pieces of the whole work belong to this share; one at least.
    pub(crate) fn pieces_of(self, all: usize) -> usize {
        all.div_ceil(self.of).max(1)
    }

    /// Piece `index` of this share, when it is divided into `pieces`.
    pub(crate) fn piece(self, index: usize, pieces: usize) -> Self {
        Self {
            index: self.index.saturating_add(index * self.of),
            of: self.of * pieces,
        }
    }

    /// The seats that belong to this share, of `size`.
    pub(crate) fn seats(self, size: usize) -> impl Iterator<Item = usize> {
        (self.index..size).step_by(self.of)
    }

    /// Whether it is the whole work.
    pub(crate) fn is_all(self) -> bool {
        self.of == 1 && self.index == 0
    }

    /// Whether a seat belongs to this share.
    pub(crate) fn is_of(self, seat: usize) -> bool {
        seat % self.of == self.index
    }

    /// The seats of a range that belong to this share.
    pub(crate) fn among(self, seats: Range<usize>) -> impl Iterator<Item = usize> {
        self.seats(seats.len()).map(move |index| seats.start + index)
    }

    /// The elements that belong to this share, of `count` elements of `bytes` each: start and number.
    ///
    /// Slices depend on these numbers alone, so that results are the same from run to run.
    pub(crate) fn slice(self, count: usize, bytes: usize) -> (usize, usize) {
        let grain = (SHARE_GRAIN / bytes.max(1)).max(1);
        let step = count.div_ceil(self.of).next_multiple_of(grain);
        let start = step.saturating_mul(self.index).min(count);
        (start, step.min(count - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_everything_once() {
        for (count, bytes, of) in [(0, 8, 3), (1, 8, 64), (100_000, 4, 7), (513, 4096, 64), (5, 0, 2)] {
            let mut next = 0;
            for index in 0..of {
                let (start, len) = Share { index, of }.slice(count, bytes);
                assert!(
                    len == 0 || start == next,
                    "{count} {bytes} {of}: {start} != {next}"
                );
                next += len;
            }
            assert_eq!(next, count);
        }
    }

    #[test]
    fn every_seat_is_in_one_share() {
        assert_eq!(Share::ALL.seats(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(Share::one(2, 4).seats(4).collect::<Vec<_>>(), [2]);
        let of_three = |index| (0..7).filter(move |seat| Share::one(index, 3).is_of(*seat));
        assert!((0..3).all(|index| of_three(index).eq(Share::one(index, 3).seats(7))));
        assert_eq!(Share::one(1, 2).among(5..8).collect::<Vec<_>>(), [6]);
        assert_eq!(Share::NONE.seats(4).count(), 0);
        assert_eq!(Share::NONE.slice(1000, 8).1, 0);
    }
}
