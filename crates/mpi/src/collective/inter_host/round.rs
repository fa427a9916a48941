//! The numbers by which hosts identify a collective in their messages.

use simurgh_settings::rules::Rule;

use crate::network::Rounds;

/// Identifies a collective of a communicator in messages between hosts. Collectives that may be under way at the same
/// time have different rounds, and so do calls that follow each other, as far as some ten million numbers go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// A blocking collective, by its number.
    Blocking(u64),
    /// A nonblocking collective, by its number.
    Nonblocking(u64),
    /// A persistent collective, by its number, and how often it has been started before.
    Persistent(u64, u64),
}

/// Number of rounds of each kind.
const ROUNDS: u64 = 1 << 25;

/// Starts of a persistent collective before its turns are used again.
const TIMES: u64 = Rounds::TURNS as u64;

/// Conversations of each round: one for each slice of the data.
const CONVERSATIONS: u64 = Rule::MOST_SLICES as u64;

impl Round {
    /// A round of a later start of the same persistent collective, which uses the same conversations and which no host
    /// can have begun.
    pub(super) fn later(self) -> Option<Self> {
        match self {
            Self::Persistent(number, time) => Some(Self::Persistent(number, time + TIMES / 2)),
            Self::Blocking(_) | Self::Nonblocking(_) => None,
        }
    }

    /// The numbers of its conversations; each slice of the data has one.
    pub(crate) fn of(self, context: u32) -> Rounds {
        let (kind, number, time) = match self {
            Self::Blocking(number) => (0, number, 0),
            Self::Nonblocking(number) => (1, number, 0),
            Self::Persistent(number, time) => (2, number, time),
        };
        Rounds {
            context,
            first: ((kind * ROUNDS + number % ROUNDS) * CONVERSATIONS) as i32,
            count: CONVERSATIONS as u32,
            turn: (time % TIMES) as u32,
        }
    }
}
