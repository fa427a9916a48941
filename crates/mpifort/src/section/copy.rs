//! Contiguous copies of sections.

use super::parts::{Level, Parts};

/// Copies the blocks of a section, one after the other.
///
/// # Safety
///
/// The section with these parts begins at `section`; `copy` has room for its bytes, and does not overlap with it.
pub(crate) unsafe fn gather(parts: &Parts, section: *const u8, copy: *mut u8) {
    let mut next = copy;
    let block = parts.block() as usize;
    each(parts.levels(), section.addr() as i64, &mut |address| {
        // SAFETY:
        // - the address is that of a block of the section;
        // - there is room for as many blocks as the section has.
        unsafe {
            let from = section.with_addr(address as usize);
            next.copy_from_nonoverlapping(from, block);
            next = next.add(block);
        }
    });
}

/// Copies blocks that lie one after the other into a section.
///
/// # Safety
///
/// The section with these parts begins at `section` and may be written; `copy` has all its bytes, and does not overlap
/// with it.
pub(crate) unsafe fn scatter(parts: &Parts, copy: *const u8, section: *mut u8) {
    let mut next = copy;
    let block = parts.block() as usize;
    each(parts.levels(), section.addr() as i64, &mut |address| {
        // SAFETY:
        // - the address is that of a block of the section;
        // - there are as many blocks as the section has.
        unsafe {
            let to = section.with_addr(address as usize);
            to.copy_from_nonoverlapping(next, block);
            next = next.add(block);
        }
    });
}

/// Calls `with` with the address of each block, in the order of the array's elements.
fn each(levels: &[Level], address: i64, with: &mut impl FnMut(i64)) {
    let [inner @ .., level] = levels else {
        return with(address);
    };
    for index in 0..level.times {
        each(inner, address + index * level.distance, with);
    }
}
