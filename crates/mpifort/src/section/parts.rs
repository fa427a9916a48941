//! A section as contiguous blocks of the same size, at distances.

use super::{Descriptor, MAX_RANK};

/// Blocks that repeat so many times at a distance in bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) times: i64,
    pub(crate) distance: i64,
}

/// A section: its largest contiguous blocks, and how they are repeated, the innermost repetition first.
pub(crate) struct Parts {
    block: i64,
    levels: [Level; MAX_RANK],
    depth: usize,
}

impl Parts {
    /// The parts of a section. Dimensions that continue one another are one.
    pub(crate) fn of(descriptor: &Descriptor) -> Self {
        let mut parts = Self {
            block: descriptor.element as i64,
            levels: [Level::default(); MAX_RANK],
            depth: 0,
        };
        for dimension in descriptor.dimensions() {
            parts.repeat(dimension.extent as i64, dimension.stride as i64);
        }
        parts
    }

    fn repeat(&mut self, times: i64, distance: i64) {
        if times == 1 {
            return;
        }
        match self.levels.get_mut(..self.depth).and_then(<[Level]>::last_mut) {
            None if distance == self.block => self.block *= times,
            Some(last) if distance == last.distance * last.times => last.times *= times,
            _ => {
                if let Some(level) = self.levels.get_mut(self.depth) {
                    *level = Level { times, distance };
                    self.depth += 1;
                }
            }
        }
    }

    /// The size of a block in bytes.
    pub(crate) fn block(&self) -> i64 {
        self.block
    }

    /// The repetitions, the innermost one first.
    pub(crate) fn levels(&self) -> &[Level] {
        self.levels.get(..self.depth).unwrap_or(&[])
    }

    /// The size of all blocks in bytes.
    pub(crate) fn bytes(&self) -> i64 {
        self.levels().iter().map(|level| level.times).product::<i64>() * self.block
    }

    /// The distance from each block to the next, if there is only one.
    pub(crate) fn only_distance(&self) -> Option<i64> {
        match self.levels() {
            [level] => Some(level.distance),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use core::ptr;

    use super::super::Dimension;
    use super::*;

    /// A descriptor with its dimensions.
    #[repr(C)]
    struct Whole {
        descriptor: Descriptor,
        dimensions: [Dimension; MAX_RANK],
    }

    /// The parts of a section of elements of 4 bytes: (number of elements, distance in bytes) of each dimension.
    fn parts(dimensions: &[(isize, isize)]) -> Parts {
        let unused = Dimension {
            lower: 0,
            extent: 1,
            stride: 0,
        };
        let descriptor = Descriptor {
            base: ptr::null_mut(),
            element: 4,
            version: 1,
            rank: dimensions.len() as u8,
            others: [0; 3],
            dimensions: [],
        };
        let mut whole = Whole {
            descriptor,
            dimensions: [unused; MAX_RANK],
        };
        for (place, &(extent, stride)) in whole.dimensions.iter_mut().zip(dimensions) {
            *place = Dimension {
                lower: 0,
                extent,
                stride,
            };
        }
        Parts::of(&whole.descriptor)
    }

    fn levels(parts: &Parts) -> Vec<(i64, i64)> {
        let levels = parts.levels().iter();
        levels.map(|level| (level.times, level.distance)).collect()
    }

    #[test]
    fn dimensions_that_continue_one_another_are_one() {
        // All of a(6, 5, 4) but the last column of each plane: 24 elements, four times.
        let columns = parts(&[(6, 4), (4, 24), (4, 120)]);
        assert_eq!((columns.block(), columns.bytes()), (96, 384));
        assert_eq!(levels(&columns), [(4, 120)]);
        // a(2, :, :): every sixth element.
        let face = parts(&[(5, 24), (4, 120)]);
        assert_eq!((face.block(), levels(&face)), (4, vec![(20, 24)]));
        assert_eq!(face.only_distance(), Some(24));
    }

    #[test]
    fn others_are_levels() {
        let corners = parts(&[(3, 8), (2, 96), (1, 77), (2, 480)]);
        assert_eq!(levels(&corners), [(3, 8), (2, 96), (2, 480)]);
        assert_eq!((corners.bytes(), corners.only_distance()), (48, None));
        let backwards = parts(&[(6, -4)]);
        assert_eq!((backwards.block(), levels(&backwards)), (4, vec![(6, -4)]));
    }
}
