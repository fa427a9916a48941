//! A ring of short messages from many senders to one receiver, through whole cache lines.
//!
//! # Protocol
//!
//! A message occupies one or more lines of the ring, one after the other. Each line has a word that says for which
//! position of the endless sequence of lines it has been written, and seven words of data. Data and word travel
//! together: the receiver looks at the line that comes next until its word has that position.
//!
//! * `tail` has the position behind all lines that senders have claimed, and the number of reasons for which the ring
//!   is closed. A sender claims lines by one compare-exchange of this word, writes them, and publishes each with a
//!   Release store of its word. A closed ring refuses: who closes it knows all positions that will ever be written
//!   before it is opened again.
//! * `head` has the position up to which the receiver is done with the lines. Only the receiver writes it. Senders have
//!   a copy beside `tail` and look at the original when the ring seems to be full.
//!
//! # Costs
//!
//! The line of `tail` stays with a sender that is the only one. The line of `head` moves once for each round of the
//! ring. So a message moves the lines that it lies in, each once from the sender to the receiver. Claiming costs one
//! locked instruction.

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU32, AtomicU64, Ordering, prefetch_read, prefetch_write, wait_for};

/// Lines of a ring: 16 KiB. So 64 messages of two lines each are under way at once, and their sender need not do the
/// receiver's work because the ring is full.
#[cfg(not(loom))]
const LINES: usize = 256;
#[cfg(loom)]
const LINES: usize = 2;

/// Lines between a message and the one that its sender prefetches: several are on their way at a time.
const AHEAD: u32 = 3;

/// One reason to be closed, in `tail`.
const CLOSED: u64 = 1 << 32;

/// Words of data in a line.
pub const LINE_WORDS: usize = 7;

/// The data of a line.
pub type LineData = [u64; LINE_WORDS];

/// A queue of short messages, with many senders and one receiver at a time.
pub struct MessageRing {
    senders: CachePadded<Senders>,
    head: CachePadded<AtomicU32>,
    lines: Box<[Line]>,
}

#[derive(Default)]
struct Senders {
    /// The next position in the lower half, the reasons to be closed in the upper one.
    tail: AtomicU64,
    /// A copy of `head`, perhaps old.
    head: AtomicU32,
}

#[derive(Default)]
#[repr(align(64))]
struct Line {
    /// The position for which it was written, plus one, in the upper half; what the sender says of it in the lower.
    word: AtomicU64,
    data: [AtomicU64; LINE_WORDS],
}

/// Why a ring takes no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is closed.
    Closed,
    /// It has too few free lines.
    Full,
}

/// The oldest message of a ring.
pub struct FirstMessage<'a> {
    ring: &'a MessageRing,
    position: u32,
    note: u32,
}

impl Default for MessageRing {
    fn default() -> Self {
        Self::new()
    }
}

impl MessageRing {
    /// The most lines that a message may have.
    pub const MESSAGE_LINES: usize = LINES / 2;

    /// An empty ring, which is open.
    #[must_use]
    pub fn new() -> Self {
        Self {
            senders: CachePadded::default(),
            head: CachePadded::default(),
            lines: (0..LINES).map(|_| Line::default()).collect(),
        }
    }

    /// An empty ring, which is closed once.
    #[must_use]
    pub fn closed() -> Self {
        let ring = Self::new();
        ring.close();
        ring
    }

    fn line(&self, position: u32) -> &Line {
        &self.lines[position as usize % LINES]
    }

    /// Sends a message of so many lines, at most [`MessageRing::MESSAGE_LINES`]. `fill` is called for each, by its
    /// number in the message: it fills the data and returns how many words of it count, and a note for the receiver.
    /// Returns the position of the message, which no other of the last 2^32 lines has.
    ///
    /// # Errors
    ///
    /// The ring takes no message now.
    #[inline]
    pub fn send(
        &self,
        lines: u32,
        mut fill: impl FnMut(u32, &mut LineData) -> (usize, u32),
    ) -> Result<u32, Refusal> {
        let first = self.claim(lines)?;
        for number in (0..lines).rev() {
            let position = first.wrapping_add(number);
            let line = self.line(position);
            let mut data = LineData::default();
            let (words, note) = fill(number, &mut data);
            for (place, word) in line.data.iter().zip(data).take(words) {
                // Relaxed: published by the word.
                place.store(word, Ordering::Relaxed);
            }
            // Release pairs with the Acquire in `Line::holds`.
            line.word.store(
                u64::from(position.wrapping_add(1)) << 32 | u64::from(note),
                Ordering::Release,
            );
        }
        // Soon a message will be written there.
        prefetch_write(self.line(first.wrapping_add(lines + AHEAD)));
        Ok(first)
    }

    /// Claims lines.
    #[inline]
    fn claim(&self, lines: u32) -> Result<u32, Refusal> {
        let mut tail = self.senders.tail.load(Ordering::Relaxed);
        loop {
            if tail >= CLOSED {
                return Err(Refusal::Closed);
            }
            let first = tail as u32;
            if !self.has_room(first, lines) {
                return Err(Refusal::Full);
            }
            let behind = u64::from(first.wrapping_add(lines));
            // Relaxed: it orders nothing but the claims.
            match self
                .senders
                .tail
                .compare_exchange_weak(tail, behind, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Ok(first),
                Err(now) => tail = now,
            }
        }
    }

    /// Whether there is room for so many lines from a position on.
    #[inline]
    fn has_room(&self, first: u32, lines: u32) -> bool {
        self.has_come(|head| first.wrapping_add(lines).wrapping_sub(head) as usize <= LINES)
    }

    /// Whether the receiver is done with the message at this position, which is one of the last 2^31. For its sender.
    #[inline]
    #[must_use]
    pub fn is_finished(&self, position: u32) -> bool {
        self.has_come(|head| head.wrapping_sub(position).cast_signed() > 0)
    }

    /// Whether the receiver has come as far as `enough` says of its head. Then what it has done before is visible.
    #[inline]
    fn has_come(&self, enough: impl Fn(u32) -> bool) -> bool {
        // Acquire pairs with the Release below.
        if enough(self.senders.head.load(Ordering::Acquire)) {
            return true;
        }
        // Acquire pairs with the Release in `FirstMessage::finish`: the receiver has read the lines.
        let head = self.head.load(Ordering::Acquire);
        // Release hands that on to the senders that read the copy.
        self.senders.head.store(head, Ordering::Release);
        enough(head)
    }

    /// Closes the ring once more. Messages that have been claimed before are still to be
    /// [awaited](MessageRing::await_first).
    pub fn close(&self) {
        // Relaxed: it orders nothing but the claims.
        self.senders.tail.fetch_add(CLOSED, Ordering::Relaxed);
    }

    /// Takes one [`MessageRing::close`] back.
    pub fn open(&self) {
        // Relaxed: as above.
        self.senders.tail.fetch_sub(CLOSED, Ordering::Relaxed);
    }

    /// Whether it is open: a hint for senders.
    #[inline]
    #[must_use]
    pub fn is_open(&self) -> bool {
        // Relaxed: as above.
        self.senders.tail.load(Ordering::Relaxed) < CLOSED
    }

    /// Whether a message is there: a hint for all but the receiver. Who waits for one calls this again and again, so
    /// that the second line of a message comes along with the first.
    #[inline]
    pub fn has_message(&self) -> bool {
        // Relaxed: only the receiver writes it.
        let head = self.head.load(Ordering::Relaxed);
        prefetch_read(self.line(head.wrapping_add(1)));
        self.line(head).holds(head).is_some()
    }

    /// The oldest message, if it has been written. For the receiver.
    #[inline]
    pub fn first(&self) -> Option<FirstMessage<'_>> {
        // Relaxed: only the receiver writes it.
        let position = self.head.load(Ordering::Relaxed);
        let note = self.line(position).holds(position)?;
        Some(FirstMessage {
            ring: self,
            position,
            note,
        })
    }

    /// The oldest message that has been claimed, waiting until it has been written. For the receiver.
    pub fn await_first(&self) -> Option<FirstMessage<'_>> {
        // Relaxed: only the receiver writes it.
        let head = self.head.load(Ordering::Relaxed);
        // Relaxed: whoever has to find a message knows by other means that it has been claimed.
        if self.senders.tail.load(Ordering::Relaxed) as u32 == head {
            return None;
        }
        let note = self.await_line(head);
        Some(FirstMessage {
            ring: self,
            position: head,
            note,
        })
    }

    /// Waits until a line that has been claimed is written, and returns its note.
    #[inline]
    fn await_line(&self, position: u32) -> u32 {
        let line = self.line(position);
        wait_for(|| line.holds(position))
    }
}

impl Line {
    /// Its note, if it has been written for this position; then its data is visible.
    #[inline]
    fn holds(&self, position: u32) -> Option<u32> {
        // Acquire pairs with the Release in `send`.
        let word = self.word.load(Ordering::Acquire);
        ((word >> 32) as u32 == position.wrapping_add(1)).then_some(word as u32)
    }
}

impl FirstMessage<'_> {
    /// The position of the message.
    #[inline]
    #[must_use]
    pub fn position(&self) -> u32 {
        self.position
    }

    /// The sender's note in the first line.
    #[inline]
    #[must_use]
    pub fn note(&self) -> u32 {
        self.note
    }

    /// Begins to fetch the lines of the message behind the second one; it has so many.
    #[inline]
    pub fn fetch(&self, lines: u32) {
        for number in 2..lines {
            prefetch_read(self.ring.line(self.position.wrapping_add(number)));
        }
    }

    /// The first words of a line of the message, which must have it. The others are zero.
    #[inline]
    #[must_use]
    pub fn line(&self, number: u32, words: usize) -> LineData {
        let position = self.position.wrapping_add(number);
        if number > 0 {
            self.ring.await_line(position);
        }
        let line = self.ring.line(position);
        let mut data = LineData::default();
        for (word, place) in data.iter_mut().zip(&line.data).take(words) {
            // Relaxed: `holds` has seen the word of the line.
            *word = place.load(Ordering::Relaxed);
        }
        data
    }

    /// Gives the lines of the message, so many, back to the senders.
    #[inline]
    pub fn finish(self, lines: u32) {
        // Release pairs with the Acquire in `has_room`.
        self.ring
            .head
            .store(self.position.wrapping_add(lines), Ordering::Release);
    }
}

impl std::fmt::Debug for MessageRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageRing").finish_non_exhaustive()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::thread;

    fn send(ring: &MessageRing, number: u32, lines: u32) -> Result<u32, Refusal> {
        ring.send(lines, |line, data| {
            *data = [u64::from(number + line); LINE_WORDS];
            (LINE_WORDS, lines)
        })
    }

    fn take(ring: &MessageRing) -> Option<u32> {
        let first = ring.first()?;
        let lines = first.note();
        let number = first.line(0, 1)[0] as u32;
        for line in 0..lines {
            assert_eq!(
                first.line(line, LINE_WORDS),
                [u64::from(number + line); LINE_WORDS]
            );
        }
        first.finish(lines);
        Some(number)
    }

    #[test]
    fn a_ring_takes_what_fits_and_gives_it_in_order() {
        let ring = MessageRing::new();
        assert!(!ring.has_message() && ring.first().is_none() && ring.await_first().is_none());
        for round in 0..3 {
            let mut sent = 0;
            while send(&ring, sent, 1 + sent % 3).is_ok() {
                sent += 1;
            }
            assert_eq!(send(&ring, 0, 3), Err(Refusal::Full), "round {round}");
            assert!(ring.has_message() && sent >= LINES as u32 / 3);
            assert!((0..sent).all(|number| take(&ring) == Some(number)));
            assert!(take(&ring).is_none());
        }
    }

    #[test]
    fn a_closed_ring_refuses_until_all_have_opened_it() {
        let ring = MessageRing::new();
        ring.close();
        ring.close();
        ring.open();
        assert_eq!(send(&ring, 1, 1), Err(Refusal::Closed));
        ring.open();
        assert_eq!(send(&ring, 1, 1), Ok(0));
        ring.close();
        assert!(ring.await_first().is_some());
        assert_eq!(take(&ring), Some(1));
        assert!(ring.await_first().is_none());
    }

    #[test]
    fn positions_go_round() {
        let ring = MessageRing::new();
        let last = u32::MAX - 1;
        ring.senders.tail.store(u64::from(last), Ordering::Relaxed);
        ring.senders.head.store(last, Ordering::Relaxed);
        ring.head.store(last, Ordering::Relaxed);
        for number in 0..4 {
            assert_eq!(send(&ring, number, 2), Ok(last.wrapping_add(2 * number)));
        }
        assert!((0..4).all(|number| take(&ring) == Some(number)));
    }

    #[test]
    fn messages_of_each_sender_come_once_and_in_order() {
        const SENDERS: u32 = 3;
        const MESSAGES: u32 = 20_000;
        let ring = MessageRing::new();
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let ring = &ring;
                scope.spawn(move || {
                    for number in 0..MESSAGES {
                        let lines = 1 + number % 3;
                        let fill = |line: u32, data: &mut LineData| {
                            *data = [u64::from(number + line); LINE_WORDS];
                            (LINE_WORDS, sender << 8 | lines)
                        };
                        while ring.send(lines, fill).is_err() {
                            thread::yield_now();
                        }
                    }
                });
            }
            let mut next = [0; SENDERS as usize];
            while next.iter().sum::<u32>() < SENDERS * MESSAGES {
                let Some(first) = ring.first() else {
                    thread::yield_now();
                    continue;
                };
                let (sender, lines) = (first.note() >> 8, first.note() & 0xff);
                let expected = &mut next[sender as usize];
                for line in 0..lines {
                    let data = [u64::from(*expected + line); LINE_WORDS];
                    assert_eq!(first.line(line, LINE_WORDS), data, "sender {sender}");
                }
                *expected += 1;
                first.finish(lines);
            }
        });
        assert!(ring.first().is_none());
    }
}
