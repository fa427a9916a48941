//! Each host with each other in turn.
//!
//! Cost: H - 1 rounds; in each, a host sends what is for one other and receives from one other, so that nobody is
//! overrun.

use super::super::fold::accumulate;
use super::growing::{Growing, Piece};
use super::talk::Talk;
use super::way::Way;
use crate::error::Result;
use crate::memory::{Elements, Source, Target};

/// Leaves at each host the pieces of the combination that are its own: `pieces` says which those of a host are. They
/// come to `result`, one behind the other, combined in the order of the hosts.
pub(super) fn scatter<W: Way>(
    talk: &Talk<'_, W>,
    growing: &Growing<'_>,
    pieces: impl Fn(usize) -> Vec<Piece>,
    mut result: impl FnMut(usize, &dyn Fn(&Target)),
) -> Result<()> {
    let (hosts, own) = (talk.hosts(), talk.own());
    let mine = pieces(own);
    let count = mine.iter().map(|(_, len)| len).sum();
    let datatype = growing.value(growing.all()).datatype().clone();
    let mut came: Vec<Option<Elements>> = (0..hosts).map(|_| None).collect();
    for step in 1..hosts {
        let (to, from) = ((own + step) % hosts, (own + hosts - step) % hosts);
        let sent: Vec<_> = pieces(to)
            .into_iter()
            .map(|piece| talk.start_send(to, &growing.value(piece).as_source()))
            .collect();
        let elements = Elements::new(&datatype, count);
        let received = places(&mine).try_for_each(|place| {
            let (start, len) = place;
            talk.recv(from, &elements.target().slice(start, len))
        });
        received.and(talk.finish(sent))?;
        came[from] = Some(elements);
    }
    for (index, (piece, (start, len))) in mine.iter().zip(places(&mine)).enumerate() {
        let source = |host: usize| -> Source {
            match &came[host] {
                Some(elements) => elements.source().slice(start, len),
                None => growing.value(*piece).as_source(),
            }
        };
        result(index, &|target| {
            let bound = growing.bound();
            // A function of the user's takes its right operand and leaves the result there.
            if bound.is_builtin() {
                accumulate(bound, (0..hosts).map(source), target);
            } else {
                accumulate(bound, (0..hosts).rev().map(source), target);
            }
        });
    }
    Ok(())
}

/// Where pieces lie, one behind the other.
fn places(pieces: &[Piece]) -> impl Iterator<Item = Piece> {
    pieces.iter().scan(0, |end, (_, len)| {
        let start = *end;
        *end += len;
        Some((start, *len))
    })
}
