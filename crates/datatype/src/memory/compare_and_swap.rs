//! Replacing an element if it is equal to another one, atomically.

use super::atomic::{LONGEST, Room};
use super::buffer::{Source, Target};
use super::stripes::Stripes;
use super::transfer::{pack, unpack};
use super::word::exchange_bytes;

/// Replaces the element of `target` by `input` if it is equal to `compare`; `result` gets its value from before. All
/// are one element of the same predefined datatype.
pub fn compare_and_swap(
    stripes: &Stripes,
    compare: &Source,
    input: &Source,
    target: &Target,
    result: &Target,
) {
    let size = target.datatype().size();
    assert!(
        compare.bytes() == size && input.bytes() == size && result.bytes() == size && target.count() == 1,
        "it takes one element each"
    );
    let _shared = stripes.share();
    let is_packed = compare.is_contiguous() && input.is_contiguous() && result.is_contiguous();
    // SAFETY:
    // - all are one element of so many bytes, valid by the promises of their makers.
    let is_done = is_packed
        && unsafe { exchange_element(target, (compare.address(), input.address()), result.address()) };
    if !is_done {
        let [mut before, mut old, mut new] = [const { Room([0; LONGEST]) }; 3];
        let (before, old, new) = (&mut before.0[..size], &mut old.0[..size], &mut new.0[..size]);
        pack(compare, old);
        pack(input, new);
        compare_and_swap_packed(stripes, (old, new), target, before);
        unpack(before, result);
    }
}

/// [`compare_and_swap`] with packed data: the value to compare with, and the input.
pub fn compare_and_swap_packed(
    stripes: &Stripes,
    (compare, input): (&[u8], &[u8]),
    target: &Target,
    before: &mut [u8],
) {
    let size = target.datatype().size();
    assert!(
        compare.len() == size && input.len() == size && before.len() == size && target.count() == 1,
        "it takes one element each"
    );
    let _shared = stripes.share();
    // SAFETY:
    // - the element is valid by the promise of its maker; the lengths of the others have been checked.
    if unsafe { exchange_element(target, (compare.as_ptr(), input.as_ptr()), before.as_mut_ptr()) } {
        return;
    }
    let _held = stripes.lock(target.address());
    pack(&target.as_source(), before);
    if before == compare {
        unpack(input, target);
    }
}

/// Replaces the element by an instruction, if the machine has one for it. Whether it has.
///
/// # Safety
///
/// * The target is one element. The values to compare with and to write have its size, and there is room for the value
///   before.
#[inline]
unsafe fn exchange_element(target: &Target, values: (*const u8, *const u8), before: *mut u8) -> bool {
    let element = (target.address(), target.datatype().size());
    // SAFETY:
    // - as demanded of the caller.
    target.is_contiguous() && unsafe { exchange_bytes(element, values, before) }
}
