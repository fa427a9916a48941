//! The kinds of values of settings: as numbers and as text.

use crate::Item;
use crate::placement::Part;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// The kind of a setting's values. Every value is held as a number, except rules, names, paths and words on placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Off or on: 0 or 1.
    Flag,
    /// A number, decimal or hexadecimal.
    Count {
        /// The least one allowed.
        least: u64,
        /// The largest one allowed.
        most: u64,
    },
    /// A number of bytes; its text may have a unit.
    Size {
        /// The least one allowed.
        least: u64,
        /// The largest one allowed.
        most: u64,
    },
    /// A time: its text is in seconds, its number in milliseconds.
    Time,
    /// One of several words. The number is its index.
    Choice(&'static [Item]),
    /// One of several words, whose number is its index, or the path of a file, which has a slash and is not a number.
    /// The text is the placeholder of the path in help texts.
    WordOrPath(&'static [Item], &'static str),
    /// [Rules](crate::rules), which are not a number.
    Rules,
    /// A name that others have given, which is not a number. The text is its placeholder in help texts.
    Name(&'static str),
    /// The path of a file or directory, which is not a number. The text is its placeholder in help texts.
    Path(&'static str),
    /// Words about [where ranks live](crate::placement), which are not a number.
    Placement(Part),
}

/// Milliseconds of three years. A longer time is a slip of the keyboard.
const LONGEST_MS: u64 = 100_000_000_000;

impl Kind {
    /// Parses a text; `None` if it is not a value of this kind, or not a number.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<u64> {
        let value = match self {
            Self::Flag => match text {
                "1" | "yes" | "true" | "on" => Some(1),
                "0" | "no" | "false" | "off" => Some(0),
                _ => None,
            },
            Self::Count { .. } => number(text),
            Self::Size { .. } => size(text),
            Self::Time => milliseconds(text),
            Self::Choice(items) | Self::WordOrPath(items, _) => items
                .iter()
                .position(|item| item.name == text)
                .map(|place| place as u64),
            Self::Rules | Self::Name(_) | Self::Path(_) | Self::Placement(_) => None,
        };
        value.filter(|&value| self.allows(value))
    }

    /// Whether the number is a value of this kind.
    #[must_use]
    pub fn allows(self, value: u64) -> bool {
        self.range().contains(&value)
    }

    /// The numbers that are values of this kind.
    #[must_use]
    pub fn range(self) -> RangeInclusive<u64> {
        match self {
            Self::Flag => 0..=1,
            Self::Count { least, most } | Self::Size { least, most } => least..=most,
            Self::Time => 1..=LONGEST_MS,
            Self::Choice(items) | Self::WordOrPath(items, _) => 0..=(items.len() as u64).saturating_sub(1),
            // An empty range.
            #[expect(
                clippy::reversed_empty_ranges,
                reason = "no number is a list of rules, a name, a path or a place"
            )]
            Self::Rules | Self::Name(_) | Self::Path(_) | Self::Placement(_) => 1..=0,
        }
    }

    /// The text that [`Kind::parse`] takes for this value.
    #[must_use]
    pub fn show(self, value: u64) -> String {
        match self {
            Self::Flag if value == 0 => "off".to_owned(),
            Self::Flag => "on".to_owned(),
            Self::Count { .. } | Self::Rules | Self::Name(_) | Self::Path(_) | Self::Placement(_) => {
                value.to_string()
            }
            Self::Size { .. } => show_size(value),
            Self::Time => (value as f64 / 1000.0).to_string(),
            Self::Choice(items) | Self::WordOrPath(items, _) => usize::try_from(value)
                .ok()
                .and_then(|place| items.get(place))
                .map_or_else(|| value.to_string(), |item| item.name.to_owned()),
        }
    }

    /// The values in words that follow "is not".
    #[must_use]
    pub fn expected(self) -> String {
        match self {
            Self::Flag => "one of on, off".to_owned(),
            Self::Count {
                least: 0,
                most: u64::MAX,
            } => "a number".to_owned(),
            Self::Count { least, most } => format!("a number from {least} to {most}"),
            Self::Size { least, most } => format!(
                "a size from {} to {}, such as 512K or 64M",
                show_size(least),
                show_size(most)
            ),
            Self::Time => "a time in seconds, more than 0".to_owned(),
            Self::Choice(items) => format!("one of {}", words(items, ", ")),
            Self::WordOrPath(items, _) => {
                format!(
                    "one of {}, or the path of a file, with a slash",
                    words(items, ", ")
                )
            }
            Self::Rules => "rules such as allreduce:64K=shared".to_owned(),
            Self::Name(_) => "a name without blanks".to_owned(),
            Self::Path(_) => "a path".to_owned(),
            Self::Placement(part) => part.expected(),
        }
    }

    /// The placeholder of a value in help texts.
    #[must_use]
    pub fn placeholder(self) -> String {
        match self {
            Self::Flag => "on|off".to_owned(),
            Self::Count { .. } => "N".to_owned(),
            Self::Size { .. } => "SIZE".to_owned(),
            Self::Time => "SECONDS".to_owned(),
            Self::Choice(items) => words(items, "|"),
            Self::WordOrPath(items, path) => format!("{}|{path}", words(items, "|")),
            Self::Rules => "RULES".to_owned(),
            Self::Name(placeholder) | Self::Path(placeholder) => placeholder.to_owned(),
            Self::Placement(part) => part.placeholder().to_owned(),
        }
    }
}

fn words(items: &[Item], separator: &str) -> String {
    let names: Vec<_> = items.iter().map(|item| item.name).collect();
    names.join(separator)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A number of bytes: `4096`, `64K`, `8M`, `1GiB`.
fn size(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let text = text.strip_suffix('b').unwrap_or(&text);
    let text = text.strip_suffix('i').unwrap_or(text);
    let digits = text.trim_end_matches(['k', 'm', 'g']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

fn show_size(bytes: u64) -> String {
    let mut text = String::new();
    let (unit, shift) = match bytes {
        0 => ("", 0),
        bytes if bytes.trailing_zeros() >= 30 => ("G", 30),
        bytes if bytes.trailing_zeros() >= 20 => ("M", 20),
        bytes if bytes.trailing_zeros() >= 10 => ("K", 10),
        _ => ("", 0),
    };
    write!(text, "{}{unit}", bytes >> shift).expect("a String can always be written to");
    text
}

fn milliseconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.strip_suffix('s').unwrap_or(text).parse().ok()?;
    // A negative or too large time, and what is no number, becomes one that is not allowed.
    Some((seconds * 1000.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_times_are_in_seconds() {
        let size = Kind::Size {
            least: 64 << 10,
            most: 64 << 30,
        };
        assert_eq!(size.parse("512K"), Some(512 << 10));
        assert_eq!(size.parse("64MiB"), Some(64 << 20));
        assert_eq!(size.parse("65537"), Some(65537));
        for bad in ["12", "99999999999G", "K", "1KM", "-1", "", "65G"] {
            assert_eq!(size.parse(bad), None, "{bad}");
        }
        assert_eq!(Kind::Time.parse("1.5"), Some(1500));
        assert_eq!(Kind::Time.parse("2s"), Some(2000));
        for bad in ["0", "nan", "-1", "1e40", "inf", "soon"] {
            assert_eq!(Kind::Time.parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_shown_can_be_read() {
        const WORDS: &[Item] = &[Item { name: "a", doc: "" }, Item { name: "b", doc: "" }];
        let all = Kind::Size {
            least: 0,
            most: u64::MAX,
        };
        for (kind, value) in [
            (Kind::Flag, 0),
            (Kind::Flag, 1),
            (
                Kind::Count {
                    least: 0,
                    most: u64::MAX,
                },
                u64::MAX,
            ),
            (all, 0),
            (all, 3 << 20),
            (all, 1025),
            (Kind::Time, 1250),
            (Kind::Choice(WORDS), 1),
        ] {
            assert_eq!(kind.parse(&kind.show(value)), Some(value), "{kind:?} {value}");
        }
        assert!(!Kind::Choice(WORDS).allows(2) && !Kind::Flag.allows(2));
        assert_eq!(Kind::Choice(WORDS).expected(), "one of a, b");
        assert_eq!(
            Kind::Count {
                least: 0,
                most: u64::MAX
            }
            .parse("0xff"),
            Some(255)
        );
    }
}
