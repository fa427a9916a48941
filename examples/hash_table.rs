//! A hash table that is spread over the memory of all ranks, who fill it without each other's help.
//!
//!     SIMURGH_RANKS=64 cargo run --release --example hash_table -- -n 20000
//!
//! Each rank counts the words of some streams. A key belongs to a slot of some rank; a rank that has a new key takes
//! the slot by a comparison and a swap, or goes on to the next one if another key has it. The count is increased by an
//! atomic addition. Afterwards each rank looks up keys, and all of them add up what is in their parts: the result is
//! the same for any number of ranks, and is compared with a table that each rank makes for itself.

use std::collections::HashMap;
use std::process::ExitCode;

use simurgh::{AllLocks, Communicator, Error, ErrorClass, Op, Result, Window};

/// The most different keys of the streams.
const KEYS: u64 = 5_000;

/// The streams in all, which the ranks divide among themselves. So the words do not depend on the number of ranks.
const STREAMS: usize = 128;

/// The value of a slot that is free; no key is 0.
const FREE: u64 = 0;

/// A table of keys and their counts. The slots of all ranks are numbered one after the other; a slot is two values, a
/// key and its count.
struct Table {
    window: Window<u64>,
    slots_of_rank: usize,
    slots: usize,
}

impl Table {
    /// An empty table with room for so many keys.
    fn new(world: &Communicator, keys: usize) -> Result<Self> {
        let slots_of_rank = (2 * keys).div_ceil(world.size());
        Ok(Self {
            window: world.allocate_window(2 * slots_of_rank)?,
            slots_of_rank,
            slots: slots_of_rank * world.size(),
        })
    }

    /// Counts words. All ranks call it, each with words of its own.
    fn count(&mut self, mut words: impl Iterator<Item = u64>) -> Result<()> {
        self.open(|access| words.try_for_each(|word| access.increase(word)))
    }

    /// Looks up the counts of keys. All ranks call it, each with keys of its own.
    fn look_up(&mut self, keys: &[u64]) -> Result<Vec<u64>> {
        self.open(|access| keys.iter().map(|key| access.find(*key)).collect())
    }

    /// Runs `f` in an epoch in which all ranks access the table.
    fn open<R>(&mut self, f: impl FnOnce(&Access<'_>) -> Result<R>) -> Result<R> {
        let (slots, slots_of_rank) = (self.slots, self.slots_of_rank);
        self.window.lock_epoch(|epoch| {
            f(&Access {
                locks: epoch.lock_all()?,
                slots,
                slots_of_rank,
            })
        })
    }

    /// The keys and counts in the part of this rank.
    fn local(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let slots = self.window.local().chunks_exact(2).map(|slot| (slot[0], slot[1]));
        slots.filter(|(key, _)| *key != FREE)
    }
}

/// Access to the table in an epoch.
struct Access<'a> {
    locks: AllLocks<'a, u64>,
    slots: usize,
    slots_of_rank: usize,
}

impl Access<'_> {
    /// Increases the count of a key, which gets a slot if it has none.
    fn increase(&self, key: u64) -> Result<()> {
        for (rank, position) in self.places(key) {
            let part = self.locks.part(rank);
            let holder = part.compare_and_swap(position, FREE, key)?;
            if holder == FREE || holder == key {
                return part.accumulate(position + 1, &1, &Op::sum());
            }
        }
        Err(Error::new(ErrorClass::NoMem, "the table is full"))
    }

    /// The count of a key; 0 if it is not there.
    fn find(&self, key: u64) -> Result<u64> {
        for (rank, position) in self.places(key) {
            let mut slot = [0; 2];
            self.locks.part(rank).get(position, &mut slot[..])?;
            if slot[0] == key {
                return Ok(slot[1]);
            }
            if slot[0] == FREE {
                break;
            }
        }
        Ok(0)
    }

    /// The places where a key may be, one after the other: ranks, and positions in their parts.
    fn places(&self, key: u64) -> impl Iterator<Item = (usize, usize)> {
        let (first, slots, slots_of_rank) = (
            scramble(key) as usize % self.slots,
            self.slots,
            self.slots_of_rank,
        );
        (0..slots).map(move |step| {
            let slot = (first + step) % slots;
            (slot / slots_of_rank, 2 * (slot % slots_of_rank))
        })
    }
}

/// The words of a stream.
fn words(stream: usize, count: usize) -> impl Iterator<Item = u64> {
    (0..count as u64).map(move |index| {
        let random = scramble((stream as u64) << 32 | index);
        // Small words are more frequent.
        1 + (random >> 32) % (1 + random % KEYS)
    })
}

/// A number that looks random (splitmix64).
fn scramble(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// What the table must be.
fn reference(words_of_stream: usize) -> HashMap<u64, u64> {
    let mut counts = HashMap::new();
    for word in (0..STREAMS).flat_map(|stream| words(stream, words_of_stream)) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}

/// Digest of keys and counts, whatever their order.
fn digest(entries: impl Iterator<Item = (u64, u64)>) -> [u64; 3] {
    entries.fold([0; 3], |[keys, words, sum], (key, count)| {
        [
            keys + 1,
            words + count,
            sum.wrapping_add(scramble(key).wrapping_mul(count)),
        ]
    })
}

/// Counts the words of all streams, and checks the table. The digest of the table.
fn run(world: &Communicator, words_of_stream: usize) -> Result<[u64; 3]> {
    let own = (0..STREAMS).skip(world.rank()).step_by(world.size());
    let mut table = Table::new(world, KEYS as usize)?;
    table.count(own.flat_map(|stream| words(stream, words_of_stream)))?;

    let expected = reference(words_of_stream);
    let keys: Vec<u64> = (1..=KEYS + 10).skip(world.rank()).step_by(world.size()).collect();
    for (key, count) in keys.iter().zip(table.look_up(&keys)?) {
        assert_eq!(count, expected.get(key).copied().unwrap_or(0), "count of {key}");
    }
    let (own, mut all) = (digest(table.local()), [0; 3]);
    world.all_reduce(&own[..], &mut all[..], &Op::sum())?;
    assert_eq!(all, digest(expected.into_iter()));
    Ok(all)
}

/// The number of words of each stream, from the command line.
fn words_of_stream() -> Option<usize> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => Some(2_000),
        [option, count] if option == "-n" => count.parse().ok(),
        _ => None,
    }
}

fn main() -> ExitCode {
    let Some(count) = words_of_stream() else {
        eprintln!("hash_table: options are -n words, of each of {STREAMS} streams");
        return ExitCode::FAILURE;
    };
    let start = simurgh::wtime();
    let results = match simurgh::run(move |world| (world.rank(), run(world, count))) {
        Ok(results) => results,
        Err(error) => {
            eprintln!("hash_table: {error}");
            return ExitCode::FAILURE;
        }
    };
    for (rank, result) in results {
        match result {
            Ok([keys, words, digest]) if rank == 0 => {
                println!("{keys} keys, {words} words, digest {digest:016x}");
                eprintln!("{:.3} s", simurgh::wtime() - start);
            }
            Ok(_) => {}
            Err(error) => {
                eprintln!("hash_table: rank {rank}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::run;
    use simurgh::Builder;

    #[test]
    fn the_table_is_the_same_with_any_number_of_ranks() {
        let mut digests = [1, 7, 64].into_iter().flat_map(|ranks| {
            let builder = Builder::new().ranks(ranks).vps(2);
            builder.run(|world| run(world, 100)).expect("the run succeeds")
        });
        let first = digests.next().expect("there is a rank").expect("no call fails");
        assert!(digests.all(|digest| digest == Ok(first)));
    }
}
