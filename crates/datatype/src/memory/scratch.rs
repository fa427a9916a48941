//! Memory for partial results.

use std::mem::MaybeUninit;

use super::buffer::{Source, Target};
use crate::datatype::Datatype;
use crate::limits::REDUCTION_CHUNK;

/// A cache line, to which the memory is aligned.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([MaybeUninit<u8>; 64]);

/// The lines that are part of the object.
const INLINE: usize = REDUCTION_CHUNK / size_of::<Line>();

/// Memory of the engine's own for elements of a datatype, in the layout of the datatype, gaps included. The memory of a
/// few elements, as many as are combined at a time, is part of the object; more is allocated.
pub struct Scratch {
    inline: [Line; INLINE],
    heap: Vec<Line>,
    count: usize,
    datatype: Datatype,
    /// From the first byte of memory to the address of the first element.
    origin: usize,
}

impl Scratch {
    /// The number of elements of `datatype` that fit without allocation, but at least one.
    #[inline]
    pub fn capacity(datatype: &Datatype) -> usize {
        let room = size_of::<[Line; INLINE]>();
        let (_, one) = span(datatype, 1);
        let step = datatype.extent().unsigned_abs().max(1);
        match room / step {
            most if span(datatype, most).1 <= room => most.max(1),
            // Elements reach beyond their extent, or the extent is negative: the first element needs to be aligned.
            _ => 1 + room.saturating_sub(one + size_of::<Line>()) / step,
        }
    }

    /// Memory for `count` elements of `datatype`.
    #[inline]
    pub fn new(datatype: &Datatype, count: usize) -> Self {
        const BLANK: Line = Line([MaybeUninit::uninit(); size_of::<Line>()]);
        const ZERO: Line = Line([MaybeUninit::new(0); size_of::<Line>()]);
        let (origin, bytes) = span(datatype, count);
        let lines = bytes.div_ceil(size_of::<Line>());
        let mut scratch = Self {
            inline: [BLANK; INLINE],
            heap: Vec::new(),
            count,
            datatype: datatype.clone(),
            origin,
        };
        // Functions of users may read the gaps of derived datatypes, which are zeroed therefore.
        if lines > INLINE {
            scratch.heap = vec![ZERO; lines];
        } else if datatype.basic().is_none() {
            scratch.inline[..lines].fill(ZERO);
        }
        scratch
    }

    /// Gives the first `count` elements to `user`, to be written and then read; it must not keep them.
    pub fn with<R>(&mut self, count: usize, user: impl FnOnce(&Source, &Target) -> R) -> R {
        let base = if self.heap.is_empty() {
            self.inline.as_mut_ptr()
        } else {
            self.heap.as_mut_ptr()
        };
        let address = base.cast::<u8>().wrapping_add(self.origin);
        let count = count.min(self.count);
        // SAFETY:
        // - the memory holds `self.count` elements from `origin` on and is borrowed until we return; what it holds is
        //   written before it is read: see `user`.
        let target = unsafe { Target::new(address, count, self.datatype.clone()) };
        user(&target.as_source(), &target)
    }
}

/// The offset of the first of `count` elements from the start of memory that holds all of them, and the bytes needed.
/// The offset is a multiple of the alignment of the memory. Numbers saturate: memory that is too large for the address
/// space cannot be allocated either.
pub(super) fn span(datatype: &Datatype, count: usize) -> (usize, usize) {
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
    let origin = low.unsigned_abs().next_multiple_of(align_of::<Line>());
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

    #[test]
    fn what_fits_needs_no_allocation() {
        let int = Datatype::Basic(Basic::Int);
        let backwards = Datatype::vector(3, 2, -5, &int).unwrap();
        let huge = Datatype::contiguous(100_000, &int).unwrap();
        for (datatype, most) in [(&int, 2048), (&backwards, 200), (&huge, 1)] {
            let fits = Scratch::capacity(datatype);
            assert!(fits > most / 2 && fits <= most, "{fits}");
            assert_eq!(Scratch::new(datatype, fits).heap.is_empty(), most > 1);
        }
        assert_eq!(Scratch::new(&huge, 1).heap.len(), 6250);
    }
}
