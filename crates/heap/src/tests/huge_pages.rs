//! Tests of which memory of heaps lies in huge pages.

use std::ops::Range;

use super::{C, Filled, as_rank};
use crate::arena::makes_huge_pages;

/// The addresses for which the system has been asked for huge pages, by `/proc/self/smaps`.
fn with_huge_pages() -> Vec<Range<usize>> {
    let maps = std::fs::read_to_string("/proc/self/smaps").expect("the mappings of this process");
    let number = |text: &str| usize::from_str_radix(text, 16).ok();
    let range = |line: &str| {
        let (start, rest) = line.split_once('-')?;
        Some(number(start)?..number(rest.split_whitespace().next()?)?)
    };
    let (mut last, mut found) = (0..0, Vec::new());
    for line in maps.lines() {
        if let Some(flags) = line.strip_prefix("VmFlags:") {
            let has_asked = flags.split_whitespace().any(|flag| flag == "hg");
            found.extend(has_asked.then(|| last.clone()));
        } else if let Some(range) = range(line) {
            last = range;
        }
    }
    found
}

/// Whether the system has been asked for huge pages at the address.
pub(super) fn wants_huge_pages(address: *const u8) -> bool {
    with_huge_pages()
        .iter()
        .any(|range| range.contains(&address.addr()))
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
fn addresses_that_one_heap_maps_keep_what_another_one_asks_for() {
    if !makes_huge_pages() {
        return;
    }
    const SIZE: usize = 3 << 20;
    let blocks = || as_rank(|_| (0..200).map(|_| C::malloc(SIZE).addr()).collect::<Vec<_>>());
    let all: Vec<_> = std::thread::scope(|scope| {
        let ranks = [(); 4].map(|()| scope.spawn(blocks));
        let of_ranks = ranks.into_iter();
        of_ranks.flat_map(|rank| rank.join().expect("no panic")).collect()
    });
    let ranges = with_huge_pages();
    let without = all
        .iter()
        .filter(|block| !ranges.iter().any(|range| range.contains(block)));
    assert_eq!(without.count(), 0);
}

#[test]
fn a_heap_with_a_few_blocks_has_no_huge_page() {
    as_rank(|_| {
        let blocks: Vec<_> = (0..5).map(|_| C::malloc(100_000)).collect();
        assert!(!wants_huge_pages(blocks[0]));
        blocks.into_iter().for_each(C::free);
    });
}
