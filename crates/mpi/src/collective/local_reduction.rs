//! Combining the elements of several ranks, by one rank.

use std::ops::Range;

use super::all_buffers::AllBuffers;
use super::buffers::Buffers;
use crate::datatype::Datatype;
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Scratch, Source, Target, Writer, transfer};
use crate::op::{BoundOp, Op};

/// A reduction as one rank carries it out, over its share of the elements.
pub(super) struct LocalReduction<'a> {
    bound: BoundOp<'a>,
    datatype: &'a Datatype,
    count: usize,
    /// Number of elements combined at a time.
    step: usize,
    all_buffers: AllBuffers<'a>,
    /// The seats whose elements are combined.
    seats: Range<usize>,
    /// Whether ranks of other hosts are left out.
    only_here: bool,
}

impl<'a> LocalReduction<'a> {
    /// The reduction over some seats.
    ///
    /// # Errors
    ///
    /// When the ranks do not bring the same number of elements, of the same size and extent.
    pub(super) fn new(op: &'a Op, all_buffers: AllBuffers<'a>, seats: Range<usize>) -> Result<Self> {
        Self::over(op, all_buffers, seats, false)
    }

    /// [`LocalReduction::new`] over those of the seats that are on this host.
    pub(super) fn here(op: &'a Op, all_buffers: AllBuffers<'a>, seats: Range<usize>) -> Result<Self> {
        Self::over(op, all_buffers, seats, true)
    }

    fn over(op: &'a Op, all_buffers: AllBuffers<'a>, seats: Range<usize>, only_here: bool) -> Result<Self> {
        let mut counted = seats
            .clone()
            .filter(|seat| !only_here || all_buffers.is_here(*seat));
        let first = counted.next().unwrap_or(seats.start);
        let Some(first) = all_buffers.at(first).whole_source() else {
            return Err(missing_buffer(all_buffers, first));
        };
        let reduction = Self {
            bound: op.bind(first.datatype())?,
            datatype: first.datatype(),
            count: first.count(),
            step: Scratch::capacity(first.datatype()),
            all_buffers,
            seats,
            only_here,
        };
        reduction.check_operands()?;
        Ok(reduction)
    }

    /// Number of elements that each rank brings.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Bytes of an element.
    pub(super) fn element(&self) -> usize {
        self.datatype.size()
    }

    /// Whether a buffer has the datatype and count of the result, so that partial results may be combined there.
    pub(super) fn fills(&self, target: &Target) -> bool {
        target.count() == self.count && target.datatype() == self.datatype
    }

    /// Memory for the partial result of a piece of at most `len` elements.
    pub(super) fn scratch(&self, len: usize) -> Scratch {
        Scratch::new(self.datatype, len.min(self.step))
    }

    /// The writer for the results, when so many ranks get all of them.
    pub(super) fn writer(&self, targets: usize) -> Writer {
        let bytes = self.count.saturating_mul(self.element());
        Writer::new(bytes.saturating_mul(self.seats.len() + targets))
    }

    /// The pieces in which a slice is combined: start and length.
    pub(super) fn pieces(&self, (start, len): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let (step, end) = (self.step, start + len);
        (start..end)
            .step_by(step)
            .map(move |from| (from, step.min(end - from)))
    }

    /// `inout = input op inout`.
    pub(super) fn apply(&self, input: &Source, inout: &Target) {
        self.bound.apply(input, inout);
    }

    /// The seats whose elements are combined.
    fn seats(&self) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
        let (all_buffers, only_here) = (self.all_buffers, self.only_here);
        let seats = self.seats.clone();
        seats.filter(move |seat| !only_here || all_buffers.is_here(*seat))
    }

    fn check_operands(&self) -> Result<()> {
        for seat in self.seats() {
            let Some(source) = self.all_buffers.at(seat).whole_source() else {
                return Err(missing_buffer(self.all_buffers, seat));
            };
            let datatype = source.datatype();
            if source.count() != self.count
                || datatype.size() != self.datatype.size()
                || datatype.extent() != self.datatype.extent()
                || datatype.basic().is_some() != self.datatype.basic().is_some()
            {
                return Err(self.disagreement(seat, source));
            }
        }
        Ok(())
    }

    /// Combines the elements of all seats from `start` on into `result`, in rank order.
    ///
    /// Predefined operations commute and begin with rank 0, as a loop over the ranks would. A user's function
    /// overwrites its right operand, so it begins with the last rank, which keeps the order.
    pub(super) fn combine(&self, (start, len): (usize, usize), result: &Target) {
        let sources = self
            .seats()
            .map(|seat| self.all_buffers.at(seat))
            .filter_map(Buffers::whole_source)
            .map(|source| source.slice(start, len));
        if self.bound.is_builtin() {
            accumulate(&self.bound, sources, result);
        } else {
            accumulate(&self.bound, sources.rev(), result);
        }
    }

    #[cold]
    fn disagreement(&self, seat: usize, source: &Source) -> Error {
        let name = self.all_buffers.name(seat);
        let (theirs, size) = (source.count(), source.datatype().size());
        let (mine, own) = (self.count, self.element());
        Error::new(
            ErrorClass::Truncate,
            format!(
                "{name} brings {theirs} elements of {size} bytes to a reduction of {mine} elements of {own} \
                 bytes: all ranks must give the same count and datatype"
            ),
        )
    }
}

/// Combines all sources into `result`, beginning with the first one.
pub(super) fn accumulate(bound: &BoundOp<'_>, mut sources: impl Iterator<Item = Source>, result: &Target) {
    if let Some(first) = sources.next() {
        transfer(&first, result);
    }
    loop {
        match std::array::from_fn(|_| sources.next()) {
            [Some(first), Some(second), Some(third), Some(fourth)] => {
                bound.apply_all([&first, &second, &third, &fourth], result);
            }
            last => {
                return last
                    .iter()
                    .flatten()
                    .for_each(|source| bound.apply(source, result));
            }
        }
    }
}

/// Copies a partial result to the receive buffer of a seat.
pub(super) fn hand_over(
    writer: &Writer,
    result: &Source,
    (start, len): (usize, usize),
    all_buffers: AllBuffers<'_>,
    seat: usize,
) -> Result<()> {
    let Some(target) = all_buffers.at(seat).whole_target() else {
        return Err(missing_buffer(all_buffers, seat));
    };
    let part = target.slice(start, len);
    if writer.transfer(result, &part).truncated {
        return Err(no_room(result, &part, &all_buffers.name(seat)));
    }
    Ok(())
}

#[cold]
fn missing_buffer(all_buffers: AllBuffers<'_>, seat: usize) -> Error {
    let name = all_buffers.name(seat);
    Error::new(
        ErrorClass::Buffer,
        format!("{name} gave no buffer to a reduction that needs one"),
    )
}

#[cold]
fn no_room(result: &Source, target: &Target, name: &str) -> Error {
    let (bytes, room) = (result.bytes(), target.bytes());
    Error::new(
        ErrorClass::Truncate,
        format!(
            "a part of a result is {bytes} bytes long, {name} has room for {room}: make the counts agree"
        ),
    )
}
