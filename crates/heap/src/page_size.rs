//! Sizes of pages: how many slices a page with blocks of one size has.
//!
//! What is left behind the last block of a page is of no use. On the other hand, a long page has some free block most
//! of the time, and none of its memory serves other sizes. So a page has as few slices as do without much left.

use crate::segment::SLICE;
use crate::size_class::{ALL_CLASSES, LARGEST_OF_MANY, LINE, distance_of_class};

/// The largest block of which so many fit into one slice that pages are not full and empty again all the time.
const SLICE_MOST: usize = 2048;
/// The most slices of a page.
const MOST: usize = 9;
/// The number of larger blocks for which a page has room at least; of those of which a rank has few, one is enough.
const BLOCKS: usize = 4;
/// At most one of so many parts of a page is left, if there is such a page.
const PARTS: usize = 20;
/// The number of different places in pages at which blocks begin, if possible: they are in different sets of a cache.
const BEGINNINGS: usize = 128;
/// The number of blocks for which the first page of a class has room, in fewer slices if these do: a rank may have few
/// blocks of many sizes.
const FIRST_BLOCKS: usize = 6;
const FIRST_BLOCKS_OF_FEW: usize = 2;

/// The slices of a page that is not the first one, by class.
static SLICES: [u8; ALL_CLASSES] = {
    let mut slices = [0; ALL_CLASSES];
    let mut class = 0;
    while class < ALL_CLASSES {
        slices[class] = fitting(distance_of_class(class)) as u8;
        class += 1;
    }
    slices
};

/// Whether blocks at this distance from each other are so large that a rank has few of them.
pub(crate) const fn are_few(distance: usize) -> bool {
    distance > LARGEST_OF_MANY + LINE
}

/// The least slices in which little is left, or those in which the least part is.
const fn fitting(distance: usize) -> usize {
    if distance <= SLICE_MOST {
        return 1;
    }
    let blocks = if are_few(distance) { 1 } else { BLOCKS };
    let mut slices = (distance * blocks).div_ceil(SLICE);
    let mut best = slices;
    while slices <= MOST {
        let is_little = left(distance, slices) * PARTS <= slices * SLICE;
        if is_little && beginnings(distance, slices) >= BEGINNINGS {
            return slices;
        }
        if left(distance, slices) * best < left(distance, best) * slices {
            best = slices;
        }
        slices += 1;
    }
    best
}

/// The bytes of so many slices that are left behind blocks at this distance from each other.
const fn left(distance: usize, slices: usize) -> usize {
    slices * SLICE % distance
}

/// The number of different places, seen from the beginning of a page of so many slices, at which such blocks begin: the
/// lines that are left may be before the first one, or behind the last one.
const fn beginnings(distance: usize, slices: usize) -> usize {
    (slices * SLICE / distance) * (left(distance, slices) / LINE + 1)
}

/// The number of slices of a page with blocks of this class.
pub(crate) fn slices_of_page(class: usize, is_first: bool) -> usize {
    let (distance, slices) = (distance_of_class(class), usize::from(SLICES[class]));
    let first = match are_few(distance) {
        false => FIRST_BLOCKS,
        true => FIRST_BLOCKS_OF_FEW,
    };
    match is_first {
        true => (distance * first).div_ceil(SLICE).min(slices),
        false => slices,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn at_most_an_eighth_of_a_page_is_left() {
        for class in 0..ALL_CLASSES {
            let (distance, slices) = (distance_of_class(class), slices_of_page(class, false));
            assert!(slices <= MOST && slices * SLICE >= distance, "{class}");
            assert!(left(distance, slices) * 8 <= slices * SLICE, "{class}");
        }
    }
}
