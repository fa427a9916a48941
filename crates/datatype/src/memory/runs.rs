//! The runs of equal elements of which a layout consists, in the order of its data.

use super::view::View;
use crate::datatype::Datatype;

/// Elements of one predefined datatype that follow each other in memory without other gaps than their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where the first one begins, in bytes from the address of the buffer.
    pub offset: isize,
    /// Number of elements.
    pub count: usize,
}

/// The runs of a buffer, whatever its address.
pub struct Runs<'a> {
    view: View<'a>,
    unit: usize,
    is_dense: bool,
    /// Bytes of data before the next run.
    position: usize,
    end: usize,
    hint: usize,
}

impl<'a> Runs<'a> {
    /// The runs of `count` elements of a datatype, which consists of units of this predefined datatype only.
    #[must_use]
    pub fn new(datatype: &'a Datatype, count: usize, unit: &Datatype) -> Self {
        Self {
            view: View::new(datatype, count),
            unit: unit.size(),
            is_dense: unit.is_contiguous(),
            position: 0,
            end: count.saturating_mul(datatype.size()),
            hint: 0,
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline]
    fn next(&mut self) -> Option<Run> {
        if self.position >= self.end || self.unit == 0 {
            return None;
        }
        let segment = self.view.at(self.position, &mut self.hint);
        // A unit with a gap is more than one segment, or its neighbour does not follow at once.
        let count = if self.is_dense {
            (segment.head / self.unit).max(1)
        } else {
            1
        };
        self.position += count * self.unit;
        Some(Run {
            offset: segment.offset,
            count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Basic;

    #[test]
    fn layouts_are_cut_into_runs() {
        let int = Datatype::Basic(Basic::Int);
        let runs = |datatype: &Datatype, count, unit: &Datatype| -> Vec<(isize, usize)> {
            Runs::new(datatype, count, unit)
                .map(|run| (run.offset, run.count))
                .collect()
        };
        assert_eq!(runs(&int, 5, &int), [(0, 5)]);
        assert_eq!(runs(&int, 0, &int), []);
        let vector = Datatype::vector(2, 2, 3, &int).unwrap();
        assert_eq!(runs(&vector, 2, &int), [(0, 2), (12, 2), (20, 2), (32, 2)]);
        assert_eq!(runs(&vector, 1, &Datatype::Basic(Basic::Byte)), [(0, 8), (12, 8)]);
        let pair = Datatype::Basic(Basic::ShortInt);
        assert_eq!(runs(&pair, 2, &pair), [(0, 1), (8, 1)]);
        let pair = Datatype::Basic(Basic::DoubleInt);
        assert_eq!(runs(&pair, 2, &pair), [(0, 1), (16, 1)]);
    }
}
