//! Rank numbers as ranges.

use std::fmt::Write;

/// Ascending numbers as ranges: `0-3, 7`.
pub(super) fn ranges(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let mut text = String::new();
    for (first, last) in runs {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = match first == last {
            true => write!(text, "{separator}{first}"),
            false => write!(text, "{separator}{first}-{last}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined() {
        assert_eq!(ranges([0, 1, 2, 3, 7, 9, 10]), "0-3, 7, 9-10");
        assert_eq!(ranges([]), "");
    }
}
