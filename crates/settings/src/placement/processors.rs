//! Lists of processors.

/// The numbers of processors are below this one.
pub const MOST_PROCESSORS: usize = 1024;

/// Parses a list such as `0-3,6`; none if it is not such a list.
#[must_use]
pub fn parse_processors(text: &str) -> Option<Vec<usize>> {
    let mut processors = Vec::new();
    for item in text.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last >= MOST_PROCESSORS {
            return None;
        }
        processors.extend(first..=last);
    }
    Some(processors)
}

/// The text of a list.
#[must_use]
pub fn show_processors(processors: &[usize]) -> String {
    let runs = processors.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[usize]| match (run.first(), run.last()) {
        (Some(first), Some(last)) if first != last => format!("{first}-{last}"),
        (Some(first), _) => first.to_string(),
        _ => String::new(),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_shown() {
        assert_eq!(parse_processors("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(show_processors(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        for text in ["", "a", "3-1", "1,,2", "0-99999999"] {
            assert_eq!(parse_processors(text), None, "{text}");
        }
    }
}
