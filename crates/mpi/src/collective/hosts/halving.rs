//! Recursive halving (Rabenseifner's algorithm): the hosts combine halves, quarters and so on of the elements, until
//! each has a piece of the result, which they then pass on.
//!
//! Cost: 2 log2 H rounds, in which a host sends about twice the data in all, whatever their number: for long data.

use super::growing::{Growing, Order, Piece};
use super::powers::Powers;
use super::talk::Talk;
use super::way::Way;
use crate::error::Result;

/// What the host at a place keeps of a piece after the round of `step`, and what it leaves to the other.
fn halve((start, len): Piece, place: usize, step: usize) -> (Piece, Piece) {
    let (lower, upper) = ((start, len / 2), (start + len / 2, len - len / 2));
    if place & step == 0 {
        (lower, upper)
    } else {
        (upper, lower)
    }
}

/// The rounds, by how far the other host is.
fn steps(powers: Powers) -> impl DoubleEndedIterator<Item = usize> {
    (0..powers.places.ilog2()).map(|round| 1 << round)
}

/// The piece of the result that the host at a place has after all rounds.
fn piece_of(powers: Powers, all: Piece, place: usize) -> Piece {
    steps(powers).fold(all, |piece, step| halve(piece, place, step).0)
}

/// Leaves at each place a piece of the combination of all values.
fn scatter<W: Way>(talk: &Talk<'_, W>, growing: &Growing<'_>, powers: Powers, place: usize) -> Result<()> {
    steps(powers).try_fold(growing.all(), |piece, step| {
        let (keep, leave) = halve(piece, place, step);
        let other = powers.host(place ^ step);
        talk.exchange(
            other,
            &growing.value(leave).as_source(),
            other,
            &growing.incoming(keep),
        )?;
        growing.join(
            keep,
            if place & step == 0 {
                Order::Behind
            } else {
                Order::Before
            },
        );
        Ok(keep)
    })?;
    Ok(())
}

/// Combines the values of all hosts at all of them, in their order.
pub(super) fn combine<W: Way>(talk: &Talk<'_, W>, growing: &Growing<'_>) -> Result<()> {
    let powers = Powers::of(talk.hosts());
    powers.gather(talk, growing)?;
    if let Some(place) = powers.place(talk.own()) {
        scatter(talk, growing, powers, place)?;
        for step in steps(powers).rev() {
            let before = steps(powers).take_while(|earlier| *earlier < step);
            let piece = before.fold(growing.all(), |piece, step| halve(piece, place, step).0);
            let (have, want) = halve(piece, place, step);
            let other = powers.host(place ^ step);
            talk.exchange(
                other,
                &growing.value(have).as_source(),
                other,
                &growing.value(want),
            )?;
        }
    }
    powers.give_back(talk, growing)
}

/// Combines the values of all hosts at one of them, in their order.
pub(super) fn combine_at<W: Way>(talk: &Talk<'_, W>, growing: &Growing<'_>, root: usize) -> Result<()> {
    let powers = Powers::of(talk.hosts());
    powers.gather(talk, growing)?;
    let place = powers.place(talk.own());
    if let Some(place) = place {
        scatter(talk, growing, powers, place)?;
        if talk.own() != root {
            let piece = piece_of(powers, growing.all(), place);
            return talk.send(root, &growing.value(piece).as_source());
        }
    }
    if talk.own() == root {
        for other in (0..powers.places).filter(|other| Some(*other) != place) {
            let piece = piece_of(powers, growing.all(), other);
            talk.recv(powers.host(other), &growing.value(piece))?;
        }
    }
    Ok(())
}
