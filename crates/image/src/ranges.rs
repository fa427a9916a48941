//! Ranges of addresses, one for each rank, in which its images lie with what belongs to them.

use std::ops::Range;

/// The room for a rank's arguments and environment. The kernel grants a process no more.
const STRINGS: usize = 8 << 20;
/// The part of a range that is for the data segment (`brk`).
const DATA: usize = 4;

/// Ranges of equal size at equal distances, which have been reserved by mappings that nobody can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRanges {
    /// The beginning of the first one.
    pub start: usize,
    /// From the beginning of one to that of the next: a power of two.
    pub distance: usize,
    /// The size of each.
    pub size: usize,
    /// Their number.
    pub count: usize,
}

impl ImageRanges {
    fn start_of(&self, number: usize) -> usize {
        self.start + number * self.distance
    }

    /// The room for arguments and environment.
    pub(crate) fn strings(&self, number: usize) -> Range<usize> {
        let start = self.start_of(number);
        start..start + STRINGS
    }

    /// The addresses of the data segment.
    pub(crate) fn data_segment(&self, number: usize) -> Range<usize> {
        let start = self.strings(number).end;
        start..start + self.size / DATA
    }

    /// The addresses for images.
    pub(crate) fn images(&self, number: usize) -> Range<usize> {
        self.data_segment(number).end..self.start_of(number) + self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_range_follow_each_other() {
        let ranges = ImageRanges {
            start: 3 << 40,
            distance: 1 << 28,
            size: 1 << 25,
            count: 8,
        };
        let parts = [ranges.strings(2), ranges.data_segment(2), ranges.images(2)];
        assert_eq!(parts[0].start, (3 << 40) + (2 << 28));
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(parts.iter().all(|part| !part.is_empty()));
        assert_eq!(parts[2].end, parts[0].start + (1 << 25));
    }
}
