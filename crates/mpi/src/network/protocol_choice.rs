//! Gets, gets in which the sender takes part, or fragments: which of them brings the data of long messages sooner.
//! And before that, whether a sender that waits should ask the receiver at all, or send the message eagerly.
//!
//! Between processes of a node that have a core each, this depends on where the data lies. While it is in caches, the
//! kernel's one copy takes half as long as fragments do. If it is not, what lets both processes copy at the same time
//! is faster. So the times of all are measured, by size. The one that has been fastest lately is taken, and from time
//! to time each of the others, since programs have phases.
//!
//! A protocol needs some messages until what it works with is in the caches. So several messages in a row are brought
//! by another one, and the first ones after each change do not count.
//!
//! Another protocol is taken only if it is clearly faster, since the times of messages differ by more than a little.
//! The slower another one was, the less often it is tried, so that all trials cost about one part in a hundred of
//! the time. All are tried when the one that was fastest takes longer than it did.
//!
//! The receiver chooses how it gets what it has been asked to receive. The sender chooses whether it asks: by what the
//! messages to its own process have taken, as processes of a node are alike. An eager message is copied twice, by both
//! processes at the same time, and needs no round trip. 512 KiB in caches take 9.3 us eagerly and 10.2 us otherwise on
//! AMD's Zen 5, but 38 and 20 us on an Intel Xeon. A process that receives no such messages asks, unless they are
//! short.

use std::array;

use simurgh_core::sync::{AtomicU64, Ordering};
use simurgh_core::time_stamp;

/// The binary logarithms of the sizes that are told apart: from 8 KiB, of smaller ones and those, to 16 MiB.
const SMALLEST: u32 = 13;
const LARGEST: u32 = 24;
const CLASSES: usize = (LARGEST - SMALLEST + 1) as usize;
/// A protocol that takes less than one part in so many longer is as good: times differ by as much from message to
/// message.
const HARDLY: u64 = 10;
/// So many messages in a row are brought by another protocol when it is tried.
const TRIAL: u64 = 8;
/// Trials may cost one part in so many of the time of the messages between them,
const SHARE: u64 = 200;
/// and there are at least and at most so many messages between two of the same protocol.
const BETWEEN: [u64; 2] = [256, 4096];
/// What has been tried among so many first messages is tried again after twice as many: their memory had to be mapped.
const FIRST: u64 = 32;
/// So many messages in a row by a protocol do not count before one does.
const WARM_UP: u64 = 3;
/// A longer time counts for one part in so many, a shorter one for half: what disturbs a message makes it longer.
const SLOWNESS: u64 = 8;
/// A time counts as at most so many times what has been seen so far: a process may have lost its core.
const OUTLIER: u64 = 4;

/// A sender that knows nothing sends so many bytes eagerly, and asks the receiver for more.
const SHORT: u64 = 128 << 10;

/// One of a few ways to do the same.
trait Way: Copy {
    /// Its number, less than four.
    fn index(self) -> usize;
}

/// A protocol for the data of a message whose receive is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// The sender sends it in fragments.
    Fragments,
    /// The receiver reads it from the sender's memory.
    Get,
    /// As a get, but the sender takes part.
    CooperativeGet,
}

/// How a sender that waits begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// It sends the data.
    Eager,
    /// It asks the receiver, by the rendezvous protocol.
    Rendezvous,
}

impl Way for Protocol {
    fn index(self) -> usize {
        self as usize
    }
}

impl Way for Start {
    fn index(self) -> usize {
        self as usize
    }
}

/// What is known about messages of some sizes. All of it is hints, so that every access is relaxed.
#[derive(Debug, Default)]
struct Times {
    messages: AtomicU64,
    /// How many messages there had been when each protocol was tried last, the first one of that trial included; 0 if
    /// it has never been.
    tried: [AtomicU64; 3],
    /// The trial that is under way: how many messages are left of it, above the two bits of its protocol.
    trial: AtomicU64,
    /// The protocol that is taken.
    taken: AtomicU64,
    /// The least average of that since all have been tried.
    level: AtomicU64,
    /// The average of the last ones by each protocol, in units of the clock for a MiB; 0 if there was none.
    averages: [AtomicU64; 3],
    /// The protocol of the last message in the two lowest bits, and how many of the same were before it in a row above
    /// them.
    run: AtomicU64,
}

impl Times {
    /// The protocol of the next message, of these.
    fn choose<W: Way>(&self, among: &[W]) -> W {
        let number = self.messages.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(tried) = self.continue_trial(among) {
            return tried;
        }
        let taken = self.take(among, number);
        let best = self.average(taken);
        if best == 0 {
            self.begin_trial(taken, number);
            return taken;
        }
        self.notice_phase(number, best);
        let mut others = among.iter().filter(|protocol| protocol.index() != taken.index());
        let due = others.find(|protocol| self.is_due(**protocol, number, best));
        if let Some(other) = due {
            self.begin_trial(*other, number);
        }
        *due.unwrap_or(&taken)
    }

    /// The fastest protocol of these, or the one taken so far if that is hardly slower. The first one while none has
    /// been measured. After that, one that has not been measured counts as the fastest, but not where it has been tried
    /// in vain: its messages may have come between others.
    fn take<W: Way>(&self, among: &[W], number: u64) -> W {
        let taken = self.taken.load(Ordering::Relaxed);
        let is_measured = |protocol: &W| self.average(*protocol) > 0;
        let is_any_measured = among.iter().any(is_measured);
        let is_open =
            |protocol: &&W| is_measured(protocol) || is_any_measured && !self.was_tried(**protocol, number);
        let open = among.iter().filter(is_open);
        let fastest = open.min_by_key(|protocol| self.average(**protocol));
        let fastest = *fastest.or(among.first()).expect("there is a protocol");
        let best = self.average(fastest);
        let is_as_good = |protocol: &&W| {
            let is_taken = is_measured(protocol) && protocol.index() as u64 == taken;
            is_taken && self.average(**protocol) <= best + best / HARDLY
        };
        if let Some(taken) = among.iter().find(is_as_good) {
            return *taken;
        }
        self.taken.store(fastest.index() as u64, Ordering::Relaxed);
        fastest
    }

    /// The protocol that is being tried, for one more message.
    fn continue_trial<W: Way>(&self, among: &[W]) -> Option<W> {
        let trial = self.trial.load(Ordering::Relaxed);
        let rest = (trial >> 2).checked_sub(1)?;
        self.trial.store(rest << 2 | trial & 3, Ordering::Relaxed);
        among
            .iter()
            .find(|protocol| protocol.index() as u64 == trial & 3)
            .copied()
    }

    /// Begins to try a protocol with this message.
    fn begin_trial(&self, protocol: impl Way, number: u64) {
        self.trial
            .store((TRIAL - 1) << 2 | protocol.index() as u64, Ordering::Relaxed);
        self.tried[protocol.index()].store(number, Ordering::Relaxed);
    }

    /// Whether a protocol has been tried lately.
    fn was_tried(&self, protocol: impl Way, number: u64) -> bool {
        let tried = self.tried[protocol.index()].load(Ordering::Relaxed);
        let [least, _] = BETWEEN;
        tried > 0 && number.wrapping_sub(tried) < least
    }

    /// Whether a protocol is to be tried, while the fastest one takes `best`.
    fn is_due(&self, protocol: impl Way, number: u64, best: u64) -> bool {
        let tried = self.tried[protocol.index()].load(Ordering::Relaxed);
        let since = number.wrapping_sub(tried);
        let [least, most] = BETWEEN;
        let cost = TRIAL * self.average(protocol).saturating_sub(best);
        let was_first = tried <= FIRST && number > 2 * FIRST;
        was_first || since >= most || since >= least && since * best >= SHARE * cost
    }

    /// Lets all protocols be tried if the fastest one takes half as long again as it did.
    fn notice_phase(&self, number: u64, best: u64) {
        let level = self.level.load(Ordering::Relaxed);
        if best < level || level == 0 {
            self.level.store(best, Ordering::Relaxed);
        } else if best > level + level / 2 {
            self.level.store(best, Ordering::Relaxed);
            let [_, most] = BETWEEN;
            for tried in &self.tried {
                tried.store(number.wrapping_sub(most), Ordering::Relaxed);
            }
        }
    }

    /// Counts a message in the run of its protocol.
    fn count(&self, protocol: impl Way) {
        let (run, index) = (self.run.load(Ordering::Relaxed), protocol.index() as u64);
        let next = match run & 3 == index {
            true => run + 4,
            false => index,
        };
        self.run.store(next, Ordering::Relaxed);
    }

    /// Whether the time of the last message by a protocol counts.
    fn counts(&self, protocol: impl Way) -> bool {
        let run = self.run.load(Ordering::Relaxed);
        run & 3 == protocol.index() as u64 && run >> 2 >= WARM_UP
    }

    /// The average of a protocol. One that has not been measured counts as the fastest.
    fn average(&self, protocol: impl Way) -> u64 {
        self.averages[protocol.index()].load(Ordering::Relaxed)
    }

    /// Notes that a message of so many bytes by a protocol has taken so long, if that counts.
    fn note(&self, protocol: impl Way, bytes: u64, took: u64) {
        if !self.counts(protocol) {
            return;
        }
        let average = &self.averages[protocol.index()];
        let new = ((took << 20) / bytes.max(1)).max(1);
        let old = average.load(Ordering::Relaxed);
        let next = match old {
            0 => new,
            _ if new < old => old.midpoint(new),
            _ => old + (new.min(OUTLIER * old) - old) / SLOWNESS,
        };
        average.store(next, Ordering::Relaxed);
    }
}

/// The choice between the protocols, for all hosts of the node.
#[derive(Debug)]
pub(super) struct ProtocolChoice {
    /// When the last message in fragments was complete.
    last_complete: AtomicU64,
    times: [Times; CLASSES],
    /// What messages have taken by how their senders began.
    starts: [Times; CLASSES],
}

impl Default for ProtocolChoice {
    fn default() -> Self {
        Self {
            last_complete: AtomicU64::new(0),
            times: array::from_fn(|_| Times::default()),
            starts: array::from_fn(|_| Times::default()),
        }
    }
}

impl ProtocolChoice {
    /// The protocol for a message with so many bytes, of these, which differ.
    pub(super) fn choose(&self, bytes: u64, among: &[Protocol]) -> Protocol {
        let times = self.times(bytes);
        let protocol = times.choose(among);
        times.count(protocol);
        protocol
    }

    /// Notes that a get of so many bytes by this protocol, which began then, is over.
    pub(super) fn note_get(&self, protocol: Protocol, bytes: u64, begin: u64) {
        self.note(protocol, bytes, time_stamp().saturating_sub(begin));
    }

    /// Notes that a message of so many bytes in fragments, which was asked for then, is complete. It counts from when
    /// the one before was complete if that was later: the sender sends one after the other. Those of a message that
    /// could have come in no other way say nothing about messages that can: its data lies in pieces.
    pub(super) fn note_fragments(&self, bytes: u64, begin: u64, has_choice: bool) {
        let now = time_stamp();
        let before = self.last_complete.load(Ordering::Relaxed);
        self.last_complete.store(now, Ordering::Relaxed);
        let took = now.saturating_sub(begin.max(before));
        match has_choice {
            true => self.note(Protocol::Fragments, bytes, took),
            false => self.note_start(Start::Rendezvous, bytes, took),
        }
    }

    /// Notes that an eager message of so many bytes is complete, whose first segment of so many came then. How long
    /// that was on its way is not known: about as long as each of the segments since.
    pub(super) fn note_eager(&self, bytes: u64, first: u64, begin: u64) {
        let took = time_stamp().saturating_sub(begin);
        let whole = took + took.saturating_mul(first) / bytes.max(1);
        self.note_start(Start::Eager, bytes, whole);
    }

    /// Whether a message of so many bytes, whose sender waits, is complete sooner if it is eager.
    pub(super) fn is_eager_sooner(&self, bytes: u64) -> bool {
        let among = match bytes <= SHORT {
            true => [Start::Eager, Start::Rendezvous],
            false => [Start::Rendezvous, Start::Eager],
        };
        self.starts[class_of(bytes)].choose(&among) == Start::Eager
    }

    fn note(&self, protocol: Protocol, bytes: u64, took: u64) {
        self.times(bytes).note(protocol, bytes, took);
        self.note_start(Start::Rendezvous, bytes, took);
    }

    /// Notes what a message has taken that began so. What counts are messages in a row to this process, whoever has
    /// chosen.
    fn note_start(&self, start: Start, bytes: u64, took: u64) {
        let times = &self.starts[class_of(bytes)];
        times.count(start);
        times.note(start, bytes, took);
    }

    fn times(&self, bytes: u64) -> &Times {
        &self.times[class_of(bytes)]
    }
}

/// The class of messages of so many bytes.
fn class_of(bytes: u64) -> usize {
    (bytes.max(1).ilog2().clamp(SMALLEST, LARGEST) - SMALLEST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 100_000;
    const ALL: [Protocol; 3] = [Protocol::Fragments, Protocol::Get, Protocol::CooperativeGet];

    /// Lets so many messages come, whose times in nanoseconds `time` says by their protocol and by how many of the same
    /// came before them in a row. Returns how many were got.
    fn receive_by(
        choice: &ProtocolChoice,
        (messages, bytes): (usize, u64),
        time: impl Fn(Protocol, usize) -> u64,
    ) -> usize {
        let (mut last, mut before, mut gets) = (Protocol::Get, 0, 0);
        for _ in 0..messages {
            let protocol = choice.choose(bytes, &ALL);
            before = if protocol == last { before + 1 } else { 0 };
            last = protocol;
            choice.note(protocol, bytes, time(protocol, before));
            gets += usize::from(protocol == Protocol::Get);
        }
        gets
    }

    /// The same with two times, of gets of both kinds and of fragments.
    fn receive(choice: &ProtocolChoice, messages: usize, [get, fragments]: [u64; 2]) -> usize {
        let times = [fragments, get, 2 * get];
        receive_by(choice, (messages, BYTES), |protocol, _| times[protocol as usize])
    }

    #[test]
    fn the_faster_protocol_brings_nearly_all_messages() {
        let choice = ProtocolChoice::default();
        assert!(receive(&choice, 1000, [5000, 10_000]) > 920);
        let choice = ProtocolChoice::default();
        assert!(receive(&choice, 1000, [10_000, 5000]) < 40);
    }

    #[test]
    fn the_first_messages_that_map_memory_do_not_decide_for_long() {
        let choice = ProtocolChoice::default();
        let mut fast = 0;
        for message in 0..400 {
            let protocol = choice.choose(BYTES, &ALL);
            let time = match protocol {
                Protocol::Fragments if message < FIRST => 60_000,
                Protocol::Fragments => 3000,
                Protocol::Get | Protocol::CooperativeGet => 9000,
            };
            choice.note(protocol, BYTES, time);
            fast += u64::from(protocol == Protocol::Fragments);
        }
        assert!(fast > 280, "{fast}");
    }

    #[test]
    fn the_choice_follows_a_program_into_another_phase() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [5000, 10_000]);
        assert!(receive(&choice, 1000, [40_000, 10_000]) < 60);
        assert!(receive(&choice, 9000, [5000, 10_000]) > 4500);
    }

    #[test]
    fn trials_of_slow_protocols_cost_little() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [40_000, 10_000]);
        let tried = receive(&choice, 8192, [40_000, 10_000]);
        assert!((16..=32).contains(&tried), "{tried} of both kinds of gets");
    }

    #[test]
    fn a_protocol_that_needs_some_messages_to_be_fast_is_chosen() {
        let choice = ProtocolChoice::default();
        let time = |protocol, before| match protocol {
            Protocol::Get | Protocol::CooperativeGet => 5000,
            Protocol::Fragments if before < 3 => 20_000,
            Protocol::Fragments => 3000,
        };
        assert!(receive_by(&choice, (1000, BYTES), time) < 40);
    }

    #[test]
    fn a_protocol_stays_while_no_other_is_clearly_faster() {
        let choice = ProtocolChoice::default();
        receive(&choice, 100, [10_000, 10_000]);
        assert!(
            receive(&choice, 4000, [9500, 10_000]) < 400,
            "gets are tried only"
        );
        assert!(receive(&choice, 9000, [8000, 10_000]) > 4500);
    }

    #[test]
    fn a_message_that_takes_very_long_changes_nothing() {
        let choice = ProtocolChoice::default();
        receive(&choice, 1000, [5000, 10_000]);
        choice.note(Protocol::Get, BYTES, 50_000_000);
        // Each other protocol is tried once at most.
        assert!(receive(&choice, 250, [5000, 10_000]) > 230);
    }

    #[test]
    fn sizes_are_told_apart() {
        let choice = ProtocolChoice::default();
        let time = |protocol, _| [1000, 1500, 2000][protocol as usize];
        receive_by(&choice, (100, 1 << 14), time);
        receive_by(&choice, (100, 1 << 20), |protocol, before| {
            3000 - time(protocol, before)
        });
        assert_eq!(choice.choose(1 << 14, &ALL), Protocol::Fragments);
        assert_eq!(choice.choose(1 << 20, &ALL), Protocol::CooperativeGet);
    }

    /// Sends so many messages that take so long eagerly and otherwise, as another process does to this one. Returns how
    /// many were eager.
    fn send(choice: &ProtocolChoice, messages: usize, bytes: u64, [eager, rendezvous]: [u64; 2]) -> usize {
        let is_eager = |_: &usize| {
            let is_eager = choice.is_eager_sooner(bytes);
            match is_eager {
                true => choice.note_start(Start::Eager, bytes, eager),
                false => choice.note(Protocol::Get, bytes, rendezvous),
            }
            is_eager
        };
        (0..messages).filter(is_eager).count()
    }

    #[test]
    fn senders_that_wait_begin_as_is_sooner() {
        let choice = ProtocolChoice::default();
        assert!(send(&choice, 1000, 100_000, [5000, 10_000]) > 920);
        assert!(send(&choice, 1000, 500_000, [40_000, 20_000]) < 80);
        assert!(send(&choice, 1000, 200_000, [10_000, 20_000]) > 920);
    }

    #[test]
    fn a_sender_that_receives_nothing_asks_for_long_messages() {
        let choice = ProtocolChoice::default();
        assert!((0..1000).all(|_| choice.is_eager_sooner(SHORT)));
        assert!((0..1000).all(|_| !choice.is_eager_sooner(2 * SHORT)));
    }

    #[test]
    fn a_way_that_is_tried_in_vain_is_not_taken_for_long() {
        let choice = ProtocolChoice::default();
        let mut rendezvous = 0;
        for _ in 0..1000 {
            match choice.is_eager_sooner(SHORT) {
                true => choice.note_start(Start::Eager, SHORT, 5000),
                false => rendezvous += 1,
            }
        }
        assert!((8..=40).contains(&rendezvous), "{rendezvous}");
    }

    #[test]
    fn only_what_is_possible_is_chosen() {
        let choice = ProtocolChoice::default();
        let possible = [Protocol::Get, Protocol::Fragments];
        for _ in 0..600 {
            let protocol = choice.choose(BYTES, &possible);
            assert!(possible.contains(&protocol));
            choice.note(protocol, BYTES, [2000, 3000, 0][protocol as usize]);
        }
        assert_eq!(
            choice.choose(BYTES, &ALL),
            Protocol::CooperativeGet,
            "it has not been tried"
        );
    }
}
