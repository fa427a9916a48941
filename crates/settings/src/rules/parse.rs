//! Parsing the text of rules.

use super::{ANY, Algorithm, Level, Operation, Rule, SLICED};
use crate::{Item, Kind};
use std::fmt;

/// An error in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRule {
    /// The rule, or the part of it that is wrong.
    part: String,
    /// The correct form of that part.
    expected: String,
}

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, expected } = self;
        write!(f, "{part:?} is not {expected}")
    }
}

impl std::error::Error for BadRule {}

/// Most ranks that a rule may ask for.
const MOST_RANKS: u64 = 1 << 31;

/// Parses rules separated by commas.
///
/// # Errors
///
/// [`BadRule`] names the part that is wrong.
pub fn parse(text: &str) -> Result<Vec<Rule>, BadRule> {
    text.split(',').map(rule).collect()
}

fn rule(text: &str) -> Result<Rule, BadRule> {
    let (condition, algorithm) = text
        .split_once('=')
        .ok_or_else(|| bad(text, "OPERATION:BYTES:RANKS:LEVEL=ALGORITHM".to_owned()))?;
    let mut parts = condition.split(':');
    let mut next = || parts.next().unwrap_or("");
    let (subject, bytes, ranks, level) = (next(), next(), next(), next());
    if let Some(more) = parts.next() {
        return Err(bad(more, "a part of a rule: a level is followed by =".to_owned()));
    }
    let operation = match subject {
        ANY => None,
        name => Some(word(
            name,
            Operation::named,
            &[any(), names(Operation::ITEMS)].concat(),
        )?),
    };
    let (algorithm, slices) = method(algorithm)?;
    let rule = Rule {
        operation,
        bytes: amount(bytes, Rule::BYTES)?,
        ranks: amount(
            ranks,
            Kind::Count {
                least: 0,
                most: MOST_RANKS,
            },
        )?,
        level: match level {
            "" => Level::Core,
            name => word(name, Level::named, &names(Level::ITEMS))?,
        },
        algorithm,
        slices,
    };
    match operation {
        Some(operation) if !algorithm.serves(operation) => {
            Err(bad(algorithm.name(), format!("a way to do {operation}")))
        }
        Some(operation) if slices > 1 && !algorithm.serves_in_slices(operation) => {
            Err(bad(&rule.method(), format!("a way to do {operation}")))
        }
        _ => Ok(rule),
    }
}

/// Parses an algorithm and the number of slices.
fn method(text: &str) -> Result<(Algorithm, u8), BadRule> {
    let (name, slices) = text.split_once(SLICED).unwrap_or((text, "1"));
    let algorithm = word(name, Algorithm::named, &names(Algorithm::ITEMS))?;
    let kind = Kind::Count {
        least: 1,
        most: u64::from(Rule::MOST_SLICES),
    };
    Ok((algorithm, amount(slices, kind)? as u8))
}

fn any() -> Vec<&'static str> {
    vec![ANY]
}

fn names(items: &[Item]) -> Vec<&'static str> {
    items.iter().map(|item| item.name).collect()
}

fn word<T>(text: &str, named: fn(&str) -> Option<T>, all: &[&str]) -> Result<T, BadRule> {
    named(text).ok_or_else(|| bad(text, format!("one of {}", all.join(", "))))
}

fn amount(text: &str, kind: Kind) -> Result<u64, BadRule> {
    if text.is_empty() {
        return Ok(0);
    }
    kind.parse(text).ok_or_else(|| bad(text, kind.expected()))
}

fn bad(part: &str, expected: String) -> BadRule {
    BadRule {
        part: part.to_owned(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::super::show;
    use super::*;

    #[test]
    fn what_is_left_out_is_the_least_there_is() {
        let rules = parse("allreduce:64K:16:l3=shared,any=last,bcast::4=shared,scan:::numa=last").unwrap();
        let shown = "allreduce:64K:16:l3=shared,any:0:0:core=last,bcast:0:4:core=shared,scan:0:0:numa=last";
        assert_eq!(show(&rules), shown);
        assert_eq!(parse(shown).unwrap(), rules);
        assert_eq!(rules[0].operation, Some(Operation::Allreduce));
        assert_eq!(
            (rules[0].bytes, rules[0].ranks, rules[0].level),
            (65536, 16, Level::L3)
        );
        assert_eq!((rules[1].operation, rules[1].algorithm), (None, Algorithm::Last));
    }

    #[test]
    fn slices_stand_behind_the_algorithm() {
        let rules = parse("allreduce:1M:2:hosts=ring/4,bcast:::network=binomial/16").unwrap();
        assert_eq!((rules[0].slices, rules[1].slices), (4, 16));
        assert_eq!(
            show(&rules),
            "allreduce:1M:2:hosts=ring/4,bcast:0:0:network=binomial/16"
        );
    }

    #[test]
    fn the_part_that_is_wrong_is_named() {
        for (text, message) in [
            ("", "\"\" is not OPERATION:BYTES:RANKS:LEVEL=ALGORITHM"),
            ("any=last,", "\"\" is not OPERATION:BYTES:RANKS:LEVEL=ALGORITHM"),
            (
                "allreduce",
                "\"allreduce\" is not OPERATION:BYTES:RANKS:LEVEL=ALGORITHM",
            ),
            ("sum=last", "\"sum\" is not one of any, barrier, bcast, gather, "),
            ("any=fast", "\"fast\" is not one of last, shared, lead, striped"),
            ("any:much=last", "\"much\" is not a size"),
            ("any:-1=last", "\"-1\" is not a size"),
            ("any:1:few=last", "\"few\" is not a number from 0 to 2147483648"),
            (
                "any:1:2:l4=last",
                "\"l4\" is not one of core, l2, l3, numa, package, machine, hosts, network",
            ),
            (
                "any:1:2:l3:4=last",
                "\"4\" is not a part of a rule: a level is followed by =",
            ),
            ("barrier=shared", "\"shared\" is not a way to do barrier"),
            ("scan=doubling/2", "\"doubling/2\" is not a way to do scan"),
            ("bcast=ring/17", "\"17\" is not a number from 1 to 16"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
