//! Finds out whether buffers overlap.

use std::ops::Range;

use super::buffer::{Source, Target};
use super::parts::Parts;

macro_rules! placed {
    ($buffer:ty) => {
        impl $buffer {
            /// The address of the lowest byte of data; none without data.
            ///
            /// Buffers with the same lowest byte overlap, whatever their datatypes.
            #[must_use]
            pub fn lowest(&self) -> Option<usize> {
                let datatype = self.datatype();
                let last = self.count().checked_sub(1)? as isize;
                // With a negative extent, each element lies before the previous one.
                let lowest = last.saturating_mul(datatype.extent()).min(0);
                let offset = datatype.true_lb().saturating_add(lowest);
                (datatype.size() > 0).then(|| self.address().addr().wrapping_add_signed(offset))
            }

            /// The addresses of the data, if it is contiguous.
            #[must_use]
            pub fn byte_range(&self) -> Option<Range<usize>> {
                let from = self.lowest().filter(|_| self.datatype().is_contiguous())?;
                Some(from..from.saturating_add(self.bytes()))
            }
        }

        impl Parts<$buffer> {
            /// The addresses of the parts of `ranks` ranks. Parts that are not contiguous are left out.
            pub fn byte_ranges(&self, ranks: usize) -> impl Iterator<Item = Range<usize>> + '_ {
                (0..ranks).filter_map(|rank| self.part(rank)?.byte_range())
            }
        }
    };
}

placed!(Source);
placed!(Target);

/// The lowest addresses that belong to a range of both lists.
#[must_use]
pub fn overlap(mut one: Vec<Range<usize>>, mut other: Vec<Range<usize>>) -> Option<Range<usize>> {
    let by_start = |range: &Range<usize>| range.start;
    one.sort_unstable_by_key(by_start);
    other.sort_unstable_by_key(by_start);
    let (mut one, mut other) = (one.into_iter().peekable(), other.into_iter().peekable());
    // The furthest end of each list counts, not the last one, since ranges of one list may overlap each other.
    let (mut end_of_one, mut end_of_other) = (0, 0);
    loop {
        let (list, own_end, end) = match (one.peek(), other.peek()) {
            (None, None) => return None,
            (Some(first), second) if second.is_none_or(|second| first.start <= second.start) => {
                (&mut one, &mut end_of_one, end_of_other)
            }
            _ => (&mut other, &mut end_of_other, end_of_one),
        };
        let next = list.next()?;
        if next.start < end {
            return Some(next.start..next.end.min(end));
        }
        *own_end = next.end.max(*own_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};
    use proptest::prelude::*;

    fn source(address: usize, count: usize, datatype: Datatype) -> Source {
        // SAFETY:
        // - nothing reads it.
        unsafe { Source::new(std::ptr::without_provenance(address), count, datatype) }
    }

    #[test]
    fn data_begins_where_its_lowest_byte_is() {
        let int = Datatype::Basic(Basic::Int);
        assert_eq!(source(100, 3, int.clone()).byte_range(), Some(100..112));
        assert_eq!(source(100, 0, int.clone()).lowest(), None);
        let second = Datatype::hindexed([(4, 1)].to_vec(), &int).unwrap();
        assert_eq!(source(100, 1, second.clone()).lowest(), Some(104));
        assert_eq!(source(100, 1, second).byte_range(), None);
        let backwards = Datatype::resized(0, -8, &int).unwrap();
        assert_eq!(source(100, 3, backwards).lowest(), Some(84));
    }

    #[test]
    fn parts_lie_side_by_side() {
        let parts = Parts::Even(source(100, 2, Datatype::Basic(Basic::Int)));
        assert_eq!(
            parts.byte_ranges(3).collect::<Vec<_>>(),
            [100..108, 108..116, 116..124]
        );
    }

    fn ranges() -> impl Strategy<Value = Vec<Range<usize>>> {
        let range = (0..40_usize, 1..6_usize).prop_map(|(start, length)| start..start + length);
        proptest::collection::vec(range, 0..6)
    }

    proptest! {
        #[test]
        fn what_two_lists_have_in_common_is_found(one in ranges(), other in ranges()) {
            let holds = |ranges: &[Range<usize>], byte| ranges.iter().any(|range| range.contains(&byte));
            let common = (0..50).find(|&byte| holds(&one, byte) && holds(&other, byte));
            let found = overlap(one.clone(), other.clone());
            prop_assert_eq!(found.is_some(), common.is_some());
            if let Some(found) = found {
                prop_assert_eq!(Some(found.start), common);
                prop_assert!(!found.is_empty() && found.clone().all(|byte| holds(&one, byte) && holds(&other, byte)));
            }
        }
    }
}
