//! The algorithm selection table of collectives.
//!
//! The table is data: the built-in rules ([`Rule`], `built_in.rs`), followed by those of the setting `collectives`. A
//! rule names an operation, an algorithm, and the least work, the least number of ranks and the lowest level of the
//! domain tree from which on the algorithm is used. Of all rules that apply, the last one counts.
//!
//! Work is counted in bytes that are moved or combined for all ranks together, which the last rank to arrive knows. The
//! level is the smallest one that the virtual processors of the job share. For the inter-host phase it is what the
//! hosts share: `hosts` or `network`. All hosts have to choose alike, so the work there is a number that every one of
//! them can tell.
//!
//! Cost: the rules of an operation lie side by side, four to a cache line, and are tried from the last to the first.

mod built_in;

use simurgh_settings::rules::{Algorithm, Level, Operation, Rule};

/// The size of an operation: its work, its ranks, and the level that they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The bytes to be moved or combined for all ranks together.
    pub(crate) bytes: usize,
    /// The number of ranks that take part.
    pub(crate) ranks: usize,
    /// The level of the domain tree that the ranks share.
    pub(crate) level: Level,
}

/// The selection table of a job.
#[derive(Debug)]
pub struct SelectionTable {
    /// All rules in order, the built-in ones first.
    rules: Vec<Rule>,
    /// The rules of each operation for the ranks of a host.
    entries: Box<[Box<[Entry]>]>,
    /// The rules of each operation for the inter-host phase.
    between: Box<[Box<[Entry]>]>,
}

/// A rule of a known operation.
#[derive(Clone, Copy, Debug)]
struct Entry {
    bytes: u64,
    ranks: u32,
    level: Level,
    algorithm: Algorithm,
    slices: u8,
}

/// The algorithm chosen for the inter-host phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InterHostChoice {
    pub(crate) algorithm: Algorithm,
    /// The number of slices of the data that are worked on at the same time.
    pub(crate) slices: usize,
}

impl SelectionTable {
    /// A table with the built-in rules, followed by the `given` ones.
    #[must_use]
    pub fn new(given: &[Rule]) -> Self {
        let rules = [built_in::RULES, given].concat();
        let entries_of = |operation: Operation, between: bool| {
            let own = rules.iter().filter(|rule| rule.concerns(operation));
            let own = own.filter(|rule| rule.algorithm.is_between_hosts() == between);
            own.map(Entry::of).collect()
        };
        let all = |between| {
            Operation::ALL
                .iter()
                .map(|&operation| entries_of(operation, between))
                .collect()
        };
        let (entries, between) = (all(false), all(true));
        Self {
            rules,
            entries,
            between,
        }
    }

    /// A table with the built-in rules only.
    #[must_use]
    pub fn built_in(&self) -> &[Rule] {
        &self.rules[..built_in::RULES.len()]
    }

    /// The rules that the user has given.
    #[must_use]
    pub fn given(&self) -> &[Rule] {
        &self.rules[built_in::RULES.len()..]
    }

    /// The algorithm of an operation.
    #[inline]
    pub(crate) fn algorithm(&self, operation: Operation, extent: Extent) -> Algorithm {
        self.find(operation, |entry| entry.applies(extent))
    }

    /// The algorithm of an operation whose ranks have met. Algorithms that do without a meeting are excluded.
    #[inline]
    pub(crate) fn algorithm_together(&self, operation: Operation, extent: Extent) -> Algorithm {
        self.find(operation, |entry| {
            entry.applies(extent) && entry.algorithm != Algorithm::Lead
        })
    }

    /// The algorithm of the inter-host phase of an operation.
    pub(crate) fn inter_host(&self, operation: Operation, extent: Extent) -> InterHostChoice {
        let mut entries = self.between[operation as usize].iter().rev();
        let entry = entries.find(|entry| entry.applies(extent));
        let (algorithm, slices) =
            entry.map_or((Algorithm::Parcels, 1), |entry| (entry.algorithm, entry.slices));
        let slices = match algorithm.serves_in_slices(operation) {
            true => usize::from(slices),
            // The slices come from a rule for every operation, but this operation cannot be sliced.
            false => 1,
        };
        InterHostChoice { algorithm, slices }
    }

    #[inline]
    fn find(&self, operation: Operation, applies: impl Fn(&Entry) -> bool) -> Algorithm {
        let entries = &self.entries[operation as usize];
        let entry = entries.iter().rev().find(|entry| applies(entry));
        entry.map_or(Algorithm::Last, |entry| entry.algorithm)
    }
}

impl Entry {
    fn of(rule: &Rule) -> Self {
        Self {
            bytes: rule.bytes,
            ranks: u32::try_from(rule.ranks).unwrap_or(u32::MAX),
            level: rule.level,
            algorithm: rule.algorithm,
            slices: rule.slices,
        }
    }

    #[inline]
    fn applies(&self, extent: Extent) -> bool {
        self.bytes <= extent.bytes as u64 && self.ranks as usize <= extent.ranks && self.level <= extent.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simurgh_settings::rules::parse;

    fn extent(bytes: usize, ranks: usize, level: Level) -> Extent {
        Extent { bytes, ranks, level }
    }

    fn chosen(table: &SelectionTable, bytes: usize, ranks: usize, level: Level) -> Algorithm {
        table.algorithm(Operation::Allreduce, extent(bytes, ranks, level))
    }

    #[test]
    fn there_is_a_rule_for_everything() {
        let least = built_in::RULES[0];
        assert_eq!((least.operation, least.bytes, least.ranks), (None, 0, 0));
        assert_eq!(least.level, Level::Core);
        for &operation in Operation::ALL {
            assert!(least.concerns(operation));
        }
    }

    #[test]
    fn one_core_shares_no_work() {
        let table = SelectionTable::new(&[]);
        assert_eq!(chosen(&table, 1 << 30, 64, Level::Core), Algorithm::Last);
        assert_eq!(chosen(&table, 1 << 30, 64, Level::L3), Algorithm::Striped);
        assert_eq!(chosen(&table, 1 << 30, 1, Level::L3), Algorithm::Last);
    }

    #[test]
    fn the_last_rule_that_applies_counts() {
        let rules = parse("any:::l3=shared,allreduce:1K:8=last,allreduce:4K=shared,bcast=last").unwrap();
        let table = SelectionTable::new(&rules);
        assert_eq!(table.given(), rules);
        assert_eq!(table.built_in().len() + 4, table.rules.len());
        for (bytes, ranks, level, algorithm) in [
            (8, 2, Level::L3, Algorithm::Shared),
            (8, 2, Level::L2, Algorithm::Last),
            (1024, 7, Level::L3, Algorithm::Shared),
            (1024, 8, Level::Machine, Algorithm::Last),
            (4095, 64, Level::L3, Algorithm::Last),
            (4096, 1, Level::Core, Algorithm::Shared),
        ] {
            assert_eq!(
                chosen(&table, bytes, ranks, level),
                algorithm,
                "{bytes} {ranks} {level}"
            );
        }
        let bcast = table.algorithm(Operation::Bcast, extent(1 << 30, 64, Level::L3));
        assert_eq!(bcast, Algorithm::Last);
        let barrier = table.algorithm(Operation::Barrier, extent(0, 64, Level::L3));
        assert_eq!(barrier, Algorithm::Last);
    }

    #[test]
    fn hosts_have_rules_of_their_own() {
        let table = SelectionTable::new(&parse("allreduce:1K:3=ring,allreduce=shared").unwrap());
        let between = |bytes, hosts| {
            table
                .inter_host(Operation::Allreduce, extent(bytes, hosts, Level::Hosts))
                .algorithm
        };
        assert_eq!(
            (between(8, 2), between(1 << 10, 3)),
            (Algorithm::Doubling, Algorithm::Ring)
        );
        assert_eq!(chosen(&table, 1 << 20, 4, Level::L3), Algorithm::Shared);
        for &operation in Operation::ALL {
            let InterHostChoice { algorithm, .. } = table.inter_host(operation, extent(0, 2, Level::Hosts));
            assert!(
                algorithm.is_between_hosts()
                    && (algorithm.serves(operation) || operation == Operation::Barrier)
            );
        }
    }

    #[test]
    fn algorithms_without_slices_are_not_sliced() {
        let table = SelectionTable::new(&parse("any:1K:0:network=doubling/4").unwrap());
        let slices = |operation, level| table.inter_host(operation, extent(1 << 10, 2, level)).slices;
        assert_eq!(slices(Operation::Allreduce, Level::Hosts), 1);
        assert_eq!(slices(Operation::Allreduce, Level::Network), 4);
        assert_eq!(slices(Operation::Scan, Level::Network), 1);
    }

    #[test]
    fn ranks_that_have_met_need_no_publication() {
        let table = SelectionTable::new(&[]);
        for (bytes, algorithm) in [(8, Algorithm::Last), (1 << 20, Algorithm::Shared)] {
            let extent = extent(bytes, 64, Level::L3);
            assert_eq!(table.algorithm(Operation::Bcast, extent), Algorithm::Lead);
            assert_eq!(table.algorithm_together(Operation::Bcast, extent), algorithm);
        }
    }

    #[test]
    fn a_rule_is_a_quarter_of_a_cache_line() {
        assert_eq!(size_of::<Entry>(), 16);
    }
}
