//! The types of events.

use super::Representation;
use simurgh_settings::{Category, Verbosity};

/// A type of events.
#[derive(Debug)]
pub struct EventType {
    /// Its name.
    pub name: &'static str,
    /// When such an event happens.
    pub doc: &'static str,
    /// The part of the library it belongs to.
    pub category: Category,
    /// Whom it concerns.
    pub verbosity: Verbosity,
    /// What an event carries.
    pub elements: &'static [Element],
}

/// One thing that an event carries.
#[derive(Debug)]
pub struct Element {
    /// Its name.
    pub name: &'static str,
    /// What it is in memory.
    pub representation: Representation,
}

const fn int(name: &'static str) -> Element {
    Element {
        name,
        representation: Representation::Int,
    }
}

const fn unsigned(name: &'static str) -> Element {
    Element {
        name,
        representation: Representation::Unsigned,
    }
}

/// What the events of a message carry: its sender, or for one that has yet to be fetched its receiver, as a rank of the
/// communicator and of the world respectively; the communicator by its number in the library, the world's is 0.
const FROM: &[Element] = &[int("source"), int("tag"), int("communicator"), unsigned("bytes")];
const TO: &[Element] = &[
    int("destination"),
    int("tag"),
    int("communicator"),
    unsigned("bytes"),
];

/// A message has found no receive.
pub(super) const UNEXPECTED: usize = 0;
/// A message has met its receive.
pub(super) const MATCHED: usize = 1;
/// A message stays with its sender until the receiver fetches it.
pub(super) const RENDEZVOUS: usize = 2;
/// The rank begins to wait.
pub(super) const BLOCKED: usize = 3;
/// The rank has waited.
pub(super) const WOKEN: usize = 4;
/// How many types there are.
pub(super) const KINDS: usize = 5;

/// All types, by index.
pub const TYPES: [EventType; KINDS] = [
    EventType {
        name: "message_unexpected",
        doc: "a message has come to this rank and found no receive",
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        elements: FROM,
    },
    EventType {
        name: "message_matched",
        doc: "a message to this rank has met its receive",
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerBasic,
        elements: FROM,
    },
    EventType {
        name: "rendezvous_started",
        doc: "a message of this rank stays in its memory until the receiver fetches it",
        category: Category::PointToPoint,
        verbosity: Verbosity::TunerDetail,
        elements: TO,
    },
    EventType {
        name: "rank_blocked",
        doc: "this rank begins to wait; the reason is 0 for a message, 1 for a request, 2 for a collective",
        category: Category::Scheduling,
        verbosity: Verbosity::TunerDetail,
        elements: &[int("reason")],
    },
    EventType {
        name: "rank_woken",
        doc: "this rank has waited so many nanoseconds; the reason is as that of rank_blocked",
        category: Category::Scheduling,
        verbosity: Verbosity::TunerDetail,
        elements: &[int("reason"), unsigned("nanoseconds")],
    },
];

/// What a rank waits for; the numbers are told to tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The counterpart of a blocking call.
    Message,
    /// A request.
    Request,
    /// Other ranks, in a collective.
    Collective,
}
