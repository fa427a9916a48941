//! Which way long data goes to and from other processes of the node: by the kernel, which copies it at once, or in
//! packets.
//!
//! Where system calls take long, packets are the faster way, as long as the other process looks for them: it reads one
//! while the next is written. But both cores touch all lines of the data then. If these take long from one core to the
//! other, the kernel is faster, which reads and writes on one of them. So both ways are timed ([`TimedChoice`]).
//!
//! In an epoch at whose end the target waits, it need not look for packets yet, and may compute. There long data goes
//! both ways instead: in packets as long as the target keeps up with them, and by the kernel meanwhile. So both
//! processes copy, each as much as it can, and a target that computes is left with little to do. The rank does not wait
//! for that data, so what is timed is how long it takes from the first put of such an epoch to that of the next one.
//!
//! Costs: some readings of the clock for an operation on 16 KiB or more; where data goes both ways, a look at what the
//! target has handled for each packet.

use super::Window;
use super::batch::Replies;
use super::operation::Located;
use super::packet::{Chunk, Kind};
use super::remote::BYTE;
use super::timed_choice::{Choice, TimedChoice};
use super::transfer::LEAST;
use crate::memory::Source;
use simurgh_core::sync::{AtomicBool, Ordering, SpinGuard, SpinLock};
use simurgh_net::HostId;
use simurgh_net::transport::Region;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The most data that goes in packets if the other process looks for them.
const LOOKED_FOR: usize = 1 << 20;

/// In an epoch at whose end the target waits, so many packets may wait for it at most while more data goes by the
/// kernel.
const WAITING: u32 = 4;

/// The kernel copies as much as so many packets have, while the target catches up.
const CAUGHT_UP: usize = 4;

/// Operations on fewer bytes are not timed.
const TIMED: usize = 16 << 10;

/// A way of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Kernel,
    Packets,
    Both,
}

/// What a rank knows of the ways in a window. The threads of the rank share it.
#[derive(Debug, Default)]
pub(super) struct LongData {
    /// The kernel first, and packets second.
    awaited: SpinLock<Timed>,
    /// The kernel first, and both second, in epochs at whose end the targets wait.
    of_epochs: SpinLock<Timed>,
    /// Such an epoch has ended since one was last timed.
    is_epoch_over: AtomicBool,
}

/// Two ways, and data that is under way.
#[derive(Debug, Default)]
struct Timed {
    choice: TimedChoice,
    /// When the first of it began, how much it is, and its way; none if it took several.
    under_way: Option<(Instant, usize, Choice)>,
}

/// What a byte takes, in picoseconds.
fn of_a_byte(took: Duration, bytes: usize) -> u64 {
    took.as_nanos() as u64 * 1000 / bytes.max(1) as u64
}

impl Timed {
    /// The way for more data.
    fn choose(&self) -> Choice {
        match self.under_way {
            Some((.., way)) => way,
            None => self.choice.choose(),
        }
    }

    /// So many bytes go this way, from now on.
    fn begin(&mut self, bytes: usize, way: Choice, now: Instant) {
        self.under_way = match self.under_way {
            None => Some((now, bytes, way)),
            Some((began, before, same)) if same == way => Some((began, before + bytes, way)),
            Some(_) => None,
        };
    }

    /// What is under way is there.
    fn end(&mut self, now: Instant) {
        if let Some((began, bytes, way)) = self.under_way.take() {
            self.choice.note(way, of_a_byte(now - began, bytes), now);
        }
    }
}

/// The bytes of the data that some packets have.
fn bytes_of(chunks: &[Chunk]) -> Range<usize> {
    let start = chunks.first().map_or(0, |chunk| chunk.position);
    start..start + chunks.iter().map(|chunk| chunk.bytes).sum::<usize>()
}

impl Window {
    fn awaited(&self) -> SpinGuard<'_, Timed> {
        self.long_data.awaited.lock_serialized(self.process.serialized())
    }

    fn of_epochs(&self) -> SpinGuard<'_, Timed> {
        self.long_data
            .of_epochs
            .lock_serialized(self.process.serialized())
    }

    /// The way on which so much data for a process of this node, or of one, is there soonest.
    pub(super) fn way_of(&self, host: HostId, length: usize, is_put: bool) -> Way {
        let network = self.network();
        if length < LEAST || !network.is_slow_to_access(host, length) {
            return Way::Kernel;
        }
        let is_timed = length >= TIMED;
        if is_put && self.ends_at_targets() {
            // One that has something left to do may be busy for long.
            let looks = network
                .requests_behind(host)
                .is_some_and(|behind| behind == 0 || network.answers_sooner(host, length));
            return match looks && !(is_timed && self.way_in_epoch() == Choice::First) {
                true => Way::Both,
                false => Way::Kernel,
            };
        }
        let may_send = || !is_timed || length <= LOOKED_FOR && self.awaited().choose() == Choice::Second;
        match network.answers_sooner(host, length) && may_send() {
            true => Way::Packets,
            false => Way::Kernel,
        }
    }

    /// The way for more data in an epoch at whose end the target waits.
    fn way_in_epoch(&self) -> Choice {
        let timed = self.of_epochs();
        // Relaxed: the flag is the rank's own.
        match self.long_data.is_epoch_over.load(Ordering::Relaxed) {
            true => timed.choice.choose(),
            false => timed.choose(),
        }
    }

    /// Puts data both ways, whose bytes lie together at the target, from an offset of its region on.
    pub(super) fn put_both_ways(&self, origin: &Source, located: &Located<'_>, place: (Region, u64)) {
        let (network, host) = (self.network(), located.part.host());
        self.begin_in_epoch(origin.bytes(), Choice::Second);
        let label = self.label(Kind::Put, 0, located.seat);
        let chunks = self.data_chunks(origin, located, &BYTE);
        let mut left = chunks.as_slice();
        while let Some(chunk) = left.first() {
            let these = &left[..left.len().min(CAUGHT_UP)];
            let keeps_up = || {
                network
                    .requests_behind(host)
                    .is_some_and(|behind| behind < WAITING)
            };
            if !keeps_up() && network.put_part_now(host, place, (origin, bytes_of(these))) {
                left = &left[these.len()..];
            } else {
                self.send_data_chunk(origin, located, label, (&BYTE, chunk), Replies::Nothing);
                left = &left[1..];
            }
        }
        self.note_sent(host, Replies::Nothing);
    }

    /// Notes that so much data is being put one of both ways in an epoch at whose end the target waits.
    fn begin_in_epoch(&self, length: usize, way: Choice) {
        if length < TIMED {
            return;
        }
        let now = Instant::now();
        let mut timed = self.of_epochs();
        // Relaxed: as above.
        if self.long_data.is_epoch_over.swap(false, Ordering::Relaxed) {
            timed.end(now);
        }
        timed.begin(length, way, now);
    }

    /// Notes the end of an epoch at whose end targets wait.
    #[inline]
    pub(super) fn epoch_is_over(&self) {
        self.long_data.is_epoch_over.store(true, Ordering::Relaxed);
    }

    /// Notes that so much data is being sent in packets.
    pub(super) fn sends_packets(&self, length: usize) {
        if length >= TIMED {
            self.awaited().begin(length, Choice::Second, Instant::now());
        }
    }

    /// Has the kernel copy so many bytes of a put or a get. Whether it has.
    #[inline]
    pub(super) fn copy_now(&self, (length, is_put): (usize, bool), copy: impl FnOnce() -> bool) -> bool {
        if length < TIMED {
            return copy();
        }
        if is_put && self.ends_at_targets() {
            self.begin_in_epoch(length, Choice::First);
            return copy();
        }
        let began = Instant::now();
        let is_done = copy();
        let now = Instant::now();
        let mut awaited = self.awaited();
        if is_done && awaited.under_way.is_none() {
            awaited
                .choice
                .note(Choice::First, of_a_byte(now - began, length), now);
        }
        is_done
    }

    /// All that the rank has sent in packets is there.
    pub(super) fn packets_arrived(&self) {
        let mut awaited = self.awaited();
        if awaited.under_way.is_some() {
            awaited.end(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_several_ways_is_not_timed() {
        let (mut timed, now) = (Timed::default(), Instant::now());
        timed.begin(100, Choice::First, now);
        timed.begin(100, Choice::First, now);
        assert_eq!(timed.under_way, Some((now, 200, Choice::First)));
        timed.begin(100, Choice::Second, now);
        assert_eq!(timed.under_way, None);
        timed.end(now);
    }

    #[test]
    fn more_data_goes_the_way_of_that_under_way() {
        let (mut timed, now) = (Timed::default(), Instant::now());
        timed.begin(100, Choice::Second, now);
        assert_eq!(timed.choose(), Choice::Second);
        timed.end(now + Duration::from_micros(1));
        assert_eq!(timed.choose(), Choice::First);
    }
}
