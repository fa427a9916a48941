//! Memory for partial results.

use super::buffer::{Source, Target};
use crate::datatype::Datatype;

/// Enough for a few elements, so that short reductions do not allocate.
const INLINE: usize = 16;

/// Memory of the engine's own that holds elements of a datatype in the datatype's own layout, gaps included.
pub(crate) struct Scratch {
    inline: [u128; INLINE],
    heap: Vec<u128>,
    count: usize,
    datatype: Datatype,
    /// From the first byte of memory to the address of the first element.
    origin: usize,
}

impl Scratch {
    /// Memory for `count` elements of `datatype`.
    pub(crate) fn new(datatype: &Datatype, count: usize) -> Self {
        let (origin, bytes) = span(datatype, count);
        let words = bytes.div_ceil(size_of::<u128>());
        let heap = if words > INLINE {
            vec![0; words]
        } else {
            Vec::new()
        };
        Self {
            inline: [0; INLINE],
            heap,
            count,
            datatype: datatype.clone(),
            origin,
        }
    }

    /// Gives the first `count` elements to `user`, to be read and written; it must not keep them.
    pub(crate) fn with<R>(&mut self, count: usize, user: impl FnOnce(&Source, &Target) -> R) -> R {
        let base = if self.heap.is_empty() {
            self.inline.as_mut_ptr()
        } else {
            self.heap.as_mut_ptr()
        };
        let address = base.cast::<u8>().wrapping_add(self.origin);
        let count = count.min(self.count);
        // SAFETY:
        // - the memory holds `self.count` elements from `origin` on, is initialised, and is borrowed until we return.
        let target = unsafe { Target::new(address, count, self.datatype.clone()) };
        user(&target.as_source(), &target)
    }
}

/// Where the first of `count` elements lies, aligned like the memory, so that nothing lies before the memory, and the
/// bytes of memory needed. Numbers saturate: what is too large for the address space cannot be allocated either.
fn span(datatype: &Datatype, count: usize) -> (usize, usize) {
    let far = isize::try_from(count)
        .unwrap_or(isize::MAX)
        .saturating_sub(1)
        .saturating_mul(datatype.extent());
    let low = datatype
        .true_lb()
        .min(datatype.lb())
        .saturating_add(far.min(0))
        .min(0);
    let high = datatype
        .true_lb()
        .saturating_add(datatype.true_extent())
        .max(datatype.ub());
    let high = high.saturating_add(far.max(0)).max(0);
    let origin = low.unsigned_abs().next_multiple_of(size_of::<u128>());
    (origin, origin.saturating_add(high.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Basic;

    #[test]
    fn elements_lie_inside_the_memory() {
        let int = Datatype::Basic(Basic::Int);
        let backwards = Datatype::vector(3, 2, -5, &int).unwrap();
        for (datatype, count) in [
            (&int, 0),
            (&int, 1),
            (&int, 1000),
            (&backwards, 1),
            (&backwards, 50),
        ] {
            let (origin, bytes) = span(datatype, count);
            let low = datatype.true_lb() + (count.max(1) as isize - 1) * datatype.extent().min(0);
            assert!(origin as isize + low >= 0);
            assert!(bytes >= datatype.size() * count, "{count}");
            assert!(origin.is_multiple_of(16));
        }
    }
}
