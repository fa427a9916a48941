//! Pairwise exchange: each host exchanges data with each other host in turn.
//!
//! Cost: H - 1 rounds. In each, a host sends to one host and receives from one host, so that none is flooded.

use super::super::local_reduction::accumulate;
use super::accumulator::{Accumulator, Piece};
use super::channel::Channel;
use super::transport::Transport;
use crate::error::Result;
use crate::memory::{ElementBuffer, Source, Target};

/// Leaves at each host the pieces of the combination that belong to it: `pieces` gives those of a host. `result` is
/// called for each of this host's pieces with its index and a function that writes the piece, combined in the order of
/// the hosts.
pub(super) fn reduce_scatter<W: Transport>(
    channel: &Channel<'_, W>,
    accumulator: &Accumulator<'_>,
    pieces: impl Fn(usize) -> Vec<Piece>,
    mut result: impl FnMut(usize, &dyn Fn(&Target)),
) -> Result<()> {
    let (hosts, own) = (channel.hosts(), channel.own());
    let mine = pieces(own);
    let count = mine.iter().map(|(_, len)| len).sum();
    let datatype = accumulator.value(accumulator.all()).datatype().clone();
    let mut came: Vec<Option<ElementBuffer>> = (0..hosts).map(|_| None).collect();
    for step in 1..hosts {
        let (to, from) = ((own + step) % hosts, (own + hosts - step) % hosts);
        let sent: Vec<_> = pieces(to)
            .into_iter()
            .map(|piece| channel.start_send(to, &accumulator.value(piece).as_source()))
            .collect();
        let elements = ElementBuffer::new(&datatype, count);
        let received = slots(&mine).try_for_each(|place| {
            let (start, len) = place;
            channel.recv(from, &elements.target().slice(start, len))
        });
        received.and(channel.finish(sent))?;
        came[from] = Some(elements);
    }
    for (index, (piece, (start, len))) in mine.iter().zip(slots(&mine)).enumerate() {
        let source = |host: usize| -> Source {
            match &came[host] {
                Some(elements) => elements.source().slice(start, len),
                None => accumulator.value(*piece).as_source(),
            }
        };
        result(index, &|target| {
            let bound = accumulator.bound();
            // A user's function overwrites its right operand.
            if bound.is_builtin() {
                accumulate(bound, (0..hosts).map(source), target);
            } else {
                accumulate(bound, (0..hosts).rev().map(source), target);
            }
        });
    }
    Ok(())
}

/// The ranges of pieces that lie one behind the other.
fn slots(pieces: &[Piece]) -> impl Iterator<Item = Piece> {
    pieces.iter().scan(0, |end, (_, len)| {
        let start = *end;
        *end += len;
        Some((start, *len))
    })
}
