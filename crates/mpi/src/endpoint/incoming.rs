//! Short messages that come through a ring: a rank that is alone on its virtual processor has one.
//!
//! A sender elsewhere that finds its receive in the match table moves the lines of the table, of the receive, of the
//! buffer and of the status cell to its own cache, and the receiver gets them back one after the other. Through the
//! ring ([`MessageRing`]) a short message moves the lines that it lies in, once; the receiver does the rest in its own
//! cache.
//!
//! | one message of 8 bytes | lines that move |
//! |---|---|
//! | through the table | lock and head of the queue, receive, buffer, status cell: four there, four back |
//! | through the ring | one there |
//!
//! A longer message whose sender goes on meanwhile (`MPI_Isend`) leaves the address of its data in the ring. The
//! receiver copies it from there, once, and the sender sees by the head of the ring that it may use its memory again
//! (`process/references.rs`).
//!
//! # Order
//!
//! Whoever locks the match table delivers first what is in the ring. So a message that goes through the table never
//! overtakes one that has gone through the ring. The rank itself delivers what it sees; a sender also waits for what is
//! being written. Only a receive of the rank looks into the table first, where messages are older; then it takes its
//! message out of the ring, after those that receives before it wait for.
//!
//! # Sleep
//!
//! Before the rank sleeps it closes the ring ([`Mailbox`](simurgh_core::Mailbox)) and delivers all of it. Then its
//! senders use the table, and wake it.

use super::backlog::BacklogState;
use super::reference::{self, BY_REFERENCE};
use super::{EagerBuffer, Endpoint, MatchTable, PostedReceive, Unexpected, status_of};
use crate::error::Status;
use crate::instrument;
use crate::limits::INLINE_LIMIT;
use crate::matching::{Envelope, NUMBER_BITS, Pattern, PatternKinds, Place};
use crate::memory::{self, Source, Target};
use simurgh_core::sync::{AtomicBool, AtomicU32, Ordering};
use simurgh_core::{FirstMessage, LINE_WORDS, LineData, MESSAGE_CELL, MessageRing};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Words of the envelope.
const HEADER_WORDS: usize = 2;
/// Bytes of data that lie in the line of a message. More lies in its cell.
const IN_LINE: usize = (LINE_WORDS - HEADER_WORDS) * WORD;
/// The longest messages whose data goes through the ring, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RingLimit {
    /// Where the ring could have the address of the message instead.
    OrAddress = IN_LINE as isize,
    /// Where the receiver's table is the other way.
    OrTable = MESSAGE_CELL as isize,
}

/// The longest message whose address goes through the ring, in bytes. Whoever empties a ring copies so much of each
/// message while it holds the table's lock.
const RING_REFERENCE: usize = 2048;
const _: () = assert!(RING_REFERENCE < 1 << 24);
/// The lengths of messages whose address may go through the ring.
const REFERENCES: RangeInclusive<usize> = RingLimit::OrAddress as usize + 1..=RING_REFERENCE;
/// The same of messages of which a copy is made for that. Shorter ones can as well be copied to the ring.
const COPIES: RangeInclusive<usize> = RingLimit::OrTable as usize + 1..=RING_REFERENCE;

/// What others leave for a rank.
pub(super) struct Incoming {
    /// Once the rank has waited as the only one of its virtual processor.
    ring: OnceLock<MessageRing>,
    has_ring: AtomicBool,
    is_open: AtomicBool,
    /// Threads that have called MPI for the rank.
    threads: AtomicU32,
    /// Wakers of futures that wait, which do not look into the ring.
    wakers: AtomicU32,
    backlog: BacklogState,
}

impl Incoming {
    /// Nothing, for a rank with this backlog.
    pub(super) fn new(backlog: BacklogState) -> Self {
        Self {
            ring: OnceLock::new(),
            has_ring: AtomicBool::new(false),
            is_open: AtomicBool::new(false),
            threads: AtomicU32::new(0),
            wakers: AtomicU32::new(0),
            backlog,
        }
    }
}

/// The number of a message that has come through the ring. It tells the message from all others that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RingMessage(NonZeroU32);

impl RingMessage {
    /// The index of the places of such messages, which have none in the queue.
    const INDEX: u32 = u32::MAX - 1;
    /// Set in the number of such a message, above the bits that are kept of all numbers.
    const MARK: NonZeroU32 = NonZeroU32::new(1 << NUMBER_BITS).unwrap();

    #[inline]
    pub(crate) fn at_position(position: u32) -> Self {
        Self(Self::MARK | position & (Self::MARK.get() - 1))
    }

    /// The message at this place, if it has come through the ring.
    #[inline]
    pub(crate) fn at(place: Place) -> Option<Self> {
        (place.index == Self::INDEX).then(|| Self::at_position(place.sequence as u32))
    }

    /// The message with this number, if it has come through the ring.
    pub(super) fn numbered(number: u32) -> Option<Self> {
        (number & Self::MARK.get() != 0).then(|| Self::at_position(number))
    }

    /// Its number, which no other message has.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0.get()
    }

    /// The place by which it can be withdrawn.
    #[inline]
    pub(crate) fn place(self) -> Place {
        Place {
            index: Self::INDEX,
            sequence: u64::from(self.0.get()),
        }
    }
}

/// The line of a message.
struct Content {
    envelope: Envelope,
    /// The length of the message.
    bytes: usize,
    line: LineData,
}

impl Content {
    #[inline]
    fn of(message: &FirstMessage<'_>) -> Self {
        let bytes = (message.note() >> 8) as usize;
        let in_line = match bytes {
            _ if message.note() & BY_REFERENCE != 0 => WORD,
            0..=IN_LINE => bytes,
            _ => 0,
        };
        let line = message.line(HEADER_WORDS + in_line.div_ceil(WORD));
        let envelope = Envelope {
            context: (line[0] >> 32) as u32,
            source: (line[0] as u32).cast_signed(),
            tag: (line[1] as u32).cast_signed(),
        };
        Self {
            envelope,
            bytes,
            line,
        }
    }

    /// The data of the message, wherever it lies.
    #[inline]
    fn data<'a>(&'a self, message: &'a FirstMessage<'_>) -> &'a [u8] {
        match reference::data_of(message, &self.line, HEADER_WORDS, self.bytes) {
            Some(lent) => lent,
            None if self.bytes <= IN_LINE => {
                &memory::bytes_of_words(&self.line[HEADER_WORDS..])[..self.bytes]
            }
            None => message.cell(self.bytes),
        }
    }
}

/// The note of a message.
#[inline]
fn note_for(bytes: usize, kinds: PatternKinds) -> u32 {
    (bytes as u32) << 8 | u32::from(kinds.bits())
}

/// Writes the first words of a message.
#[inline]
fn put_envelope(line: &mut LineData, envelope: Envelope) {
    line[0] = u64::from(envelope.context) << 32 | u64::from(envelope.source.cast_unsigned());
    line[1] = u64::from(envelope.tag.cast_unsigned());
}

/// Leaves the word that stands for the data of a message in a ring. Returns the position there.
#[inline]
fn leave_word(
    ring: &MessageRing,
    envelope: Envelope,
    kinds: PatternKinds,
    bytes: usize,
    word: u64,
) -> Option<u32> {
    let sent = ring.send(0, |line, _| {
        put_envelope(line, envelope);
        line[HEADER_WORDS] = word;
        (HEADER_WORDS + 1, note_for(bytes, kinds) | BY_REFERENCE)
    });
    sent.ok()
}

impl Endpoint {
    /// Gives the rank a ring, and opens it if the caller is the rank's only thread and no waker of it waits: another
    /// thread that sleeps, and a future, have not closed the ring, so they would not be woken by what comes through it.
    pub(crate) fn add_ring(&self) {
        let mut table = self.table.lock();
        if self.has_open_ring() {
            return;
        }
        let ring = self.incoming.ring.get_or_init(MessageRing::closed);
        table.has_ring = true;
        // SeqCst: either this sees a second thread, or that one sees the ring and closes it before it sleeps.
        self.incoming.has_ring.store(true, Ordering::SeqCst);
        let is_only_thread = self.incoming.threads.load(Ordering::SeqCst) <= 1;
        // Relaxed: see `add_waker`.
        if is_only_thread && self.incoming.wakers.load(Ordering::Relaxed) == 0 {
            ring.open();
            // Relaxed: a hint, but to those that hold the lock.
            self.incoming.is_open.store(true, Ordering::Relaxed);
        }
    }

    /// Counts a waker of the rank that waits: a ring is not opened the first time while there are any.
    pub(crate) fn add_waker(&self) {
        // Relaxed: the rank itself opens the ring.
        self.incoming.wakers.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes an [`Endpoint::add_waker`] back.
    pub(crate) fn remove_waker(&self) {
        // Relaxed: who sees it too late opens the ring the next time.
        self.incoming.wakers.fetch_sub(1, Ordering::Relaxed);
    }

    /// The ring, if the rank has one.
    #[inline]
    pub(crate) fn ring(&self) -> Option<&MessageRing> {
        // SeqCst: see `add_ring`.
        let has_ring = self.incoming.has_ring.load(Ordering::SeqCst);
        self.incoming.ring.get().filter(|_| has_ring)
    }

    /// Whether the rank has a ring that is open unless the rank sleeps.
    #[inline]
    pub(crate) fn has_open_ring(&self) -> bool {
        // Relaxed: see `add_ring`.
        self.incoming.is_open.load(Ordering::Relaxed)
    }

    /// Counts a thread that begins to call MPI for the rank. Returns how many there are.
    pub(crate) fn add_thread(&self) -> u32 {
        // SeqCst: see `add_ring`.
        self.incoming.threads.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Leaves a message in the ring of the rank, and returns its place. `None` if it is too long, or the ring takes
    /// none now.
    #[inline]
    pub(crate) fn leave_in_ring(
        &self,
        envelope: Envelope,
        kinds: PatternKinds,
        source: &Source,
        longest: RingLimit,
    ) -> Option<Place> {
        let bytes = source.bytes();
        let ring = self.ring_for(bytes, 0..=longest as usize)?;
        let note = note_for(bytes, kinds);
        let in_cell = if bytes > IN_LINE { bytes } else { 0 };
        let sent = ring.send(in_cell, |line, cell| {
            put_envelope(line, envelope);
            if in_cell > 0 {
                memory::pack(source, cell);
                return (HEADER_WORDS, note);
            }
            let packed = memory::pack_from(source, 0, memory::bytes_of_words_mut(&mut line[HEADER_WORDS..]));
            (HEADER_WORDS + packed.div_ceil(WORD), note)
        });
        sent.ok()
            .map(|position| RingMessage::at_position(position).place())
    }

    /// Leaves the address of a message in the ring of the rank, and returns the position there. The message stays in
    /// the memory of its sender until the rank [has taken](Endpoint::has_taken) it. `None` if it is too long or has
    /// gaps, if its data fits in the ring, or if that takes none now.
    #[inline]
    pub(crate) fn leave_reference(
        &self,
        envelope: Envelope,
        kinds: PatternKinds,
        source: &Source,
    ) -> Option<u32> {
        let ring = self.ring_for(source.bytes(), REFERENCES)?;
        let word = reference::word_for(source)?;
        leave_word(ring, envelope, kinds, source.bytes(), word)
    }

    /// The same with a copy of a message, which stays where it is until the rank [has taken](Endpoint::has_taken) it.
    #[inline]
    pub(crate) fn leave_address(&self, envelope: Envelope, kinds: PatternKinds, copy: &[u8]) -> Option<u32> {
        let ring = self.ring_for(copy.len(), COPIES)?;
        leave_word(ring, envelope, kinds, copy.len(), reference::word_of(copy))
    }

    /// Whether the ring may take the address of a copy of so many bytes.
    #[inline]
    pub(crate) fn may_take_address(&self, bytes: usize) -> bool {
        self.ring_for(bytes, COPIES).is_some_and(MessageRing::is_open)
    }

    /// The ring, if messages of so many bytes may go through it now, in a way that is for these lengths.
    #[inline]
    fn ring_for(&self, bytes: usize, lengths: RangeInclusive<usize>) -> Option<&MessageRing> {
        let may = lengths.contains(&bytes) && (bytes <= INLINE_LIMIT || !self.incoming.backlog.is_full());
        self.ring().filter(|_| may)
    }

    /// Whether the rank has taken the message that was left at this position of its ring.
    #[inline]
    pub(crate) fn has_taken(&self, position: u32) -> bool {
        self.ring().is_some_and(|ring| ring.is_finished(position))
    }

    /// Delivers the messages that are in the ring.
    #[inline]
    pub(super) fn deliver_present(&self, table: &mut MatchTable) {
        self.deliver_each(table, MessageRing::first);
    }

    /// Delivers the messages that are in the ring, and those that are just being written.
    #[cold]
    pub(super) fn deliver_all(&self, table: &mut MatchTable) {
        self.deliver_each(table, MessageRing::await_first);
    }

    /// Delivers the messages of the ring as long as there is a next one.
    #[inline]
    fn deliver_each<'a>(
        &'a self,
        table: &mut MatchTable,
        next: impl Fn(&'a MessageRing) -> Option<FirstMessage<'a>>,
    ) {
        let Some(ring) = self.ring() else { return };
        while let Some(message) = next(ring) {
            self.deliver(table, message);
        }
    }

    /// Receives the first message of the ring that the pattern accepts and that is for no receive which was posted
    /// before. Delivers the messages before that one.
    pub(crate) fn receive_from_ring(
        &self,
        table: &mut MatchTable,
        pattern: Pattern,
        target: &Target,
    ) -> Option<Status> {
        let ring = self.ring()?;
        while let Some(message) = ring.first() {
            let content = Content::of(&message);
            let receive = table.take_receive(content.envelope);
            if receive.is_none() && pattern.accepts(content.envelope) {
                // It has come before its receive, though no queue has seen it.
                instrument::unexpected(self, content.envelope, content.bytes);
                let status = self.received(&content, &message, target);
                message.finish();
                return Some(status);
            }
            self.deliver_to(receive, table, &content, message);
        }
        None
    }

    /// Matches a message of the ring with a receive, or puts it into the unexpected queue.
    #[inline]
    fn deliver(&self, table: &mut MatchTable, message: FirstMessage<'_>) {
        let content = Content::of(&message);
        let receive = table.take_receive(content.envelope);
        self.deliver_to(receive, table, &content, message);
    }

    /// Delivers a message to its receive, or puts it into the unexpected queue.
    #[inline]
    fn deliver_to(
        &self,
        receive: Option<PostedReceive>,
        table: &mut MatchTable,
        content: &Content,
        message: FirstMessage<'_>,
    ) {
        match receive {
            Some(PostedReceive { target, waiter }) => {
                waiter.finish(self, &self.received(content, &message, &target));
            }
            None => self.keep(table, content, &message),
        }
        message.finish();
    }

    /// Copies a message to the memory of its receive.
    #[inline]
    fn received(&self, content: &Content, message: &FirstMessage<'_>, target: &Target) -> Status {
        let envelope = content.envelope;
        instrument::matched(self, envelope, || content.bytes);
        let transfer = memory::unpack(content.data(message), target);
        status_of(envelope, &transfer)
    }

    /// Puts a message into the unexpected queue.
    fn keep(&self, table: &mut MatchTable, content: &Content, message: &FirstMessage<'_>) {
        let (envelope, bytes) = (content.envelope, content.bytes);
        let from_ring = Some(RingMessage::at_position(message.position()));
        let payload = if bytes <= INLINE_LIMIT {
            let mut data = [0; INLINE_LIMIT];
            data[..bytes].copy_from_slice(content.data(message));
            Unexpected::Inline {
                len: bytes as u8,
                data,
                from_ring,
            }
        } else {
            let pooled = table.buffers().take(bytes);
            let mut buffer = pooled.unwrap_or_else(|| EagerBuffer::allocate(bytes));
            buffer.bytes_mut().copy_from_slice(content.data(message));
            Unexpected::Copied {
                buffer,
                reservation: None,
                from_ring,
            }
        };
        instrument::unexpected(self, envelope, bytes);
        let kinds =
            PatternKinds::from_bits((message.note() & !BY_REFERENCE) as u8).unwrap_or(PatternKinds::ALL);
        table.arrive(self, envelope, kinds, payload);
    }
}
