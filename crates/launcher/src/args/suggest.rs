//! The option that a mistyped one was meant to be.

use super::table::options;

/// The name most like `name`, with its dashes, if any is similar enough to be suggested.
pub(super) fn nearest(name: &str) -> Option<String> {
    options()
        .iter()
        .flat_map(|option| &option.names)
        .map(|&candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance * 2 < candidate.len().max(name.len()))
        .min()
        .map(|(_, candidate)| dashed(candidate))
}

/// An option's name as the help text writes it.
pub(super) fn dashed(name: &str) -> String {
    let one_dash = name.len() <= 2 || matches!(name, "wdir" | "env" | "genv");
    format!("{}{name}", if one_dash { "-" } else { "--" })
}

/// The edit distance of two names: insertions, deletions, replacements, and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if swapped {
                    best.min(rows[i - 2][j - 2] + 1)
                } else {
                    best
                }
            };
        }
    }
    rows[a.len()][b.len()]
}
