//! Numbers that all ranks sort together.
//!
//!     SIMURGH_RANKS=16 cargo run --release --example sample_sort -- 1000000
//!
//! Each rank sorts its numbers and shows a few of them, the samples, to all. From the samples all ranks choose the same
//! limits between the ranks, and give each number to the rank within whose limits it is. Afterwards the numbers of each
//! rank are sorted, and none is smaller than those of the ranks before it, which the ranks check.

use std::error::Error;

use simurgh::{Communicator, Op, Result};

/// The numbers that a rank shows.
const SAMPLES: usize = 32;

/// A number that looks random (splitmix64).
fn scramble(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Some of the numbers, which are sorted, at equal distances.
fn samples(numbers: &[u64], count: usize) -> Vec<u64> {
    let places = (1..=count).map(|sample| numbers.len() * sample / (count + 1));
    places.filter_map(|place| numbers.get(place).copied()).collect()
}

/// Sorts the numbers of all ranks.
fn sort(world: &Communicator, mut numbers: Vec<u64>) -> Result<Vec<u64>> {
    numbers.sort_unstable();
    let mut shown = world.all_gather_vec(&samples(&numbers, SAMPLES))?.concat();
    shown.sort_unstable();

    let limits = samples(&shown, world.size() - 1);
    let mut begin = 0;
    let mut parts: Vec<Vec<u64>> = limits
        .iter()
        .map(|limit| {
            let end = numbers.partition_point(|number| number < limit);
            let part = numbers[begin..end].to_vec();
            begin = end;
            part
        })
        .collect();
    parts.push(numbers[begin..].to_vec());
    parts.resize(world.size(), Vec::new());

    let mut sorted = world.all_to_all_vec(&parts)?.concat();
    sorted.sort_unstable();
    Ok(sorted)
}

/// The sum of some numbers of all ranks.
fn sum(world: &Communicator, numbers: impl Iterator<Item = u64>) -> Result<u64> {
    let mut sum = 0;
    world.all_reduce(&numbers.fold(0, u64::wrapping_add), &mut sum, &Op::sum())?;
    Ok(sum)
}

/// Sorts so many numbers, and checks the order. The result in words.
fn run(world: &Communicator, count: usize) -> Result<String> {
    let (rank, size) = (world.rank(), world.size());
    let own = count * rank / size..count * (rank + 1) / size;
    let numbers: Vec<u64> = own.map(|index| scramble(index as u64)).collect();
    let before = sum(world, numbers.iter().copied().map(scramble))?;
    let sorted = sort(world, numbers)?;

    // The numbers are the same as before.
    assert_eq!(sum(world, sorted.iter().copied().map(scramble))?, before);
    assert_eq!(sum(world, std::iter::once(sorted.len() as u64))?, count as u64);
    // They are in order.
    let (mut largest_before, mut first) = (0, 0);
    world.exscan(
        &sorted.last().copied().unwrap_or(0),
        &mut largest_before,
        &Op::max(),
    )?;
    assert!(sorted.first().is_none_or(|smallest| largest_before <= *smallest));

    world.exscan(&(sorted.len() as u64), &mut first, &Op::sum())?;
    let placed = (first..)
        .zip(&sorted)
        .map(|(place, number)| scramble(place).wrapping_mul(*number));
    let digest = sum(world, placed)?;
    Ok(format!("{count} numbers: in order, digest {digest:016x}"))
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(100_000), |word| word.parse())?;
    let results = simurgh::run(move |world| run(world, count))?;
    let has_first = results.ranks().start == 0;
    let lines = results.into_iter().collect::<Result<Vec<_>>>()?;
    if has_first {
        println!("{}", lines[0]);
    }
    Ok(())
}
