//! The ranges of ranks, and what lies where in them.
//!
//! The ranges divide the addresses for heaps, which are the same in each process. The range of a rank is the one with
//! its number in the universe of one launcher, so it is at the same place on all hosts. From its beginning:
//!
//! | part | what lies there |
//! |---|---|
//! | the first 3/4 | the heaps of the rank, with all its blocks |
//! | 1/8 | its arguments and environment, its data segment (`brk`), its images |
//! | 1/8, from the end | its stack, at whose upper end are its thread control block and thread-local variables |

use simurgh_core::StackPlace;
use simurgh_heap::{SHARE_UNIT, addresses, divide};
use simurgh_image::ImageRanges;
use simurgh_settings::{Id, Values};
use std::ops::Range;

/// Stacks of neighbouring ranges end at different distances from the ends of these, so that the same places of all
/// stacks do not share one set of the processor's caches of addresses.
const STAGGERED: usize = 64;

/// The ranges of a job's ranks.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct Ranges {
    size: usize,
}

impl Ranges {
    /// The ranges, if the job's ranks are to be relocatable.
    pub(in crate::host) fn of_job(settings: &Values) -> Option<Self> {
        settings.is_on(Id::Relocatable).then(|| Self {
            size: settings.amount(Id::RankRange).next_power_of_two(),
        })
    }

    /// The number of ranges for which there are addresses.
    pub(super) fn count(&self) -> usize {
        addresses().len() / self.size
    }

    /// The ranges of several ranks, which lie one behind the other.
    pub(super) fn all(&self, numbers: Range<usize>) -> Range<usize> {
        let start = addresses().start;
        start + numbers.start * self.size..start + numbers.end * self.size
    }

    /// The range of a rank.
    pub(super) fn of(&self, number: usize) -> Range<usize> {
        self.all(number..number + 1)
    }

    /// Gives the first part of each range to the heaps of its rank.
    pub(super) fn divide_heaps(&self) {
        divide(self.size, self.heap_size(), self.count());
    }

    /// The part for images.
    pub(in crate::host) fn images(&self) -> ImageRanges {
        ImageRanges {
            start: addresses().start + self.heap_size(),
            distance: self.size,
            size: self.size / 8,
            count: self.count(),
        }
    }

    /// Whether a stack of this size fits, with as much as itself for its guard region.
    pub(super) fn has_room_for_stack(&self, size: usize) -> bool {
        size.saturating_mul(2) <= self.size / 8 - STAGGERED * page_size()
    }

    /// The place of a rank's stack.
    pub(in crate::host) fn stack(&self, number: usize) -> StackPlace {
        let range = self.of(number);
        let high = range.end - number % STAGGERED * page_size();
        // SAFETY:
        // - the range has been reserved, and has one rank; nothing else of it lies in this part.
        unsafe { StackPlace::new(range.end - self.size / 8, high) }
    }

    fn heap_size(&self) -> usize {
        self.size / 4 * 3 / SHARE_UNIT * SHARE_UNIT
    }
}

fn page_size() -> usize {
    simurgh_alloc::page_size()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_range_do_not_overlap() {
        for log in [28, 34, 40] {
            let ranges = Ranges { size: 1 << log };
            let (range, images) = (ranges.of(3), ranges.images());
            let image_start = images.start + 3 * images.distance;
            assert_eq!(range.start % ranges.size, 0);
            assert!(range.start + ranges.heap_size() <= image_start);
            assert_eq!(image_start + images.size, range.end - ranges.size / 8);
            assert_eq!(ranges.all(0..4).end, range.end);
            assert!(ranges.has_room_for_stack(8 << 20) && !ranges.has_room_for_stack(ranges.size / 8));
        }
    }
}
