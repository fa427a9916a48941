//! The check that the arguments of all ranks are consistent.
//!
//! A sender and its receiver must name the same elements, and operands that are combined must be alike. More data than
//! there is room for is always an error. Everything else is found here before any data moves, when the setting `check`
//! asks for it. Different operations and different roots show earlier, by the ranks' calls ([`Call`]); so do operations
//! of reductions and lists of counts when everything is checked ([`Call::with_arguments`]).

use super::all_buffers::AllBuffers;
use super::call::Call;
use super::pattern::{Transfer, for_each};
use super::task::Task;
use simurgh_settings::rules::Operation;

use std::fmt::Display;

use crate::datatype::{Basic, Datatype, Digest, Signature};
use crate::error::{Error, ErrorClass, Result};
use crate::memory::{Source, Target};
use crate::portable::portable;

/// A summary of the elements in a buffer, as hosts send it to each other.
#[derive(Clone, Debug)]
pub(super) struct ContentSummary {
    bytes: usize,
    /// Whether the elements may be any: the datatype is `MPI_PACKED`.
    packed: bool,
    digest: Digest,
    /// The type signature in words.
    text: String,
}

portable! {
    ContentSummary { bytes, packed, digest, text }
}

impl ContentSummary {
    /// The elements that a buffer holds.
    pub(super) fn sent(source: &Source) -> Self {
        Content::sent(source).summary()
    }

    /// The elements for which a buffer has room.
    pub(super) fn received(target: &Target) -> Self {
        Content::received(target).summary()
    }

    /// Whether both have the same elements. Packed data may hold any.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.bytes == other.bytes && (self.packed || other.packed || self.digest == other.digest)
    }
}

/// The elements in a buffer.
#[derive(Clone, Copy)]
struct Content<'a> {
    count: usize,
    datatype: &'a Datatype,
}

/// Compares the arguments of all ranks of a collective.
///
/// # Errors
///
/// [`ErrorClass::Truncate`], [`ErrorClass::Count`] or [`ErrorClass::Type`], which names two ranks and what they bring.
pub(super) fn check_consistency(call: Call, task: &Task, all_buffers: AllBuffers<'_>) -> Result<()> {
    match task {
        Task::ProcNull {
            operation: Operation::Reduce,
            ..
        }
        | Task::Reduce { .. }
        | Task::Allreduce { .. }
        | Task::Scan { .. }
        | Task::Exscan { .. } => compare_all(call, all_buffers, true),
        Task::ReduceScatter { .. } => compare_all(call, all_buffers, false),
        _ => for_each(task, all_buffers, |transfer| {
            compare_ends(call, all_buffers, &transfer)
        }),
    }
}

/// Refuses a transfer whose two ends have different elements.
fn compare_ends(call: Call, all_buffers: AllBuffers<'_>, transfer: &Transfer) -> Result<()> {
    let (sent, taken) = (
        Content::sent(&transfer.source),
        Content::received(&transfer.target),
    );
    if sent.matches(taken) {
        return Ok(());
    }
    let names = (all_buffers.name(transfer.from), all_buffers.name(transfer.to));
    Err(mismatch(&call, names, &sent.summary(), &taken.summary()))
}

/// Refuses operands of a reduction that differ, and results of different size if all ranks get the whole result.
fn compare_all(call: Call, all_buffers: AllBuffers<'_>, whole_result: bool) -> Result<()> {
    let contents = (0..all_buffers.len()).flat_map(|seat| {
        let buffers = all_buffers.at(seat);
        let source = buffers
            .whole_source()
            .map(|source| (seat, "brings", Content::sent(source)));
        let target = buffers.whole_target().filter(|_| whole_result);
        let target = target.map(|target| (seat, "takes", Content::received(target)));
        source.into_iter().chain(target)
    });
    let mut contents = contents.peekable();
    let Some(&first) = contents.peek() else {
        return Ok(());
    };
    match contents.find(|(_, _, content)| !content.matches(first.2)) {
        None => Ok(()),
        Some(other) => {
            let summarise = |(seat, does, content): (usize, &'static str, Content<'_>)| {
                (all_buffers.name(seat), does, content.summary())
            };
            Err(unequal_operands(&call, summarise(first), summarise(other)))
        }
    }
}

impl<'a> Content<'a> {
    fn sent(source: &'a Source) -> Self {
        Self {
            count: source.count(),
            datatype: source.datatype(),
        }
    }

    fn received(target: &'a Target) -> Self {
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

    /// The sequence of predefined datatypes of which it consists.
    fn signature(self) -> Signature {
        self.datatype.signature().repeat(self.count)
    }

    fn summary(self) -> ContentSummary {
        let signature = self.signature();
        ContentSummary {
            bytes: self.bytes(),
            packed: self.is_packed(),
            digest: signature.digest(),
            text: signature.to_string(),
        }
    }

    /// As [`ContentSummary::matches`].
    fn matches(self, other: Self) -> bool {
        if self.is_packed() || other.is_packed() {
            return self.bytes() == other.bytes();
        }
        let alike = self.count == other.count && self.datatype == other.datatype;
        alike || self.signature().digest() == other.signature().digest()
    }
}

/// The error of a rank that sends other elements than another rank receives from it.
#[cold]
pub(super) fn mismatch(
    call: &dyn Display,
    (from, to): (String, String),
    sent: &ContentSummary,
    taken: &ContentSummary,
) -> Error {
    let class = match sent.bytes.cmp(&taken.bytes) {
        std::cmp::Ordering::Greater => ErrorClass::Truncate,
        std::cmp::Ordering::Less => ErrorClass::Count,
        std::cmp::Ordering::Equal => ErrorClass::Type,
    };
    let (sent, taken) = (&sent.text, &taken.text);
    Error::new(
        class,
        format!(
            "in {call}, {from} sends {sent}, but {to} takes {taken} from it: make counts and datatypes agree"
        ),
    )
}

/// The error of ranks that bring different operands to a reduction: each rank's name, what it does (a verb) and its
/// elements.
#[cold]
pub(super) fn unequal_operands(
    call: &dyn Display,
    (rank, does, one): (String, &str, ContentSummary),
    (other_rank, other_does, other): (String, &str, ContentSummary),
) -> Error {
    let class = if one.bytes == other.bytes {
        ErrorClass::Type
    } else {
        ErrorClass::Truncate
    };
    let (one, other) = (one.text, other.text);
    Error::new(
        class,
        format!(
            "in {call}, {rank} {does} {one}, but {other_rank} {other_does} {other}: all ranks must give the same \
             count and datatype"
        ),
    )
}
