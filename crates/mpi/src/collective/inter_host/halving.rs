//! Recursive halving (Rabenseifner's algorithm): the hosts combine halves, quarters and so on of the elements, until
//! each has a piece of the result. Then they pass the pieces on.
//!
//! Cost: 2 log2 H rounds, in which a host sends about twice the data in all, whatever the number of hosts. It suits
//! long data.

use super::accumulator::{Accumulator, Order, Piece};
use super::channel::Channel;
use super::power_of_two::PowerOfTwo;
use super::transport::Transport;
use crate::error::Result;

/// The halves of a piece in the round of `step`: the one that the host in this slot keeps, and the one that it leaves
/// to its partner.
fn halve((start, len): Piece, slot: usize, step: usize) -> (Piece, Piece) {
    let (lower, upper) = ((start, len / 2), (start + len / 2, len - len / 2));
    if slot & step == 0 {
        (lower, upper)
    } else {
        (upper, lower)
    }
}

/// The rounds, by the distance of the partner.
fn steps(power: PowerOfTwo) -> impl DoubleEndedIterator<Item = usize> {
    (0..power.slots.ilog2()).map(|round| 1 << round)
}

/// The piece of the result that the host in a slot has after all rounds.
fn piece_of(power: PowerOfTwo, all: Piece, slot: usize) -> Piece {
    steps(power).fold(all, |piece, step| halve(piece, slot, step).0)
}

/// Leaves in each slot a piece of the combination of all values.
fn reduce_scatter<W: Transport>(
    channel: &Channel<'_, W>,
    accumulator: &Accumulator<'_>,
    power: PowerOfTwo,
    slot: usize,
) -> Result<()> {
    steps(power).try_fold(accumulator.all(), |piece, step| {
        let (keep, leave) = halve(piece, slot, step);
        let other = power.host(slot ^ step);
        channel.exchange(
            other,
            &accumulator.value(leave).as_source(),
            other,
            &accumulator.incoming(keep),
        )?;
        accumulator.join(
            keep,
            if slot & step == 0 {
                Order::Behind
            } else {
                Order::Before
            },
        );
        Ok(keep)
    })?;
    Ok(())
}

/// Combines the values of all hosts at all of them, in the order of the hosts.
pub(super) fn allreduce<W: Transport>(channel: &Channel<'_, W>, accumulator: &Accumulator<'_>) -> Result<()> {
    let power = PowerOfTwo::of(channel.hosts());
    power.fold_in(channel, accumulator)?;
    if let Some(slot) = power.slot(channel.own()) {
        reduce_scatter(channel, accumulator, power, slot)?;
        for step in steps(power).rev() {
            let before = steps(power).take_while(|earlier| *earlier < step);
            let piece = before.fold(accumulator.all(), |piece, step| halve(piece, slot, step).0);
            let (have, want) = halve(piece, slot, step);
            let other = power.host(slot ^ step);
            channel.exchange(
                other,
                &accumulator.value(have).as_source(),
                other,
                &accumulator.value(want),
            )?;
        }
    }
    power.fold_out(channel, accumulator)
}

/// Combines the values of all hosts at one of them, in the order of the hosts.
pub(super) fn reduce<W: Transport>(
    channel: &Channel<'_, W>,
    accumulator: &Accumulator<'_>,
    root: usize,
) -> Result<()> {
    let power = PowerOfTwo::of(channel.hosts());
    power.fold_in(channel, accumulator)?;
    let slot = power.slot(channel.own());
    if let Some(slot) = slot {
        reduce_scatter(channel, accumulator, power, slot)?;
        if channel.own() != root {
            let piece = piece_of(power, accumulator.all(), slot);
            return channel.send(root, &accumulator.value(piece).as_source());
        }
    }
    if channel.own() == root {
        for other in (0..power.slots).filter(|other| Some(*other) != slot) {
            let piece = piece_of(power, accumulator.all(), other);
            channel.recv(power.host(other), &accumulator.value(piece))?;
        }
    }
    Ok(())
}
