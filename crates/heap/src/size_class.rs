//! Size classes: the sizes of blocks.
//!
//! Up to 128 bytes the sizes are the multiples of 16. Above that each doubling has four, so that at most a fifth of a
//! block is unused.

/// The alignment of every block.
pub(crate) const ALIGNMENT: usize = 16;
/// The largest size that [`near`] takes.
pub(crate) const NEAR: usize = 1024;
/// The largest size of a class.
pub(crate) const LARGEST: usize = 32 << 10;
/// The number of classes.
pub(crate) const CLASSES: usize = 40;

/// The classes that are multiples of [`STEP`].
const EVEN: usize = 8;
const STEP: usize = ALIGNMENT;
/// The binary logarithm of the size above which each doubling has four.
const FIRST_DOUBLING: usize = (EVEN * STEP).ilog2() as usize;

/// The class of each size up to [`NEAR`], in steps of 16 bytes.
static NEAR_CLASSES: [u8; NEAR / STEP + 1] = near_classes();

const fn near_classes() -> [u8; NEAR / STEP + 1] {
    let mut classes = [0; NEAR / STEP + 1];
    let (mut step, mut class) = (0, 0);
    while step < classes.len() {
        while size_of_class(class) < step * STEP {
            class += 1;
        }
        classes[step] = class as u8;
        step += 1;
    }
    classes
}

/// The size of the blocks of a class.
pub(crate) const fn size_of_class(class: usize) -> usize {
    if class < EVEN {
        return (class + 1) * STEP;
    }
    let above = class - EVEN;
    let base = (EVEN * STEP) << (above / 4);
    base + base / 4 * (above % 4 + 1)
}

/// The class of a size of at most [`NEAR`] bytes.
#[inline(always)]
pub(crate) fn near(size: usize) -> usize {
    usize::from(NEAR_CLASSES[size.div_ceil(STEP)])
}

/// The class of a size of more than [`NEAR`] bytes, and at most [`LARGEST`].
#[inline(always)]
fn far(size: usize) -> usize {
    let below = size - 1;
    let doubling = below.ilog2() as usize;
    let quarter = (below >> (doubling - 2)) & 3;
    (doubling - FIRST_DOUBLING) * 4 + EVEN + quarter
}

/// The class of a size of at most [`LARGEST`] bytes.
#[inline]
pub(crate) fn of(size: usize) -> usize {
    if size <= NEAR { near(size) } else { far(size) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn at_most_a_fifth_of_a_block_is_unused() {
        for size in 129..=LARGEST {
            let block = size_of_class(of(size));
            assert!((block - size) * 5 <= block, "{size} in {block}");
        }
    }
}
