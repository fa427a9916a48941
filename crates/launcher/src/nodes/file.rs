//! Files of nodes, in the forms of MPICH (`name:4`) and Open MPI (`name slots=4`).

use super::Node;
use super::list::{is_name, merged, with_slots};
use crate::error::NodesError;
use std::path::Path;

/// Longest file that is read, in bytes.
const MOST: usize = 16 << 20;

/// Reads a file.
///
/// # Errors
///
/// When it cannot be read or understood, or names no node.
pub(super) fn read(file: &Path) -> Result<Vec<Node>, NodesError> {
    let failed = |reason: String| NodesError::File {
        file: file.to_path_buf(),
        reason,
    };
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    if text.len() > MOST {
        return Err(failed(format!("longer than {MOST} bytes")));
    }
    let mut nodes = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let said = line.split('#').next().unwrap_or_default().trim();
        if said.is_empty() {
            continue;
        }
        nodes.push(parse(said).ok_or_else(|| NodesError::Line {
            file: file.to_path_buf(),
            line: number,
            text: line.to_owned(),
        })?);
    }
    if nodes.is_empty() {
        return Err(NodesError::Empty {
            file: file.to_path_buf(),
        });
    }
    Ok(merged(nodes))
}

/// Reads one line. Open MPI's `max_slots` has no meaning here, since ranks may outnumber cores.
fn parse(line: &str) -> Option<Node> {
    let mut words = line.split_whitespace();
    let (name, mut slots) = with_slots(words.next()?)?;
    for word in words {
        match word.split_once('=')? {
            ("slots", number) => slots = number.parse().ok().filter(|&slots| slots > 0)?,
            ("max_slots" | "max-slots", number) => drop(number.parse::<u32>().ok()?),
            // MPICH's words for the interface and the binding.
            ("ifname" | "binding" | "user" | "maxprocs", _) => {}
            _ => return None,
        }
    }
    is_name(name).then(|| Node {
        name: name.to_owned(),
        slots,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<(String, u32)> {
        parse(line).map(|node| (node.name, node.slots))
    }

    #[test]
    fn both_forms_are_read() {
        assert_eq!(of("a"), Some(("a".into(), 1)));
        assert_eq!(of("a:4"), Some(("a".into(), 4)));
        assert_eq!(of("a slots=3 max_slots=8"), Some(("a".into(), 3)));
        assert_eq!(of("a:2 ifname=ib0"), Some(("a".into(), 2)));
        for line in ["a slots=0", "a 4", "a slots=x", "a:", "-x", "a fast=1"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
