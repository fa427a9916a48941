//! What is known of each host, by number: entries are added while others read, and stay.
//!
//! The hosts that start together have consecutive numbers and one table from the start. Those that come later, or were
//! there before, lie in further tables, each twice as long as the one before, which are made when the first of their
//! numbers comes.
//!
//! Costs: for those of the first table, a subtraction, a comparison and the entry itself, as in any table; for others
//! two dependent loads more. 16 bytes for each number of a further table, and the entries that there are.

use std::ops::Range;
use std::sync::OnceLock;

/// Numbers in the first of the further tables.
const SHORTEST: usize = 64;
/// Further tables: every number has its place.
const TABLES: usize = 27;

/// Entries by number.
pub struct Roster<T> {
    /// The number of the first entry of `first`.
    begin: u32,
    first: Box<[T]>,
    others: [OnceLock<Table<T>>; TABLES],
}

type Table<T> = Box<[OnceLock<Box<T>>]>;

impl<T> Roster<T> {
    /// Entries for these numbers, which are found fastest.
    pub fn new(numbers: Range<u32>, entry: impl FnMut(u32) -> T) -> Self {
        Self {
            begin: numbers.start,
            first: numbers.map(entry).collect(),
            others: [const { OnceLock::new() }; TABLES],
        }
    }

    /// The numbers that are found fastest.
    #[must_use]
    pub fn first(&self) -> Range<u32> {
        self.begin..self.begin + self.first.len() as u32
    }

    /// The entry with a number, if there is one.
    #[inline]
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&T> {
        match self.first.get(number.wrapping_sub(self.begin) as usize) {
            None => self.get_other(number),
            found => found,
        }
    }

    fn get_other(&self, number: u32) -> Option<&T> {
        let (table, place) = place(number);
        self.others[table].get()?[place].get().map(|entry| &**entry)
    }

    /// Adds an entry; false, and nothing has changed, if there is one with this number.
    pub fn add(&self, number: u32, entry: T) -> bool {
        if self.first().contains(&number) {
            return false;
        }
        let (table, place) = place(number);
        let others = self.others[table].get_or_init(|| {
            let length = SHORTEST << table;
            (0..length).map(|_| OnceLock::new()).collect()
        });
        others[place].set(Box::new(entry)).is_ok()
    }

    /// All entries with their numbers: those of the first table, then the others in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let others = (0..).zip(&self.others).flat_map(|(table, others)| {
            let numbers = start(table)..;
            numbers.zip(others.get().into_iter().flatten())
        });
        let others = others.filter_map(|(number, entry)| Some((number as u32, &**entry.get()?)));
        (self.begin..).zip(&self.first).chain(others)
    }
}

impl<T> std::ops::Index<u32> for Roster<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        self.get(number)
            .expect("hosts are admitted before they are heard of")
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Roster<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The first number of a further table.
fn start(table: usize) -> usize {
    (SHORTEST << table) - SHORTEST
}

/// The table in which a number lies, and where.
fn place(number: u32) -> (usize, usize) {
    let number = number as usize;
    let table = (number / SHORTEST + 1).ilog2() as usize;
    (table, number - start(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_number() {
        let roster = Roster::new(1000..1003, |number| number);
        let others = [0, 63, 64, 191, 192, 999, 1003, 5000, 70_000];
        for number in others {
            assert_eq!(roster.get(number), None);
            assert!(roster.add(number, number) && !roster.add(number, 0));
        }
        assert!(!roster.add(1001, 0));
        assert!(
            roster
                .iter()
                .all(|(number, entry)| number == *entry && roster[number] == number)
        );
        assert_eq!(roster.iter().count(), others.len() + 3);
        assert_eq!((roster.get(1), roster.first()), (None, 1000..1003));
    }

    #[test]
    fn entries_are_added_while_others_read() {
        let roster = Roster::new(0..1, |number| number);
        std::thread::scope(|scope| {
            let adders = [0, 1].map(|odd| (1..1000).filter(move |number| number % 2 == odd));
            for numbers in adders {
                scope.spawn(|| {
                    numbers
                        .into_iter()
                        .for_each(|number| assert!(roster.add(number, number)))
                });
            }
            for number in 0..1000 {
                while roster.get(number) != Some(&number) {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(roster.iter().count(), 1000);
    }
}
