//! Data of all ranks for all ranks of all hosts.
//!
//! Each host packs what its ranks bring into a block; the blocks go around, and every rank takes its data from there.
//! All ranks know how much each gives, so no lengths have to be told.

use simurgh_settings::rules::Algorithm;

use super::super::deliver::{deliver, truncated};
use super::super::offers::Offers;
use super::blocks::Blocks;
use super::talk::Talk;
use super::way::Way;
use super::{bruck, ring};
use crate::comm::Span;
use crate::error::Result;
use crate::limits::WORK_PIECE;
use crate::memory::{Writer, as_bytes, transfer};
use simurgh_core::sync::SpinLock;

/// What all bring, as the first rank of this host takes it.
struct Layout {
    /// Bytes of each seat.
    lengths: Vec<usize>,
    /// Where the data of each seat begins in the block of its host.
    starts: Vec<usize>,
}

impl Layout {
    fn of(offers: Offers<'_>, span: &Span) -> Self {
        let first = span.local().first().map_or(0, |&seat| seat as usize);
        let taken = |seat| offers.at(first).target_part(seat).map_or(0, |part| part.bytes());
        let lengths: Vec<usize> = (0..offers.len()).map(taken).collect();
        let mut starts = vec![0; lengths.len()];
        for host in 0..span.hosts() {
            span.seats(host).iter().fold(0, |start, &seat| {
                starts[seat as usize] = start;
                start + lengths[seat as usize]
            });
        }
        Self { lengths, starts }
    }
}

/// Bytes that a rank of this host gets, which is the same on all.
pub(super) fn bytes_here(offers: Offers<'_>, span: &Span) -> usize {
    let first = span.local().first().map_or(0, |&seat| seat as usize);
    offers
        .at(first)
        .recv
        .as_ref()
        .map_or(0, |recv| recv.bytes(offers.len()))
}

/// Gives all data to all ranks.
pub(super) fn gather<W: Way>(
    talk: &Talk<'_, W>,
    offers: Offers<'_>,
    span: &Span,
    algorithm: Algorithm,
) -> Result<()> {
    let layout = Layout::of(offers, span);
    let length = |host| {
        span.seats(host)
            .iter()
            .map(|&seat| layout.lengths[seat as usize])
            .sum()
    };
    let blocks = Blocks::new((0..span.hosts()).map(length));
    fill(offers, span, &layout, &blocks)?;
    match algorithm {
        Algorithm::Ring => ring::spread(talk, &blocks),
        _ => bruck::spread(talk, &blocks),
    }?;
    hand_out(offers, span, &layout, &blocks)
}

/// Packs what the ranks of this host bring.
fn fill(offers: Offers<'_>, span: &Span, layout: &Layout, blocks: &Blocks) -> Result<()> {
    span.local().iter().try_for_each(|&seat| {
        let seat = seat as usize;
        let (room, source) = (layout.lengths[seat], offers.at(seat).source());
        let place = blocks.within(span.own(), layout.starts[seat], room);
        match source {
            Some(source) if source.bytes() == room => {
                transfer(&source, &place);
                Ok(())
            }
            source => {
                let bytes = source.map_or(0, |source| source.bytes());
                Err(truncated(offers.seating(), (seat, bytes), (seat, room)))
            }
        }
    })
}

/// Gives all data to the ranks of this host, with the help of idle virtual processors.
fn hand_out(offers: Offers<'_>, span: &Span, layout: &Layout, blocks: &Blocks) -> Result<()> {
    let (seats, fault) = (span.local(), SpinLock::new(None));
    let work = blocks.of(0..span.hosts()).bytes().saturating_mul(seats.len());
    let pieces = (work / WORK_PIECE).clamp(1, seats.len());
    simurgh_core::share(pieces, &|piece| {
        for &seat in seats.iter().skip(piece).step_by(pieces) {
            if let Err(error) = take(offers, span, seat as usize, layout, blocks) {
                fault.lock().get_or_insert(error);
            }
        }
    });
    fault.lock().take().map_or(Ok(()), Err)
}

/// Gives all data to a rank.
fn take(offers: Offers<'_>, span: &Span, seat: usize, layout: &Layout, blocks: &Blocks) -> Result<()> {
    let offer = offers.at(seat);
    let all = blocks.of(0..span.hosts());
    let together = offer.recv.as_ref().and_then(|recv| recv.together(offers.len()));
    if let Some(target) = together.as_ref().and_then(as_bytes)
        && span.is_ordered()
        && target.bytes() == all.bytes()
    {
        transfer(&all.as_source(), &target);
        return Ok(());
    }
    let writer = Writer::new(0).alone();
    for from in (0..offers.len()).filter(|from| *from != seat || !offer.in_place) {
        let (host, start) = (span.position_of(from), layout.starts[from]);
        let source = blocks.within(host, start, layout.lengths[from]).as_source();
        let target = offer.target_part(from);
        deliver(&writer, offers.seating(), Some(source), from, target, seat)?;
    }
    Ok(())
}
