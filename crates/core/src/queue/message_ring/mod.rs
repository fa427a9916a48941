//! A ring of short messages from many senders to one receiver, through whole cache lines.
//!
//! # Protocol
//!
//! A message occupies a line of the ring and, if it has no room there, the cell beside the line. The line has a word
//! that says for which position of the endless sequence of messages it has been written, and seven words of data. Data
//! and word travel together: the receiver looks at the line that comes next until its word has that position.
//!
//! * `tail` has the position behind all messages that senders have claimed, and the number of reasons for which the
//!   ring is closed. It is changed with a lock. A sender claims a position so, writes cell and line, and publishes both
//!   with a Release store of the line's word. A closed ring refuses: who closes it knows all positions that will ever
//!   be written before it is opened again.
//! * `head` has the position up to which the receiver is done. Only the receiver writes it. Senders have a copy beside
//!   `tail` and look at the original when the ring seems to be full.
//!
//! # Costs
//!
//! The line of `tail` stays with a sender that is the only one. The line of `head` moves once for each round of the
//! ring. So a message moves the lines that it lies in, each once from the sender to the receiver. Claiming costs one
//! locked instruction, and none where one sender [owns](BiasedLock) the lock: a locked instruction would wait until the
//! line of the message before has come from the receiver's cache.
//!
//! The lines of a cell hardly cost time. The sender demotes them to the shared cache when it has written them, from
//! where the receiver gets them sooner, and prefetches those of a later cell for writing. They lie apart from the
//! lines of the ring, so that a processor that fetches lines in pairs does not take them from a sender while the
//! receiver polls. A receiver that looks for a message again and again fetches the cell together with the line.

mod first_message;
mod line;

use crossbeam_utils::CachePadded;

pub use first_message::FirstMessage;
use line::Line;

use super::SharedBytes;
use crate::sync::asymmetric_fence::{enable_heavy_fence, heavy_fence, light_fence};
use crate::sync::{
    AtomicU32, AtomicU64, BiasedLock, LockOwner, Ordering, prefetch_read, prefetch_write, wait_for,
};

/// Messages that a ring holds. So many are under way at once, and their sender need not do the receiver's work because
/// the ring is full.
#[cfg(not(loom))]
const MESSAGES: usize = 256;
#[cfg(loom)]
const MESSAGES: usize = 2;

/// Bytes of the cell of a message.
pub const MESSAGE_CELL: usize = 512;

/// Lines between the one of a message and the one that its sender prefetches: several are on their way at a time.
const AHEAD: u32 = 4;

/// Lines between the one that the receiver reads and the one that it prefetches. If messages follow each other, that
/// one has been written; the next line is looked at too soon for a prefetch to help.
const LOOK_AHEAD: u32 = 2;

/// One reason to be closed, in `tail`.
const CLOSED: u64 = 1 << 32;

/// The note of a message that its sender has withdrawn.
const WITHDRAWN: u32 = u32::MAX;

/// Words of data in a line.
pub const LINE_WORDS: usize = 7;

/// The data of a line.
pub type LineData = [u64; LINE_WORDS];

/// A queue of short messages, with many senders and one receiver at a time.
pub struct MessageRing {
    senders: CachePadded<Senders>,
    receiver: CachePadded<Receiver>,
    lines: Box<[Line; MESSAGES]>,
    cells: Box<[SharedBytes<MESSAGE_CELL>; MESSAGES]>,
}

#[derive(Default)]
struct Senders {
    /// Locked by whoever changes `tail`.
    claiming: BiasedLock<()>,
    /// The next position in the lower half, the reasons to be closed in the upper one.
    tail: AtomicU64,
    /// A copy of `head`, perhaps old.
    head: AtomicU32,
}

#[derive(Default)]
struct Receiver {
    /// The position up to which it is done. Senders look at it.
    head: AtomicU32,
    /// Bytes that the last message had in its cell.
    in_cell: AtomicU32,
}

/// Why a ring takes no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is closed.
    Closed,
    /// All lines hold messages.
    Full,
    /// The sender has withdrawn the message before it was there.
    Withdrawn,
}

impl Default for MessageRing {
    fn default() -> Self {
        Self::new()
    }
}

impl MessageRing {
    /// An empty ring, which is open.
    #[must_use]
    pub fn new() -> Self {
        // Not made as an array, which would lie on the stack.
        let lines: Box<[Line]> = (0..MESSAGES).map(|_| Line::default()).collect();
        Self {
            senders: CachePadded::default(),
            receiver: CachePadded::default(),
            lines: lines
                .try_into()
                .unwrap_or_else(|_| unreachable!("it has so many")),
            cells: SharedBytes::boxed(),
        }
    }

    /// An empty ring, which is closed once.
    #[must_use]
    pub fn closed() -> Self {
        let ring = Self::new();
        ring.close();
        ring
    }

    #[inline]
    fn line(&self, position: u32) -> &Line {
        &self.lines[position as usize % MESSAGES]
    }

    #[inline]
    fn cell(&self, position: u32) -> &SharedBytes<MESSAGE_CELL> {
        &self.cells[position as usize % MESSAGES]
    }

    /// Sends a message with so many bytes in its cell, at most [`MESSAGE_CELL`]. `fill` fills the data of the line and
    /// those bytes, and returns how many words of the line count, and a note for the receiver, which is not the largest
    /// number. Returns the position of the message, which no other of the last 2^32 has.
    ///
    /// The sender is given if it may own the ring's lock for senders.
    ///
    /// `may_stay` is asked when the position has been claimed. If it says no, nothing is sent. Either it sees what
    /// somebody has written before a [`MessageRing::fence_senders`], or that one finds the message.
    ///
    /// # Errors
    ///
    /// The ring takes no message now, or the message may not stay there.
    ///
    /// # Panics
    ///
    /// When a cell has not so many bytes.
    #[inline]
    pub fn send(
        &self,
        sender: Option<&LockOwner>,
        in_cell: usize,
        may_stay: impl FnOnce() -> bool,
        fill: impl FnOnce(&mut LineData, &mut [u8]) -> (usize, u32),
    ) -> Result<u32, Refusal> {
        assert!(in_cell <= MESSAGE_CELL, "a cell has {MESSAGE_CELL} bytes");
        let position = self.claim(sender)?;
        // Pairs with the heavy fence in `fence_senders`.
        light_fence();
        if !may_stay() {
            self.line(position).publish(position, WITHDRAWN);
            return Err(Refusal::Withdrawn);
        }
        let cell = self.cell(position);
        let mut data = LineData::default();
        // SAFETY:
        // - the position has been claimed, and the receiver is done with the cell: it belongs to this sender until the
        //   line is published.
        let (words, note) = fill(&mut data, unsafe { cell.bytes_mut(in_cell) });
        cell.demote(in_cell);
        let line = self.line(position);
        for (place, word) in line.data.iter().zip(data).take(words) {
            // Relaxed: published by the word.
            place.store(word, Ordering::Relaxed);
        }
        debug_assert!(note != WITHDRAWN, "this note says something else");
        line.publish(position, note);
        // Soon messages like this one will be written there. A cell with several lines is prefetched as late as may be,
        // since there are only so many lines on their way at a time.
        prefetch_write(self.line(position.wrapping_add(AHEAD)));
        let ahead = if in_cell <= size_of::<Line>() { AHEAD } else { 1 };
        self.cell(position.wrapping_add(ahead)).prepare(in_cell);
        Ok(position)
    }

    /// Claims the next position.
    #[inline]
    fn claim(&self, sender: Option<&LockOwner>) -> Result<u32, Refusal> {
        let claiming = &self.senders.claiming;
        let _claiming = match sender {
            Some(sender) => claiming.lock_as(sender),
            None => claiming.lock(),
        };
        // Relaxed: changed with the lock; it orders nothing but the claims.
        let tail = self.senders.tail.load(Ordering::Relaxed);
        if tail >= CLOSED {
            return Err(Refusal::Closed);
        }
        let position = tail as u32;
        if !self.has_room(position) {
            return Err(Refusal::Full);
        }
        let behind = u64::from(position.wrapping_add(1));
        self.senders.tail.store(behind, Ordering::Relaxed);
        Ok(position)
    }

    /// Whether the receiver is done with all messages that the caller knows of. For senders.
    #[inline]
    #[must_use]
    pub fn is_drained(&self) -> bool {
        // Relaxed: the caller knows of those that it has sent itself.
        let tail = self.senders.tail.load(Ordering::Relaxed) as u32;
        self.has_come(|head| head == tail)
    }

    /// Whether there is room for the message at a position.
    #[inline]
    fn has_room(&self, position: u32) -> bool {
        self.has_come(|head| (position.wrapping_sub(head) as usize) < MESSAGES)
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
        // Acquire pairs with the Release in `FirstMessage::finish`: the receiver has read line and cell.
        let head = self.receiver.head.load(Ordering::Acquire);
        // Release hands that on to the senders that read the copy.
        self.senders.head.store(head, Ordering::Release);
        enough(head)
    }

    /// Enables [`MessageRing::fence_senders`]; false if the kernel does not support what it needs.
    #[must_use]
    pub fn may_fence_senders() -> bool {
        enable_heavy_fence()
    }

    /// Makes sure that messages whose senders have not seen what the caller has written before are found from now on,
    /// if [that is possible](MessageRing::may_fence_senders). Costs a system call.
    pub fn fence_senders() {
        heavy_fence();
    }

    /// Closes the ring once more. Messages that have been claimed before are still to be
    /// [awaited](MessageRing::await_first).
    pub fn close(&self) {
        self.change_tail(|tail| tail + CLOSED);
    }

    /// Takes one [`MessageRing::close`] back.
    pub fn open(&self) {
        self.change_tail(|tail| tail - CLOSED);
    }

    fn change_tail(&self, change: impl FnOnce(u64) -> u64) {
        let _claiming = self.senders.claiming.lock();
        // Relaxed: as in `claim`.
        let tail = self.senders.tail.load(Ordering::Relaxed);
        self.senders.tail.store(change(tail), Ordering::Relaxed);
    }

    /// Whether it is open: a hint for senders.
    #[inline]
    #[must_use]
    pub fn is_open(&self) -> bool {
        // Relaxed: as above.
        self.senders.tail.load(Ordering::Relaxed) < CLOSED
    }

    /// Whether a message is there: a hint for all but the receiver.
    #[inline]
    pub fn has_message(&self) -> bool {
        // Relaxed: only the receiver writes it.
        let head = self.receiver.head.load(Ordering::Relaxed);
        self.line(head).holds(head).is_some()
    }

    /// [`MessageRing::has_message`] for the receiver, while it looks again and again. Also fetches the cell of the
    /// message, if the last one had one: a processor that foresees that the message has not come either when the
    /// receiver looks the next time fetches line and cell at the same time.
    #[inline]
    pub fn look_for_message(&self) -> bool {
        let has_come = self.has_message();
        if !has_come {
            // Relaxed: only the receiver writes them.
            let head = self.receiver.head.load(Ordering::Relaxed);
            let in_cell = self.receiver.in_cell.load(Ordering::Relaxed);
            self.cell(head).fetch(in_cell as usize);
        }
        has_come
    }

    /// The oldest message, if it has been written. For the receiver.
    #[inline]
    pub fn first(&self) -> Option<FirstMessage<'_>> {
        loop {
            // Relaxed: only the receiver writes it.
            let position = self.receiver.head.load(Ordering::Relaxed);
            let note = self.line(position).holds(position)?;
            self.note_cell(0);
            prefetch_read(self.line(position.wrapping_add(LOOK_AHEAD)));
            if let Some(first) = self.unless_withdrawn(position, note) {
                return Some(first);
            }
        }
    }

    /// Notes how many bytes the cell of the last message had. For the receiver.
    #[inline]
    fn note_cell(&self, bytes: usize) {
        // Relaxed: only the receiver uses it.
        let in_cell = &self.receiver.in_cell;
        if in_cell.load(Ordering::Relaxed) != bytes as u32 {
            in_cell.store(bytes as u32, Ordering::Relaxed);
        }
    }

    /// The oldest message that has been claimed, waiting until it has been written. For the receiver.
    pub fn await_first(&self) -> Option<FirstMessage<'_>> {
        loop {
            // Relaxed: only the receiver writes it.
            let head = self.receiver.head.load(Ordering::Relaxed);
            // Relaxed: whoever has to find a message knows by other means that it has been claimed.
            if self.senders.tail.load(Ordering::Relaxed) as u32 == head {
                return None;
            }
            let line = self.line(head);
            if let Some(first) = self.unless_withdrawn(head, wait_for(|| line.holds(head))) {
                return Some(first);
            }
        }
    }

    /// The first message, which has this note; `None`, and it is gone, if it has been withdrawn.
    #[inline]
    fn unless_withdrawn(&self, position: u32, note: u32) -> Option<FirstMessage<'_>> {
        let first = FirstMessage {
            ring: self,
            position,
            note,
        };
        if note == WITHDRAWN {
            first.finish();
            return None;
        }
        Some(first)
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

    /// Sends a message whose line has the number, and whose cell so many bytes of it.
    fn send(ring: &MessageRing, number: u32, in_cell: usize) -> Result<u32, Refusal> {
        ring.send(
            None,
            in_cell,
            || true,
            |line, cell| {
                *line = [u64::from(number); LINE_WORDS];
                cell.fill(number as u8);
                (LINE_WORDS, in_cell as u32)
            },
        )
    }

    /// Takes a message of [`send`], and checks that it is whole.
    fn take(ring: &MessageRing) -> Option<u32> {
        let first = ring.first()?;
        let line: LineData = std::array::from_fn(|index| first.word(index));
        let number = line[0] as u32;
        assert_eq!(line, [u64::from(number); LINE_WORDS]);
        let cell = first.cell(first.note() as usize);
        assert!(cell.iter().all(|byte| *byte == number as u8));
        first.finish();
        Some(number)
    }

    /// Different lengths, one after the other.
    fn length(number: u32) -> usize {
        number as usize * 100 % (MESSAGE_CELL + 1)
    }

    #[test]
    fn a_ring_takes_what_fits_and_gives_it_in_order() {
        let ring = MessageRing::new();
        assert!(
            !ring.has_message()
                && !ring.look_for_message()
                && ring.first().is_none()
                && ring.await_first().is_none()
        );
        for round in 0..3 {
            let sent = (0..).take_while(|number| send(&ring, *number, length(*number)).is_ok());
            assert_eq!(sent.count(), MESSAGES, "round {round}");
            assert_eq!(send(&ring, 0, 3), Err(Refusal::Full), "round {round}");
            assert!(ring.has_message() && ring.look_for_message());
            assert!((0..MESSAGES as u32).all(|number| take(&ring) == Some(number)));
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
    fn a_withdrawn_message_is_never_seen() {
        let ring = MessageRing::new();
        let withdraw = || ring.send(None, 0, || false, |_, _| unreachable!("it is not sent"));
        assert_eq!(withdraw(), Err(Refusal::Withdrawn));
        assert!(!ring.is_drained() && ring.first().is_none() && ring.is_drained());
        assert_eq!(withdraw(), Err(Refusal::Withdrawn));
        assert_eq!(send(&ring, 1, 1), Ok(2));
        assert_eq!(withdraw(), Err(Refusal::Withdrawn));
        assert!(ring.await_first().is_some());
        assert_eq!(take(&ring), Some(1));
        assert!(ring.await_first().is_none() && ring.is_drained());
    }

    #[test]
    fn positions_go_round() {
        let ring = MessageRing::new();
        let last = u32::MAX - 1;
        ring.senders.tail.store(u64::from(last), Ordering::Relaxed);
        ring.senders.head.store(last, Ordering::Relaxed);
        ring.receiver.head.store(last, Ordering::Relaxed);
        for number in 0..4 {
            assert_eq!(send(&ring, number, 2), Ok(last.wrapping_add(number)));
        }
        assert!((0..4).all(|number| take(&ring) == Some(number)));
    }

    #[test]
    #[should_panic(expected = "a cell has 512 bytes")]
    fn what_has_no_room_in_a_cell_is_refused() {
        let _ = send(&MessageRing::new(), 0, MESSAGE_CELL + 1);
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
                        let fill = |line: &mut LineData, cell: &mut [u8]| {
                            *line = [u64::from(number); LINE_WORDS];
                            cell.fill(number as u8);
                            (LINE_WORDS, sender)
                        };
                        while ring.send(None, length(number), || true, fill).is_err() {
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
                let sender = first.note();
                let expected = &mut next[sender as usize];
                let line = [u64::from(*expected); LINE_WORDS];
                assert_eq!(
                    std::array::from_fn(|index| first.word(index)),
                    line,
                    "sender {sender}"
                );
                let cell = first.cell(length(*expected));
                assert!(
                    cell.iter().all(|byte| *byte == *expected as u8),
                    "sender {sender}"
                );
                *expected += 1;
                first.finish();
            }
        });
        assert!(ring.first().is_none());
    }
}
