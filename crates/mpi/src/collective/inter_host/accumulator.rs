//! The value that a host combines with those of other hosts.

use crate::error::Result;
use crate::memory::{ElementBuffer, Source, Target, transfer};
use crate::op::{BoundOp, Op};

/// The partial result of one host in a reduction, with memory for the operand that comes from another host.
pub(super) struct Accumulator<'a> {
    bound: BoundOp<'a>,
    value: ElementBuffer,
    incoming: ElementBuffer,
    count: usize,
    /// Index of the first element among the ranks' elements.
    start: usize,
}

/// A range of elements: start and number.
pub(super) type Piece = (usize, usize);

/// The position of a received operand in the order of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Before the own value.
    Before,
    /// Behind the own value.
    Behind,
    /// Anywhere, because one host alone combines it and the operation commutes.
    Either,
}

impl<'a> Accumulator<'a> {
    /// An accumulator for as many elements as `like` has.
    pub(super) fn new(op: &'a Op, like: &Source) -> Result<Self> {
        let (datatype, count) = (like.datatype(), like.count());
        Ok(Self {
            bound: op.bind(datatype)?,
            value: ElementBuffer::new(datatype, count),
            incoming: ElementBuffer::new(datatype, count),
            count,
            start: 0,
        })
    }

    /// The same accumulator for the ranks' elements from `start` on.
    pub(super) fn from(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// The range among the ranks' elements.
    pub(super) fn range(&self) -> Piece {
        (self.start, self.count)
    }

    /// The range of all elements.
    pub(super) fn all(&self) -> Piece {
        (0, self.count)
    }

    /// The range of part `index`, when all elements are divided into `of` about equal parts.
    pub(super) fn part(&self, index: usize, of: usize) -> Piece {
        let bound = |index: usize| self.count / of * index + (self.count % of).min(index);
        (bound(index), bound(index + 1) - bound(index))
    }

    /// The own value.
    pub(super) fn value(&self, (start, len): Piece) -> Target {
        self.value.target().slice(start, len)
    }

    /// Memory for what is received.
    pub(super) fn incoming(&self, (start, len): Piece) -> Target {
        self.incoming.target().slice(start, len)
    }

    /// The operation, bound to the datatype.
    pub(super) fn bound(&self) -> &BoundOp<'a> {
        &self.bound
    }

    /// Combines what has been received with the own value.
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
