//! How the partitions of two sides lie across each other.

use std::ops::Range;

/// Equal partitions of both sides, by number and bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) sent: Partitions,
    pub(super) received: Partitions,
}

/// A number of partitions of equal size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partitions {
    pub(super) count: usize,
    /// Elements of each.
    pub(super) elements: usize,
    /// Bytes of each.
    pub(super) bytes: usize,
}

impl Partitions {
    /// The partitions that together have so many bytes in so many elements.
    pub(super) fn of(bytes: usize, elements: usize, count: usize) -> Self {
        let each = |whole: usize| whole.checked_div(count).unwrap_or(0);
        Self {
            count,
            elements: each(elements),
            bytes: each(bytes),
        }
    }

    /// Whether these partitions are as many and as long as others.
    fn is_like(self, others: Self) -> bool {
        self.count == others.count && self.bytes == others.bytes
    }

    /// Those that partition `index` of `others` overlaps, if both begin at the same place.
    fn overlapped_by(self, others: Self, index: usize) -> Range<usize> {
        if self.is_like(others) {
            return index..index + 1;
        }
        if self.bytes == 0 || others.bytes == 0 {
            // There is no data to tell by: each belongs to all.
            return 0..self.count;
        }
        let begin = others.bytes * index;
        let first = begin / self.bytes;
        let last = (begin + others.bytes - 1) / self.bytes;
        first.min(self.count)..(last + 1).min(self.count)
    }
}

impl Split {
    /// Whether each of the sender's partitions goes to one of the receiver's.
    pub(super) fn is_even(self) -> bool {
        self.sent.is_like(self.received)
    }

    /// The receiver's partitions that the sender's partition touches.
    pub(super) fn touched(self, sent: usize) -> Range<usize> {
        self.received.overlapped_by(self.sent, sent)
    }

    /// The number of the sender's partitions that touch the receiver's.
    pub(super) fn sources(self, received: usize) -> usize {
        self.sent.overlapped_by(self.received, received).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(sent: (usize, usize), received: (usize, usize)) -> Split {
        let partitions = |(count, bytes)| Partitions::of(count * bytes, count, count);
        Split {
            sent: partitions(sent),
            received: partitions(received),
        }
    }

    #[test]
    fn partitions_overlap_where_their_bytes_do() {
        let three_to_two = split((3, 4), (2, 6));
        assert_eq!(
            [0, 1, 2].map(|sent| three_to_two.touched(sent)),
            [0..1, 0..2, 1..2]
        );
        assert_eq!([0, 1].map(|received| three_to_two.sources(received)), [2, 2]);
        assert_eq!(split((4, 0), (4, 0)).touched(2), 2..3);
        assert_eq!(split((4, 0), (2, 0)).touched(2), 0..2);
        assert_eq!(split((4, 0), (2, 0)).sources(1), 4);
        assert_eq!(split((0, 0), (2, 0)).sources(1), 0);
        assert_eq!(split((1, 8), (4, 8)).touched(0), 0..1);
        assert_eq!(split((1, 8), (4, 8)).sources(3), 0);
        assert_eq!(split((2, 8), (1, 8)).touched(1), 1..1);
    }

    proptest! {
        #[test]
        fn both_sides_count_the_same_overlaps(
            sent in (0_usize..20, 0_usize..9),
            received in (0_usize..20, 0_usize..9),
        ) {
            let split = split(sent, received);
            let mut sources = vec![0; received.0];
            for touched in (0..sent.0).map(|sent| split.touched(sent)) {
                touched.for_each(|received| sources[received] += 1);
            }
            let counted: Vec<_> = (0..received.0).map(|received| split.sources(received)).collect();
            prop_assert_eq!(sources, counted);
        }
    }
}
