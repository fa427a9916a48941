//! The host table: what is known of each host, by its number. Entries are added while others read, and stay.
//!
//! The hosts that start together have consecutive numbers, and one table from the start. Hosts that come later, or were
//! there before, are in further tables. Each of these is twice as long as the one before, and is made when the first
//! host with one of its numbers comes.
//!
//! The upper bits of a number name the *realm* of the host ([`REALM_BITS`](HostTable::REALM_BITS)). Each realm has
//! further tables of its own, so that few numbers of many realms take little memory. There are few realms; they are in
//! a linked list, which begins with the realm of the first table.
//!
//! Costs of a look-up: in the first table, a subtraction, a comparison and the load of the entry, as in any table. For
//! other hosts of the same realm, two dependent loads more; for those of another realm, besides, one load for each
//! realm before it in the list. A further table takes 16 bytes for each of its numbers, and the memory of its entries.

use std::ops::Range;
use std::sync::OnceLock;

/// The length of the first of the further tables.
const SHORTEST: usize = 64;
/// The number of further tables of a realm, in which every number has its place.
const TABLES: usize = 15;

/// Entries by the number of a host.
pub struct HostTable<T> {
    /// The number of the first entry of `first`.
    begin: u32,
    first: Box<[T]>,
    others: RealmTables<T>,
}

/// The further tables of a realm, and the next realm.
struct RealmTables<T> {
    realm: u32,
    tables: [OnceLock<Table<T>>; TABLES],
    next: OnceLock<Box<Self>>,
}

type Table<T> = Box<[OnceLock<Box<T>>]>;

impl<T> HostTable<T> {
    /// The number of bits of a number within its realm; the bits above name the realm.
    pub const REALM_BITS: u32 = 20;

    /// A table with entries for these numbers, which are found fastest.
    pub fn new(numbers: Range<u32>, entry: impl FnMut(u32) -> T) -> Self {
        Self {
            begin: numbers.start,
            others: RealmTables::new(realm_of(numbers.start)),
            first: numbers.map(entry).collect(),
        }
    }

    /// The numbers that are found fastest.
    #[must_use]
    pub fn first(&self) -> Range<u32> {
        self.begin..self.begin + self.first.len() as u32
    }

    /// The entry of a number, if there is one.
    #[inline]
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&T> {
        match self.first.get(number.wrapping_sub(self.begin) as usize) {
            None => self.get_other(number),
            found => found,
        }
    }

    fn get_other(&self, number: u32) -> Option<&T> {
        let realm = realm_of(number);
        let mut realm_tables = &self.others;
        while realm_tables.realm != realm {
            realm_tables = realm_tables.next.get()?;
        }
        let (table, place) = place(number);
        realm_tables.tables[table].get()?[place]
            .get()
            .map(|entry| &**entry)
    }

    /// Adds an entry; false, without effect, if there is one with this number.
    pub fn add(&self, number: u32, entry: T) -> bool {
        if self.first().contains(&number) {
            return false;
        }
        let realm = realm_of(number);
        let mut realm_tables = &self.others;
        while realm_tables.realm != realm {
            realm_tables = realm_tables
                .next
                .get_or_init(|| Box::new(RealmTables::new(realm)));
        }
        let (table, place) = place(number);
        let others = realm_tables.tables[table].get_or_init(|| {
            let length = SHORTEST << table;
            (0..length).map(|_| OnceLock::new()).collect()
        });
        others[place].set(Box::new(entry)).is_ok()
    }

    /// All entries with their numbers: those of the first table, then the others of each realm in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let realms = std::iter::successors(Some(&self.others), |realm_tables| {
            realm_tables.next.get().map(AsRef::as_ref)
        });
        let others = realms.flat_map(RealmTables::iter);
        (self.begin..).zip(&self.first).chain(others)
    }
}

impl<T> RealmTables<T> {
    fn new(realm: u32) -> Self {
        Self {
            realm,
            tables: [const { OnceLock::new() }; TABLES],
            next: OnceLock::new(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let begin = self.realm << HostTable::<T>::REALM_BITS;
        let entries = (0..).zip(&self.tables).flat_map(|(table, entries)| {
            let numbers = start(table)..;
            numbers.zip(entries.get().into_iter().flatten())
        });
        entries.filter_map(move |(number, entry)| {
            let entry = entry.get()?;
            Some((begin + number as u32, &**entry))
        })
    }
}

impl<T> std::ops::Index<u32> for HostTable<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        self.get(number)
            .expect("hosts are admitted before they are heard of")
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for HostTable<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The first number of a further table.
fn start(table: usize) -> usize {
    (SHORTEST << table) - SHORTEST
}

/// The realm of a number.
fn realm_of(number: u32) -> u32 {
    number >> HostTable::<()>::REALM_BITS
}

/// The index of the table of its realm in which a number lies, and the place in that table.
fn place(number: u32) -> (usize, usize) {
    let number = (number & ((1 << HostTable::<()>::REALM_BITS) - 1)) as usize;
    let table = (number / SHORTEST + 1).ilog2() as usize;
    (table, number - start(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each number has itself for its entry.
    fn has_all_in_place(table: &HostTable<u32>) -> bool {
        let mut entries = table.iter();
        entries.all(|(number, entry)| number == *entry && table[number] == number)
    }

    #[test]
    fn entries_are_found_by_number() {
        let table = HostTable::new(1000..1003, |number| number);
        let others = [0, 63, 64, 191, 192, 999, 1003, 5000, 70_000];
        for number in others {
            assert_eq!(table.get(number), None);
            assert!(table.add(number, number) && !table.add(number, 0));
        }
        assert!(!table.add(1001, 0));
        assert!(has_all_in_place(&table));
        assert_eq!(table.iter().count(), others.len() + 3);
        assert_eq!((table.get(1), table.first()), (None, 1000..1003));
    }

    #[test]
    fn entries_of_other_realms_are_found() {
        let number = |realm: u32, local: u32| realm << HostTable::<u32>::REALM_BITS | local;
        let table = HostTable::new(number(3, 5)..number(3, 7), |number| number);
        let last = number(1, 0) - 1;
        let others = [
            (3, 4),
            (3, 7),
            (0, 0),
            (0, last),
            (9, 5),
            (9, 6),
            (4095, last),
            (1, 100),
        ];
        for (realm, local) in others {
            let number = number(realm, local);
            assert_eq!(table.get(number), None);
            assert!(table.add(number, number) && !table.add(number, 0));
        }
        assert!(!table.add(number(3, 6), 0));
        assert_eq!((table.get(number(9, 7)), table.get(number(2, 5))), (None, None));
        assert!(has_all_in_place(&table));
        let numbers = table.iter().map(|(number, _)| number);
        let expected = [
            (3, 5),
            (3, 6),
            (3, 4),
            (3, 7),
            (0, 0),
            (0, last),
            (9, 5),
            (9, 6),
            (4095, last),
            (1, 100),
        ];
        assert!(numbers.eq(expected.map(|(realm, local)| number(realm, local))));
    }

    #[test]
    fn entries_are_added_while_others_read() {
        let table = HostTable::new(0..1, |number| number);
        std::thread::scope(|scope| {
            let adders = [0, 1].map(|odd| (1..1000).map(spread).filter(move |number| number % 2 == odd));
            for numbers in adders {
                scope.spawn(|| {
                    numbers
                        .into_iter()
                        .for_each(|number| assert!(table.add(number, number)))
                });
            }
            for number in (0..1000).map(spread) {
                while table.get(number) != Some(&number) {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(table.iter().count(), 1000);
    }

    /// Numbers of several realms.
    fn spread(number: u32) -> u32 {
        (number % 5) << HostTable::<u32>::REALM_BITS | number
    }
}
