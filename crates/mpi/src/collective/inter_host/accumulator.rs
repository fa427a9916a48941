//! What is combined as it goes from host to host.

use crate::error::Result;
use crate::memory::{Elements, Source, Target, transfer};
use crate::op::{Bound, Op};

/// Elements that hosts combine: what this one has so far, and room for what comes from another.
pub(super) struct Accumulator<'a> {
    bound: Bound<'a>,
    value: Elements,
    incoming: Elements,
    count: usize,
    /// Where the first of them lies among those of the ranks.
    start: usize,
}

/// Some of the elements: start and number.
pub(super) type Piece = (usize, usize);

/// Where what comes stands in the order of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Before what is there.
    Before,
    /// Behind it.
    Behind,
    /// Anywhere, because one host alone does it and the operation commutes.
    Either,
}

impl<'a> Accumulator<'a> {
    /// Room for as many elements as `like` has.
    pub(super) fn new(op: &'a Op, like: &Source) -> Result<Self> {
        let (datatype, count) = (like.datatype(), like.count());
        Ok(Self {
            bound: op.bind(datatype)?,
            value: Elements::new(datatype, count),
            incoming: Elements::new(datatype, count),
            count,
            start: 0,
        })
    }

    /// The same, for the ranks' elements from a place on.
    pub(super) fn from(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// Where they lie among the ranks' elements.
    pub(super) fn whereabouts(&self) -> Piece {
        (self.start, self.count)
    }

    /// All elements.
    pub(super) fn all(&self) -> Piece {
        (0, self.count)
    }

    /// Those of part `index` of `of` about equal ones.
    pub(super) fn part(&self, index: usize, of: usize) -> Piece {
        let bound = |index: usize| self.count / of * index + (self.count % of).min(index);
        (bound(index), bound(index + 1) - bound(index))
    }

    /// What this host has, in place.
    pub(super) fn value(&self, (start, len): Piece) -> Target {
        self.value.target().slice(start, len)
    }

    /// Room for what comes.
    pub(super) fn incoming(&self, (start, len): Piece) -> Target {
        self.incoming.target().slice(start, len)
    }

    /// How elements are combined.
    pub(super) fn bound(&self) -> &Bound<'a> {
        &self.bound
    }

    /// Combines what has come with what is there.
    pub(super) fn join(&self, piece: Piece, order: Order) {
        let (value, incoming) = (self.value(piece), self.incoming(piece));
        if order == Order::Behind {
            self.bound.apply(&value.as_source(), &incoming);
            transfer(&incoming.as_source(), &value);
        } else {
            self.bound.apply(&incoming.as_source(), &value);
        }
    }
}
