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
