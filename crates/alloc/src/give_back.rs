//! Giving the pages of memory back to the system.

use std::ops::Range;

use rustix::mm::Advice;

use crate::region::page_size;

/// Gives the pages that lie as a whole within these addresses back to the system. What they held is lost: they hold
/// zeros afterwards. Returns whether the system has taken them.
///
/// # Safety
///
/// The addresses are mapped, by private mappings of no file, and nobody uses what they hold.
pub unsafe fn give_back(addresses: Range<usize>) -> bool {
    let start = addresses.start.next_multiple_of(page_size());
    let end = addresses.end & !(page_size() - 1);
    if start >= end {
        return true;
    }
    // SAFETY:
    // - nobody uses the memory (caller).
    unsafe { rustix::mm::madvise(start as *mut _, end - start, Advice::LinuxDontNeed) }.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Region;

    #[test]
    fn whole_pages_are_zero_afterwards_and_others_stay() {
        let region = Region::with_guard(4 * page_size(), false).expect("memory");
        let (low, page) = (region.low(), page_size());
        // SAFETY:
        // - the region is this test's.
        let bytes = unsafe { std::slice::from_raw_parts_mut(low as *mut u8, 4 * page) };
        bytes.fill(1);
        // SAFETY:
        // - as above.
        assert!(unsafe { give_back(low + 1..low + 3 * page + 1) });
        let kept: Vec<_> = bytes.chunks(page).map(|page| page[0]).collect();
        assert_eq!(kept, [1, 0, 0, 1]);
        // SAFETY:
        // - as above.
        assert!(unsafe { give_back(low + 1..low + page - 1) });
        assert_eq!(bytes[1], 1);
    }
}
