//! The rules that are built in.

use simurgh_settings::rules::{Algorithm, Level, Operation, Rule};

/// Of those that apply the last one counts; the first applies always.
///
/// * One core does the work no faster when many ranks share it, and sharing costs a second round of switches: so the
///   last to come does it, whose caches hold what it has just read.
/// * On several cores sharing pays as soon as the work takes longer than that round.
/// * A broadcast needs nobody to wait for all: each rank waits for the root, if it comes before it.
pub(super) const RULES: &[Rule] = &[
    every(0, 0, Level::Core, Algorithm::Last),
    every(64 << 10, 2, Level::L2, Algorithm::Shared),
    Rule {
        operation: Some(Operation::Bcast),
        ..every(0, 0, Level::Core, Algorithm::Lead)
    },
];

/// A rule for every operation.
const fn every(bytes: u64, ranks: u64, level: Level, algorithm: Algorithm) -> Rule {
    Rule {
        operation: None,
        bytes,
        ranks,
        level,
        algorithm,
    }
}
