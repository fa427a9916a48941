//! What hosts tell each other of an access, to decide whether they exchange their pieces.

use std::ops::Range;

use crate::limits::{LONG_RUN, SAMPLE};
use crate::part::Part;

/// The parts of a host in an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The bytes of the file from the first to the last one.
    pub span: Range<u64>,
    /// Bytes of data.
    pub bytes: u64,
    /// About so many runs of bytes without gaps.
    pub runs: u64,
    /// Whether pieces can be put together by their offsets.
    pub is_plain: bool,
}

impl Pattern {
    /// The pattern of these parts.
    pub(crate) fn of<M>(parts: &[Part<M>]) -> Self {
        let parts: Vec<_> = parts.iter().filter(|part| part.bytes > 0).collect();
        let bytes = parts.iter().map(|part| part.bytes as u64).sum();
        if parts.iter().any(|part| !part.view.is_plain()) {
            return Self {
                span: 0..0,
                bytes,
                runs: 1,
                is_plain: false,
            };
        }
        let spans = parts.iter().map(|part| part.span());
        let span = spans.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
        Self {
            span: span.unwrap_or(0..0),
            bytes,
            runs: bytes / mean_run(&parts),
            is_plain: true,
        }
    }

    /// The range in which hosts with these patterns exchange pieces; none if it is better that each moves its own. That
    /// is so if they have long pieces, or their pieces do not interleave. With `always` they exchange them also then.
    /// They never do if the pieces are far apart, because there would be many windows with little in them.
    #[must_use]
    pub fn exchanged(all: &[Self], block: u64, always: bool) -> Option<Range<u64>> {
        let mut active: Vec<_> = all.iter().filter(|pattern| pattern.bytes > 0).collect();
        if active.iter().any(|pattern| !pattern.is_plain) {
            return None;
        }
        active.sort_unstable_by_key(|pattern| pattern.span.start);
        let range = active.first()?.span.start..active.iter().map(|pattern| pattern.span.end).max()?;
        let interleave = active
            .windows(2)
            .any(|pair| pair[1].span.start < pair[0].span.end);
        let sum = |one: u64, other: u64| one.saturating_add(other);
        let bytes = active.iter().map(|pattern| pattern.bytes).fold(0, sum);
        let runs = active.iter().map(|pattern| pattern.runs.max(1)).fold(0, sum);
        let sparse = (range.end - range.start) / 64 > bytes;
        let short = bytes / runs < block.max(LONG_RUN);
        (!sparse && (always || interleave && short)).then_some(range)
    }
}

/// The mean length of the first runs of these parts together, at least 1.
fn mean_run<M>(parts: &[&Part<M>]) -> u64 {
    let each = (SAMPLE / parts.len().max(1)).max(4);
    let (mut pieces, mut known_to) = (Vec::new(), u64::MAX);
    for part in parts {
        let mut walk = part.view.pieces(part.position, part.bytes);
        pieces.extend(
            walk.by_ref()
                .take(each)
                .map(|piece| (piece.offset, piece.len as u64)),
        );
        if let Some(next) = walk.next() {
            known_to = known_to.min(next.offset);
        }
    }
    pieces.sort_unstable();
    let (mut bytes, mut runs, mut end) = (0, 0, None);
    for (offset, len) in pieces.into_iter().take_while(|(offset, _)| *offset < known_to) {
        runs += u64::from(end.is_none_or(|end| offset > end));
        bytes += len;
        end = end.max(Some(offset + len));
    }
    (bytes / runs.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(span: Range<u64>, bytes: u64, runs: u64) -> Pattern {
        Pattern {
            span,
            bytes,
            runs,
            is_plain: true,
        }
    }

    #[test]
    fn short_pieces_that_interleave_are_exchanged() {
        let exchanged = |all: &[Pattern]| Pattern::exchanged(all, 4096, false);
        let nothing = pattern(0..0, 0, 0);
        let short = [
            pattern(0..1000, 500, 10),
            nothing.clone(),
            pattern(10..1010, 500, 10),
        ];
        assert_eq!(exchanged(&short), Some(0..1010));
        let apart = [pattern(0..1000, 500, 10), pattern(1000..2000, 500, 10)];
        assert_eq!(exchanged(&apart), None);
        assert_eq!(Pattern::exchanged(&apart, 4096, true), Some(0..2000));
        let long = [pattern(0..1 << 30, 1 << 29, 2), pattern(9..1 << 30, 1 << 29, 2)];
        assert_eq!(exchanged(&long), None);
        let sparse = [pattern(0..1 << 30, 500, 2), pattern(9..1 << 30, 500, 2)];
        assert_eq!(exchanged(&sparse), None);
        assert_eq!(Pattern::exchanged(&sparse, 4096, true), None);
        assert_eq!(exchanged(&[nothing.clone(), nothing]), None);
        let other = Pattern {
            is_plain: false,
            ..pattern(0..10, 5, 1)
        };
        assert_eq!(Pattern::exchanged(&[other, short[0].clone()], 4096, true), None);
    }
}
