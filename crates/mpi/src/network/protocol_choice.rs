//! Gets or fragments: which of them brings the data of long messages sooner.
//!
//! Between processes of a node that have a core each, this depends on where the data lies. While it is in caches, the
//! kernel's one copy takes half as long as fragments do. If it is not, fragments are faster, because both processes
//! copy at the same time. So the times of both are measured, by size. The one that has been faster lately is taken, and
//! from time to time the other one, since programs have phases.

use std::array;
use std::time::Instant;

use simurgh_core::sync::{AtomicU64, Ordering};

/// The binary logarithms of the sizes that are told apart: from 8 KiB, of smaller ones and those, to 16 MiB.
const SMALLEST: u32 = 13;
const LARGEST: u32 = 24;
const CLASSES: usize = (LARGEST - SMALLEST + 1) as usize;
/// One of so many messages is brought by what has been slower, and more of the first ones: what comes first is slow,
/// because its pages have not been touched.
const TRIED: u64 = 64;
/// A time counts as at most so many times what has been seen so far: a process may have lost its core.
const OUTLIER: u64 = 4;

/// A protocol for the data of a message whose receive is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// The receiver reads it from the sender's memory.
    Get,
    /// The sender sends it in fragments.
    Fragments,
}

/// What is known about messages of some sizes. All of it is hints, so that every access is relaxed.
#[derive(Debug, Default)]
struct Times {
    messages: AtomicU64,
    /// The average of the last ones by each protocol, in nanoseconds for a MiB; 0 if there was none.
    averages: [AtomicU64; 2],
}

/// The choice between the protocols, for all hosts of the node.
#[derive(Debug)]
pub(super) struct ProtocolChoice {
    begin: Instant,
    /// When the last message in fragments was complete, in nanoseconds since `begin`.
    last_complete: AtomicU64,
    times: [Times; CLASSES],
}

impl Default for ProtocolChoice {
    fn default() -> Self {
        Self {
            begin: Instant::now(),
            last_complete: AtomicU64::new(0),
            times: array::from_fn(|_| Times::default()),
        }
    }
}

impl ProtocolChoice {
    /// The protocol for a message with so many bytes.
    pub(super) fn choose(&self, bytes: u64) -> Protocol {
        let times = self.times(bytes);
        let number = times.messages.fetch_add(1, Ordering::Relaxed);
        let [get, fragments] = times
            .averages
            .each_ref()
            .map(|average| average.load(Ordering::Relaxed));
        let is_get_faster = get == 0 || (fragments != 0 && get <= fragments);
        let is_early_try = (2..TRIED).contains(&number) && number.is_power_of_two();
        let is_try = is_early_try || number % TRIED == TRIED - 1;
        match is_get_faster != is_try {
            true => Protocol::Get,
            false => Protocol::Fragments,
        }
    }

    /// The time, in nanoseconds since some moment.
    pub(super) fn now(&self) -> u64 {
        self.begin.elapsed().as_nanos() as u64
    }

    /// Notes that a get of so many bytes, which began then, is over.
    pub(super) fn note_get(&self, bytes: u64, begin: u64) {
        self.note(Protocol::Get, bytes, self.now().saturating_sub(begin));
    }

    /// Notes that a message of so many bytes in fragments, which was asked for then, is complete. It counts from when
    /// the one before was complete if that was later: the sender sends one after the other.
    pub(super) fn note_fragments(&self, bytes: u64, begin: u64) {
        let now = self.now();
        let before = self.last_complete.swap(now, Ordering::Relaxed);
        self.note(Protocol::Fragments, bytes, now.saturating_sub(begin.max(before)));
    }

    fn note(&self, protocol: Protocol, bytes: u64, nanoseconds: u64) {
        let average = &self.times(bytes).averages[protocol as usize];
        let new = ((nanoseconds << 20) / bytes.max(1)).max(1);
        let old = average.load(Ordering::Relaxed);
        let next = match old {
            0 => new,
            _ if new < old => old.midpoint(new),
            _ => old + (new.min(OUTLIER * old) - old) / 8,
        };
        average.store(next, Ordering::Relaxed);
    }

    fn times(&self, bytes: u64) -> &Times {
        let log = bytes.max(1).ilog2().clamp(SMALLEST, LARGEST);
        &self.times[(log - SMALLEST) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 100_000;

    /// Lets so many messages come that take these times, in nanoseconds. Returns how many were got.
    fn receive(choice: &ProtocolChoice, messages: usize, [get, fragments]: [u64; 2]) -> usize {
        let protocols = (0..messages).map(|_| choice.choose(BYTES));
        let gets = protocols.filter(|protocol| {
            let time = [get, fragments][*protocol as usize];
            choice.note(*protocol, BYTES, time);
            *protocol == Protocol::Get
        });
        gets.count()
    }

    #[test]
    fn the_faster_protocol_brings_nearly_all_messages() {
        let choice = ProtocolChoice::default();
        assert!(receive(&choice, 1000, [5000, 10_000]) > 970);
        let choice = ProtocolChoice::default();
        assert!(receive(&choice, 1000, [10_000, 5000]) < 30);
    }

    #[test]
    fn the_choice_follows_a_program_into_another_phase() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [5000, 10_000]);
        assert!(receive(&choice, 1000, [40_000, 10_000]) < 60);
        assert!(receive(&choice, 1000, [5000, 10_000]) > 600);
    }

    #[test]
    fn a_message_that_takes_very_long_changes_nothing() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [5000, 10_000]);
        choice.note(Protocol::Get, BYTES, 50_000_000);
        assert!(receive(&choice, 100, [5000, 10_000]) > 95);
    }

    #[test]
    fn sizes_are_told_apart() {
        let choice = ProtocolChoice::default();
        choice.note(Protocol::Get, 1 << 14, 1000);
        choice.note(Protocol::Fragments, 1 << 14, 2000);
        choice.note(Protocol::Get, 1 << 20, 200_000);
        choice.note(Protocol::Fragments, 1 << 20, 100_000);
        assert_eq!(choice.choose(1 << 14), Protocol::Get);
        assert_eq!(choice.choose(1 << 20), Protocol::Fragments);
    }
}
