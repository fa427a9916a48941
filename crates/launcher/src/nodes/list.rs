//! Lists of nodes: `a,b:4,n[1-3,07-10]:2`.

use super::Node;
use crate::error::NodesError;

/// Most nodes that a range stands for.
const MOST: u64 = 1 << 16;

/// Reads a list. `origin` names the option or info key in messages.
///
/// # Errors
///
/// When the list cannot be understood.
pub(super) fn parse(origin: &str, text: &str) -> Result<Vec<Node>, NodesError> {
    let wrong = || NodesError::List {
        origin: origin.to_owned(),
        text: text.to_owned(),
    };
    let mut nodes = Vec::new();
    for item in split(text).ok_or_else(wrong)? {
        let (names, slots) = with_slots(item).ok_or_else(wrong)?;
        let names = expand(names).ok_or_else(wrong)?;
        nodes.extend(names.into_iter().map(|name| Node { name, slots }));
    }
    if nodes.is_empty() {
        return Err(wrong());
    }
    Ok(merged(nodes))
}

/// Merges nodes that are named more than once: their slots add up.
pub(super) fn merged(nodes: Vec<Node>) -> Vec<Node> {
    let mut merged: Vec<Node> = Vec::new();
    for node in nodes {
        match merged.iter_mut().find(|known| known.name == node.name) {
            Some(known) => known.slots = known.slots.saturating_add(node.slots),
            None => merged.push(node),
        }
    }
    merged
}

/// The names that Slurm's notation stands for: `n[1-3],m`.
pub(super) fn names(text: &str) -> Option<Vec<String>> {
    let items = split(text)?.into_iter().map(expand);
    Some(items.collect::<Option<Vec<_>>>()?.concat())
}

/// A name and the number behind its colon, which is 1 if there is none.
pub(super) fn with_slots(item: &str) -> Option<(&str, u32)> {
    match item.rsplit_once(':') {
        // More colons are an IPv6 address.
        Some((name, slots)) if !name.contains(':') => {
            let slots = slots.parse().ok().filter(|&slots| slots > 0)?;
            Some((name, slots))
        }
        _ => Some((item, 1)),
    }
}

/// Whether a text may be a host's name or address. It becomes a word of a command, and must not look like an option.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:@%".contains(&byte);
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(allowed)
}

/// The items between commas that are not in brackets.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut items, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' if !inside => inside = true,
            b']' if inside => inside = false,
            b'[' | b']' => return None,
            b',' if !inside => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    (!inside).then_some(items)
}

/// The names of one item, with its ranges written out. Several brackets multiply.
fn expand(item: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = item.split_once('[') else {
        return is_name(item).then(|| vec![item.to_owned()]);
    };
    let (ranges, after) = rest.split_once(']')?;
    let tails = match after {
        "" => vec![String::new()],
        after => expand(after)?,
    };
    let mut names = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (from, to): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if from > to || to - from >= MOST {
            return None;
        }
        let width = first.len();
        let heads = (from..=to).map(|number| format!("{before}{number:0width$}"));
        names.extend(heads.flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))));
    }
    (!names.is_empty() && names.len() as u64 <= MOST && names.iter().all(|name| is_name(name)))
        .then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let nodes = parse("-hosts", text).unwrap();
        nodes
            .iter()
            .map(|node| format!("{}:{}", node.name, node.slots))
            .collect()
    }

    #[test]
    fn names_have_slots_and_ranges() {
        assert_eq!(shown("a,b:4"), ["a:1", "b:4"]);
        assert_eq!(shown("a,b,a:2"), ["a:3", "b:1"]);
        assert_eq!(
            shown("n[1-2,08-10],m"),
            ["n1:1", "n2:1", "n08:1", "n09:1", "n10:1", "m:1"]
        );
        assert_eq!(
            shown("r[1-2]n[3,4]x:2"),
            ["r1n3x:2", "r1n4x:2", "r2n3x:2", "r2n4x:2"]
        );
        assert_eq!(shown("::1,10.0.0.1:2"), ["::1:1", "10.0.0.1:2"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in [
            "",
            "a,,b",
            "a:0",
            "a:x",
            "n[1-",
            "n[3-1]",
            "n[1-99999999]",
            "-oProxyCommand=x",
            "a b",
            "a;b",
        ] {
            let error = parse("option -hosts", text).unwrap_err();
            assert!(error.to_string().contains("host names"), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_a_result(text in "[a-c0-9\\[\\],:-]{0,24}") {
            let _ = parse("-hosts", &text);
        }
    }
}
