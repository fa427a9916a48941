//! Rules that choose the algorithms of collective operations.
//!
//! A rule is a row of a table: an operation, the least bytes, ranks and level for which it applies, and an algorithm.
//! Its text is `operation:bytes:ranks:level=algorithm/slices`. A part that is left out between or after the colons is
//! the least there is. Without slices the algorithm runs once, on all data. Of all rules that apply the last one
//! counts, so the rules of a user follow those that are built in.

mod parse;
mod words;

pub use parse::{BadRule, parse};
pub use words::{Algorithm, Level, Operation};

use crate::Kind;
use std::fmt;

/// The word for every operation.
const ANY: &str = "any";

/// Separates an algorithm and its slices.
const SLICED: char = '/';

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The operation; none for every one.
    pub operation: Option<Operation>,
    /// The rule applies from this much work on: bytes that are moved or combined for all ranks together; between hosts,
    /// the bytes that every host knows of.
    pub bytes: u64,
    /// The rule applies from this many ranks on; between hosts, from this many hosts on.
    pub ranks: u64,
    /// The rule applies if the ranks are spread over a domain of this level or a larger one.
    pub level: Level,
    /// The algorithm that it chooses.
    pub algorithm: Algorithm,
    /// The number of slices in which hosts run it with each other at the same time; at least one.
    pub slices: u8,
}

impl Rule {
    /// The kind of a rule's number of bytes.
    pub(crate) const BYTES: Kind = Kind::Size {
        least: 0,
        most: 1 << 40,
    };

    /// Most slices that a rule may ask for.
    pub const MOST_SLICES: u8 = 16;

    /// Whether the rule is about an operation.
    #[must_use]
    pub fn concerns(&self, operation: Operation) -> bool {
        self.operation.is_none_or(|own| own == operation) && self.algorithm.serves(operation)
    }

    /// The operation's name, or the word for every operation.
    #[must_use]
    pub fn subject(&self) -> &'static str {
        self.operation.map_or(ANY, Operation::name)
    }

    /// The algorithm and the slices as a user would write them.
    #[must_use]
    pub fn method(&self) -> String {
        match self.slices {
            1 => self.algorithm.to_string(),
            slices => format!("{}{SLICED}{slices}", self.algorithm),
        }
    }

    /// The number of bytes as a user would write it.
    #[must_use]
    pub fn size(&self) -> String {
        Self::BYTES.show(self.bytes)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, size, way) = (self.subject(), self.size(), self.method());
        let Self { ranks, level, .. } = self;
        write!(f, "{subject}:{size}:{ranks}:{level}={way}")
    }
}

/// The text of rules, as [`parse()`] takes it.
#[must_use]
pub fn show(rules: &[Rule]) -> String {
    let texts: Vec<_> = rules.iter().map(Rule::to_string).collect();
    texts.join(",")
}
