//! Random numbers that follow from a seed.

use std::env;

/// The seed of all random tests: that of the environment variable `SIMURGH_TEST_SEED`, or 1.
///
/// # Panics
///
/// If the variable is not a number.
pub fn seed() -> u64 {
    env::var("SIMURGH_TEST_SEED").map_or(1, |seed| seed.parse().expect("SIMURGH_TEST_SEED is a number"))
}

/// Random numbers, by SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence with this number. Each has a start of its own, whose first part is [`seed`].
    pub fn sequence(number: u64) -> Self {
        Self(seed() << 32 | number)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }

    /// An index below `length`, which is not 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }
}
