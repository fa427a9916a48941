//! Tests of which memory of heaps lies in huge pages.

use super::{C, Filled, as_rank};
use crate::arena::makes_huge_pages;

/// Whether the system has been asked for huge pages at the address, by `/proc/self/smaps`.
pub(super) fn wants_huge_pages(address: *const u8) -> bool {
    let maps = std::fs::read_to_string("/proc/self/smaps").expect("the mappings of this process");
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    let range = |line: &str| {
        let (start, rest) = line.split_once('-')?;
        Some(number(start)?..number(rest.split_whitespace().next()?)?)
    };
    let mut lines = maps.lines();
    lines.find(|line| range(line).is_some_and(|range| range.contains(&address.addr())));
    let flags = lines.find_map(|line| line.strip_prefix("VmFlags:"));
    flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hg"))
}

#[test]
fn blocks_that_fill_most_of_a_huge_page_lie_in_one_and_keep_what_they_hold() {
    if !makes_huge_pages() {
        return;
    }
    as_rank(|_| {
        let small = Filled::new(C::malloc(1000), 1000, 1);
        let size = 600_000;
        let mut blocks: Vec<_> = (2..5)
            .map(|seed| Filled::new(C::malloc(size), size, seed))
            .collect();
        assert!(wants_huge_pages(blocks[0].block) && wants_huge_pages(small.block));
        let last = Filled::new(C::malloc(size), size, 5);
        let end = last.block.wrapping_add(size - 1);
        assert!(!wants_huge_pages(end), "most of its huge page is free");
        blocks.extend([small, last]);
        blocks.into_iter().for_each(Filled::free);
    });
    as_rank(|_| {
        let size = 5 << 19;
        let block = C::malloc(size);
        assert!(wants_huge_pages(block) && !wants_huge_pages(block.wrapping_add(size)));
        let longer = C::malloc(7 << 19);
        assert!(wants_huge_pages(longer.wrapping_add(7 << 19)));
        C::free(block);
        C::free(longer);
    });
}

#[test]
fn a_heap_with_a_few_blocks_has_no_huge_page() {
    as_rank(|_| {
        let blocks: Vec<_> = (0..5).map(|_| C::malloc(100_000)).collect();
        assert!(!wants_huge_pages(blocks[0]));
        blocks.into_iter().for_each(C::free);
    });
}
