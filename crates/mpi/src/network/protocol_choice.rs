//! Gets or fragments: which of them brings the data of long messages sooner.
//!
//! Between processes of a node that have a core each, this depends on where the data lies. While it is in caches, the
//! kernel's one copy takes half as long as fragments do. If it is not, fragments are faster, because both processes
//! copy at the same time. So the times of both are measured, by size. The one that has been faster lately is taken, and
//! from time to time the other one, since programs have phases.
//!
//! A protocol needs some messages until what it works with is in the caches. So several messages in a row are brought
//! by the other one, and the first ones after each change do not count.

use std::array;
use std::ops::Range;
use std::time::Instant;

use simurgh_core::sync::{AtomicU64, Ordering};

/// The binary logarithms of the sizes that are told apart: from 8 KiB, of smaller ones and those, to 16 MiB.
const SMALLEST: u32 = 13;
const LARGEST: u32 = 24;
const CLASSES: usize = (LARGEST - SMALLEST + 1) as usize;
/// Of so many messages, those with these numbers are brought by what has been slower.
const PERIOD: u64 = 256;
const TRIED: Range<u64> = 8..16;
/// So many messages in a row by a protocol do not count before one does.
const WARM_UP: u64 = 3;
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
    /// The protocol of the last message in the lowest bit, and how many of the same were before it in a row above that.
    run: AtomicU64,
}

impl Times {
    /// Counts a message in the run of its protocol.
    fn count(&self, protocol: Protocol) {
        let run = self.run.load(Ordering::Relaxed);
        let next = match run & 1 == protocol as u64 {
            true => run + 2,
            false => protocol as u64,
        };
        self.run.store(next, Ordering::Relaxed);
    }

    /// Whether the time of the last message by a protocol counts.
    fn counts(&self, protocol: Protocol) -> bool {
        let run = self.run.load(Ordering::Relaxed);
        run & 1 == protocol as u64 && run >> 1 >= WARM_UP
    }
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
        let is_try = TRIED.contains(&(number % PERIOD));
        let protocol = match is_get_faster != is_try {
            true => Protocol::Get,
            false => Protocol::Fragments,
        };
        times.count(protocol);
        protocol
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
        let times = self.times(bytes);
        if !times.counts(protocol) {
            return;
        }
        let average = &times.averages[protocol as usize];
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

    /// Lets so many messages come, whose times in nanoseconds `time` says by their protocol and by how many of the same
    /// came before them in a row. Returns how many were got.
    fn receive_by(
        choice: &ProtocolChoice,
        (messages, bytes): (usize, u64),
        time: impl Fn(Protocol, usize) -> u64,
    ) -> usize {
        let (mut last, mut before, mut gets) = (Protocol::Get, 0, 0);
        for _ in 0..messages {
            let protocol = choice.choose(bytes);
            before = if protocol == last { before + 1 } else { 0 };
            last = protocol;
            choice.note(protocol, bytes, time(protocol, before));
            gets += usize::from(protocol == Protocol::Get);
        }
        gets
    }

    /// The same with two times, of gets and of fragments.
    fn receive(choice: &ProtocolChoice, messages: usize, times: [u64; 2]) -> usize {
        receive_by(choice, (messages, BYTES), |protocol, _| times[protocol as usize])
    }

    #[test]
    fn the_faster_protocol_brings_nearly_all_messages() {
        let choice = ProtocolChoice::default();
        assert!(receive(&choice, 1000, [5000, 10_000]) > 960);
        let choice = ProtocolChoice::default();
        assert!(receive(&choice, 1000, [10_000, 5000]) < 40);
    }

    #[test]
    fn the_choice_follows_a_program_into_another_phase() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [5000, 10_000]);
        assert!(receive(&choice, 1000, [40_000, 10_000]) < 60);
        assert!(receive(&choice, 1000, [5000, 10_000]) > 600);
    }

    #[test]
    fn a_protocol_that_needs_some_messages_to_be_fast_is_chosen() {
        let choice = ProtocolChoice::default();
        let time = |protocol, before| match protocol {
            Protocol::Get => 5000,
            Protocol::Fragments if before < 3 => 20_000,
            Protocol::Fragments => 3000,
        };
        assert!(receive_by(&choice, (1000, BYTES), time) < 40);
    }

    #[test]
    fn a_message_that_takes_very_long_changes_nothing() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [5000, 10_000]);
        choice.note(Protocol::Get, BYTES, 50_000_000);
        assert!(receive(&choice, 100, [5000, 10_000]) > 90);
    }

    #[test]
    fn sizes_are_told_apart() {
        let choice = ProtocolChoice::default();
        let time = |protocol, _| [1000, 2000][protocol as usize];
        receive_by(&choice, (100, 1 << 14), time);
        receive_by(&choice, (100, 1 << 20), |protocol, before| {
            3000 - time(protocol, before)
        });
        assert_eq!(choice.choose(1 << 14), Protocol::Get);
        assert_eq!(choice.choose(1 << 20), Protocol::Fragments);
    }
}
