//! File domains: which aggregator writes or reads which bytes of the range of an access.
//!
//! The range is cut into as many domains as there are aggregators, of about equal length. Domains begin at multiples of
//! a block of the file system, so that no two aggregators write into one block. An aggregator goes through its domain
//! in windows, and all aggregators are at the windows of one round at a time.

use std::ops::Range;

/// The domains of one access.
#[derive(Clone, Debug)]
pub struct Domains {
    range: Range<u64>,
    /// Where the first domain begins: a multiple of the block.
    start: u64,
    /// Bytes of a domain.
    len: u64,
    aggregators: usize,
    /// Bytes of a window.
    window: u64,
}

impl Domains {
    /// The domains of a range that is not empty, for at most so many aggregators; `block` and `window` are not 0.
    #[must_use]
    pub fn new(range: Range<u64>, block: u64, aggregators: usize, window: u64) -> Self {
        let start = range.start / block * block;
        let blocks = (range.end - start).div_ceil(block);
        let of_each = blocks.div_ceil(aggregators.max(1) as u64);
        Self {
            start,
            len: of_each.saturating_mul(block),
            aggregators: blocks.div_ceil(of_each) as usize,
            range,
            window,
        }
    }

    /// The number of aggregators that have something to do.
    #[must_use]
    pub fn aggregators(&self) -> usize {
        self.aggregators
    }

    /// The number of rounds.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.len.min(self.range.end - self.start).div_ceil(self.window)
    }

    /// The bytes at which an aggregator is in a round; empty if it has done its domain.
    #[must_use]
    pub fn window(&self, aggregator: usize, round: u64) -> Range<u64> {
        let first = self.start + self.len * aggregator as u64;
        let end = first.saturating_add(self.len).min(self.range.end);
        let start = first.saturating_add(round.saturating_mul(self.window)).min(end);
        let end = start.saturating_add(self.window).min(end);
        start.max(self.range.start).min(end)..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_the_range_once_and_domains_begin_at_blocks() {
        for (range, block, aggregators, window) in [
            (0..1, 4096, 3, 100),
            (5..100_000, 4096, 3, 10_000),
            (4095..4097, 4096, 2, 1),
            (7..1000, 1, 16, 13),
            (1 << 40..(1 << 40) + 12_345, 512, 5, 4096),
        ] {
            let domains = Domains::new(range.clone(), block, aggregators, window);
            assert!((1..=aggregators).contains(&domains.aggregators()));
            let mut at = range.start;
            for aggregator in 0..domains.aggregators() {
                assert!(at == range.start || at.is_multiple_of(block));
                for round in 0..domains.rounds() {
                    let bytes = domains.window(aggregator, round);
                    assert!(bytes.is_empty() || bytes.start == at, "{domains:?} {bytes:?}");
                    assert!(bytes.end - bytes.start <= window);
                    at = bytes.end.max(at);
                }
                assert!(domains.window(aggregator, domains.rounds()).is_empty());
            }
            assert_eq!(at, range.end);
        }
    }
}
