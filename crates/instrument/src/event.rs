//! The types of events.

use super::Representation;
use simurgh_settings::{Category, Verbosity};

/// A type of events.
#[derive(Debug)]
pub struct EventType {
    /// Its name.
    pub name: &'static str,
    /// The description of the type: when such an event happens.
    pub doc: &'static str,
    /// The part of the library it belongs to.
    pub category: Category,
    /// The kind of user for whom the type is meant, and how much detail it gives.
    pub verbosity: Verbosity,
    /// The elements of an event, in their order.
    pub elements: &'static [Element],
}

/// An element: one value that an event carries.
#[derive(Debug)]
pub struct Element {
    /// Its name.
    pub name: &'static str,
    /// The representation of the element in memory.
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

/// The elements of an event that concerns a message. The first one is the rank of the sender in the communicator; for a
/// message that has yet to be fetched it is the rank of the receiver in the world instead. Communicators are told by
/// their number in the library; that of the world is 0.
const FROM: &[Element] = &[int("source"), int("tag"), int("communicator"), unsigned("bytes")];
const TO: &[Element] = &[
    int("destination"),
    int("tag"),
    int("communicator"),
    unsigned("bytes"),
];

/// A message has found no receive.
pub(super) const UNEXPECTED: usize = 0;
/// A message has been matched with its receive.
pub(super) const MATCHED: usize = 1;
/// A message stays in the memory of its sender until the receiver fetches it.
pub(super) const RENDEZVOUS: usize = 2;
/// The rank begins to wait.
pub(super) const BLOCKED: usize = 3;
/// The rank has finished waiting.
pub(super) const WOKEN: usize = 4;
/// The number of types.
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

/// The reason why a rank waits. Tools see the numbers of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A blocking call waits for its counterpart.
    Message,
    /// The rank waits for a request.
    Request,
    /// The rank waits for other ranks in a collective.
    Collective,
}
