//! Size classes: the sizes of blocks.
//!
//! Up to 128 bytes the sizes are the multiples of 16. Above that each doubling has four, so that at most a fifth of a
//! block is unused. Above 32 KiB it has eight: what is unused of such blocks is more than what pages of more classes
//! leave free.
//!
//! Blocks of 2 KiB and more are *spread*: they lie further apart than their size. Most of these sizes are multiples of
//! large powers of two, so the beginnings of blocks, which programs use most, would share a few sets of each cache.
//! Blocks of up to 32 KiB that a program wants at multiples of more than a cache line have classes of their own.

/// The alignment of every block.
pub(crate) const ALIGNMENT: usize = 16;
/// The largest size that [`near`] takes.
pub(crate) const NEAR: usize = 1024;
/// The largest size of a class.
pub(crate) const LARGEST: usize = 128 << 10;
/// The largest size of the classes of which a rank may have many blocks. Of larger ones, few are kept.
pub(crate) const LARGEST_OF_MANY: usize = 32 << 10;
/// The number of classes that differ in size.
pub(crate) const CLASSES: usize = 56;
/// The number of all classes: those with spread blocks up to [`LARGEST_OF_MANY`] come a second time, with blocks that
/// lie at multiples of their size.
pub(crate) const ALL_CLASSES: usize = CLASSES + OF_MANY - SPREAD;
/// The first class with spread blocks.
const SPREAD: usize = 23;
/// The first class with blocks larger than [`LARGEST_OF_MANY`].
const OF_MANY: usize = 40;
/// The size of a cache line.
pub(crate) const LINE: usize = 64;
/// The bytes between two neighbours that are larger than [`LARGEST_OF_MANY`]: a program that goes through several such
/// arrays at the same time would take a load for one that depends on the store before it if they were a line apart.
const FAR_APART: usize = 9 * LINE;

/// The classes that are multiples of [`STEP`].
const EVEN: usize = 8;
const STEP: usize = ALIGNMENT;

/// The class of each size up to [`NEAR`], in steps of 16 bytes.
static NEAR_CLASSES: [u8; NEAR / STEP + 1] = classes_of_steps(STEP);

/// The sizes of classes above [`NEAR`] are multiples of this.
const FAR_STEP: usize = NEAR / 4;

/// The class of each size up to [`LARGEST`], in steps of 256 bytes. Those of sizes up to [`NEAR`] are not used.
///
/// The class could be computed from the size's highest bit. But the instruction for that waits for what its target
/// register held before, which was the block of the call before in a loop of calls.
static FAR_CLASSES: [u8; LARGEST / FAR_STEP + 1] = classes_of_steps(FAR_STEP);

/// The smallest class that holds so many steps of bytes, for each number of steps.
const fn classes_of_steps<const COUNT: usize>(step: usize) -> [u8; COUNT] {
    let mut classes = [0; COUNT];
    let (mut steps, mut class) = (0, 0);
    while steps < COUNT {
        while size_of_class(class) < steps * step {
            class += 1;
        }
        classes[steps] = class as u8;
        steps += 1;
    }
    classes
}

/// The class of the same size whose blocks are spread, if those of any are.
pub(crate) const fn plain(class: usize) -> usize {
    if class < CLASSES {
        class
    } else {
        class - CLASSES + SPREAD
    }
}

/// Whether blocks of the class are spread.
pub(crate) const fn is_spread(class: usize) -> bool {
    SPREAD <= class && class < CLASSES
}

/// The distance between the beginnings of two blocks of a class that are neighbours.
pub(crate) const fn distance_of_class(class: usize) -> usize {
    let apart = match class {
        SPREAD..OF_MANY => LINE,
        OF_MANY..CLASSES => FAR_APART,
        _ => 0,
    };
    size_of_class(class) + apart
}

/// A number below `count` for the memory that begins at the address. Numbers for memory at equal distances are spread
/// over those that there are, whatever the distance.
pub(crate) fn scattered(address: usize, count: usize) -> usize {
    // Multiples of the golden ratio, as fractions of 2 to the power of 32 (Knuth, The Art of Computer Programming,
    // volume 3, 6.4). They alone would have few numbers for some distances: 18 times the ratio is nearly a whole number
    // and an eighth.
    const RATIO: u32 = 0x9e37_79b9;
    let place = (address / (64 << 10)) as u32;
    let fraction = (place ^ (place >> 5)).wrapping_mul(RATIO);
    ((u64::from(fraction) * count as u64) >> 32) as usize
}

/// The first class for blocks of so many bytes at multiples of an alignment, if pages begin at such; `None` if there is
/// none. The size is at most [`LARGEST`].
pub(crate) fn aligned(size: usize, alignment: usize) -> Option<usize> {
    let fits =
        |class: &usize| size_of_class(*class) >= size && distance_of_class(*class).is_multiple_of(alignment);
    (of(size)..ALL_CLASSES).find(fits)
}

/// The size of the blocks of a class.
pub(crate) const fn size_of_class(class: usize) -> usize {
    let class = plain(class);
    match class {
        0..EVEN => (class + 1) * STEP,
        EVEN..OF_MANY => in_doublings(EVEN * STEP, 4, class - EVEN),
        _ => in_doublings(LARGEST_OF_MANY, 8, class - OF_MANY),
    }
}

/// The size with this number above `base`, if each doubling has so many.
const fn in_doublings(base: usize, of_each: usize, number: usize) -> usize {
    let base = base << (number / of_each);
    base + base / of_each * (number % of_each + 1)
}

/// The class of a size of at most [`NEAR`] bytes.
#[inline(always)]
pub(crate) fn near(size: usize) -> usize {
    usize::from(NEAR_CLASSES[size.div_ceil(STEP)])
}

/// The class of a size of more than [`NEAR`] bytes, and at most [`LARGEST`].
#[inline(always)]
pub(crate) fn far(size: usize) -> usize {
    usize::from(FAR_CLASSES[size.div_ceil(FAR_STEP)])
}

/// The class of a size of at most [`LARGEST`] bytes.
#[inline]
pub(crate) fn of(size: usize) -> usize {
    if size <= NEAR { near(size) } else { far(size) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_size_has_the_smallest_class_that_holds_it() {
        assert_eq!(size_of_class(CLASSES - 1), LARGEST);
        for size in 0..=LARGEST {
            let class = of(size);
            assert!(size_of_class(class) >= size, "{size}");
            assert!(class == 0 || size_of_class(class - 1) < size, "{size}");
        }
    }

    #[test]
    fn spread_blocks_begin_in_different_sets_of_a_cache() {
        assert!(!is_spread(of(1792)) && is_spread(of(1793)) && is_spread(of(LARGEST)));
        for class in of(1793)..CLASSES {
            let sets = (0..8).map(|block| block * distance_of_class(class) / LINE % 64);
            let different: HashSet<_> = sets.collect();
            assert_eq!(different.len(), 8, "{class}");
        }
    }

    #[test]
    fn memory_at_equal_distances_has_many_numbers() {
        for distance in 1..=512 {
            for first in [0, 1000, 70_000, 123_456] {
                let places = (0..40).map(|index| (first + index * distance) * (64 << 10));
                let numbers: HashSet<_> = places.map(|address| scattered(address, 61)).collect();
                assert!(
                    numbers.len() >= 16,
                    "{} at distances of {distance} from {first}",
                    numbers.len()
                );
            }
        }
    }

    #[test]
    fn aligned_blocks_have_a_class_of_that_size_if_there_is_one() {
        for (size, alignment, distance) in [
            (100, 64, 128),
            (100, 4096, 4096),
            (2048, 64, 2112),
            (2048, 128, 2048),
            (4096, 4096, 4096),
            (4097, 4096, 8192),
            (20_000, 1024, 20_480),
            (LARGEST_OF_MANY, 4096, LARGEST_OF_MANY),
            (40_000, 64, 40_960 + FAR_APART),
        ] {
            let class = aligned(size, alignment).expect("there is one");
            assert_eq!(distance_of_class(class), distance, "{size}, {alignment}");
        }
        assert_eq!(aligned(LARGEST_OF_MANY, 1 << 20), None);
        assert_eq!(aligned(40_000, 128), None);
    }

    #[test]
    fn at_most_a_fifth_of_a_block_is_unused() {
        for size in 129..=LARGEST {
            let block = size_of_class(of(size));
            assert!((block - size) * 5 <= block, "{size} in {block}");
        }
    }
}
