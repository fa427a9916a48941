//! Whether what all ranks bring fits together.
//!
//! What a rank sends and what another takes from it must be the same elements, and what is combined must be alike. More
//! than there is room for is always an error; the rest is found here, when the setting `check` asks for it, before any
//! data moves. Ranks that call different operations, or with different roots, are told from each other by what they
//! meet for ([`Call`]), and so are operations of reductions and lists of counts when all is checked
//! ([`Call::in_detail`]).

use super::call::Call;
use super::flow::{Flow, for_each};
use super::offers::Offers;
use super::task::Task;
use simurgh_settings::rules::Operation;

use crate::datatype::{Basic, Datatype, Signature};
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Source, Target};

/// Elements in a buffer.
#[derive(Clone, Copy)]
struct Content<'a> {
    count: usize,
    datatype: &'a Datatype,
}

/// Compares what all ranks bring to a collective.
///
/// # Errors
///
/// [`ErrorClass::Truncate`], [`ErrorClass::Count`] or [`ErrorClass::Type`], which names two ranks and what they bring.
pub(super) fn examine(call: Call, task: &Task, offers: Offers<'_>) -> Result<()> {
    match task {
        Task::Aside {
            operation: Operation::Reduce,
            ..
        }
        | Task::Reduce { .. }
        | Task::Allreduce { .. }
        | Task::Scan { .. }
        | Task::Exscan { .. } => compare_all(call, offers, true),
        Task::ReduceScatter { .. } => compare_all(call, offers, false),
        _ => for_each(task, offers, |flow| compare_ends(call, offers, &flow)),
    }
}

/// What is sent must be what is received.
fn compare_ends(call: Call, offers: Offers<'_>, flow: &Flow) -> Result<()> {
    let (sent, taken) = (Content::of(&flow.source), Content::to(&flow.target));
    if sent.is_like(taken) {
        return Ok(());
    }
    Err(misfit(call, offers, flow, sent, taken))
}

/// All ranks must bring the same to a reduction, and have the same room for its result if they get all of it.
fn compare_all(call: Call, offers: Offers<'_>, whole_result: bool) -> Result<()> {
    let contents = (0..offers.len()).flat_map(|seat| {
        let offer = offers.at(seat);
        let source = offer
            .whole_source()
            .map(|source| (seat, "brings", Content::of(source)));
        let target = offer.whole_target().filter(|_| whole_result);
        let target = target.map(|target| (seat, "takes", Content::to(target)));
        source.into_iter().chain(target)
    });
    let mut contents = contents.peekable();
    let Some(&first) = contents.peek() else {
        return Ok(());
    };
    match contents.find(|(_, _, content)| !content.is_like(first.2)) {
        None => Ok(()),
        Some(other) => Err(unlike(call, offers, first, other)),
    }
}

impl<'a> Content<'a> {
    fn of(source: &'a Source) -> Self {
        Self {
            count: source.count(),
            datatype: source.datatype(),
        }
    }

    fn to(target: &'a Target) -> Self {
        Self {
            count: target.count(),
            datatype: target.datatype(),
        }
    }

    fn bytes(self) -> usize {
        self.count.saturating_mul(self.datatype.size())
    }

    fn is_packed(self) -> bool {
        self.datatype.basic() == Some(Basic::Packed)
    }

    /// The predefined elements it consists of.
    fn signature(self) -> Signature {
        self.datatype.signature().repeat(self.count)
    }

    /// Whether both have the same elements. Packed data may hold any.
    fn is_like(self, other: Self) -> bool {
        if self.is_packed() || other.is_packed() {
            return self.bytes() == other.bytes();
        }
        let alike = self.count == other.count && self.datatype == other.datatype;
        alike || self.signature().digest() == other.signature().digest()
    }
}

#[cold]
fn misfit(call: Call, offers: Offers<'_>, flow: &Flow, sent: Content<'_>, taken: Content<'_>) -> Error {
    let class = match sent.bytes().cmp(&taken.bytes()) {
        std::cmp::Ordering::Greater => ErrorClass::Truncate,
        std::cmp::Ordering::Less => ErrorClass::Count,
        std::cmp::Ordering::Equal => ErrorClass::Type,
    };
    let (from, to) = (offers.name(flow.from), offers.name(flow.to));
    let (sent, taken) = (sent.signature(), taken.signature());
    Error::new(
        class,
        format!(
            "in {call}, {from} sends {sent}, but {to} takes {taken} from it: make counts and datatypes agree"
        ),
    )
}

#[cold]
fn unlike(
    call: Call,
    offers: Offers<'_>,
    (seat, does, one): (usize, &str, Content<'_>),
    (other_seat, other_does, other): (usize, &str, Content<'_>),
) -> Error {
    let class = if one.bytes() == other.bytes() {
        ErrorClass::Type
    } else {
        ErrorClass::Truncate
    };
    let (rank, other_rank) = (offers.name(seat), offers.name(other_seat));
    let (one, other) = (one.signature(), other.signature());
    Error::new(
        class,
        format!(
            "in {call}, {rank} {does} {one}, but {other_rank} {other_does} {other}: all ranks must give the same \
             count and datatype"
        ),
    )
}
