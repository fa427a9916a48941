//! Short messages that come through a ring: that of the virtual processor on which their receiver lives.
//!
//! A sender elsewhere that finds its receive in the match table moves the lines of the table, of the receive, of the
//! buffer and of the status cell to its own cache, and the receiver gets them back one after the other. Through the
//! ring ([`MessageRing`]) a short message moves the lines that it lies in, once; the receiver's virtual processor does
//! the rest in its own cache.
//!
//! | one message of 8 bytes | lines that move |
//! |---|---|
//! | through the table | lock and head of the queue, receive, buffer, status cell: four there, four back |
//! | through the ring | one there |
//!
//! Ranks of the same virtual processor send to each other through the table, which is in their cache. A rank that is
//! alone there takes its messages without a locked instruction: it owns the locks of its table and of the ring
//! ([`BiasedLock`](simurgh_core::sync::BiasedLock)).
//!
//! A longer message whose sender goes on meanwhile (`MPI_Isend`) leaves the address of its data in the ring. The
//! receiver copies it from there, once, and the sender sees by the head of the ring that it may use its memory again
//! (`process/references.rs`). Only a sender that is alone on its virtual processor does so: others would have to look
//! after the receiver's ring before they make way for the ranks beside them.
//!
//! # Who delivers
//!
//! A rank that waits looks into the ring again and again, and so does the virtual processor when nothing is ready
//! ([`Mailbox`](simurgh_core::Mailbox)). One at a time takes messages out, for all ranks that live there. Before the
//! virtual processor sleeps it closes the ring and delivers all of it. Then senders use the tables, and wake it. The
//! same holds while one rank keeps the virtual processor for long.
//!
//! # Order
//!
//! A route names the ring of a rank. Before a message goes through the table, its sender delivers what is in the ring
//! of the receiver, if it has sent anything through that ring itself. So no message overtakes one that the same sender
//! has sent through the ring. A rank that finds itself on another virtual processor changes its route: it says that it
//! leaves the old ring, delivers what is there, as others do who use the table meanwhile, and then names the new ring.
//! A sender looks at the route again when it has claimed a place in the ring, and withdraws its message if the route
//! has changed. That is checked with loom (`loom_ring.rs` of the core).
//!
//! A rank for which several threads call MPI has no route: another one might sleep while nobody looks.

use super::backlog::BacklogState;
use super::reference::{self, BY_REFERENCE};
use super::vp_ring::{Endpoints, Reader, RingPlace, VpRing, VpRings, ring_bit};
use super::{EagerBuffer, Endpoint, MatchTable, PostedReceive, Unexpected, rank_owner, status_of};
use crate::error::Status;
use crate::instrument;
use crate::limits::INLINE_LIMIT;
use crate::matching::{Envelope, NUMBER_BITS, Pattern, PatternKinds, Place};
use crate::memory::{self, Source, Target};
use simurgh_core::sync::{Arc, AtomicBool, AtomicU32, AtomicU64, LockOwner, Ordering};
use simurgh_core::{FirstMessage, LINE_WORDS, LineData, MESSAGE_CELL, MessageRing, Worker};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Words of the envelope.
const HEADER_WORDS: usize = 2;
/// Bytes of data that lie in the line of a message. More lies in its cell.
const IN_LINE: usize = (LINE_WORDS - HEADER_WORDS) * WORD;
/// The longest message whose address goes through the ring, in bytes. Whoever empties a ring copies so much of each
/// message while it holds the table's lock.
const RING_REFERENCE: usize = 2048;
const _: () = assert!(RING_REFERENCE < 1 << 24);
/// The lengths of messages whose address may go through the ring. Shorter ones are copied to the ring sooner: the
/// sender need not look whether they have been taken, and the receiver does not wait for lines of their memory.
const REFERENCES: RangeInclusive<usize> = MESSAGE_CELL + 1..=RING_REFERENCE;

/// What others leave for a rank, and what the rank has left for others.
pub(super) struct Incoming {
    rings: Arc<VpRings>,
    /// 0, or 1 + the index of the ring through which messages may come; and [`LEAVING`].
    route: AtomicU32,
    /// Whether the rank is the only one of its virtual processor.
    is_alone: AtomicBool,
    /// The rings through which the rank has sent messages that may still be there, by the lowest bits of their indices.
    sent: AtomicU64,
    /// Threads that have called MPI for the rank.
    threads: AtomicU32,
    /// The first of these, as the owner of locks.
    owner: LockOwner,
    backlog: BacklogState,
}

/// The bit of a route that says that no further messages may come through its ring, from which those that are there
/// are being delivered.
const LEAVING: u32 = 1 << 31;

/// The route through the ring with this index.
fn route_through(ring: usize) -> u32 {
    ring as u32 + 1
}

impl Incoming {
    /// Nothing, for a rank with this backlog, on a host with these rings.
    pub(super) fn new(rings: Arc<VpRings>, backlog: BacklogState) -> Self {
        Self {
            rings,
            route: AtomicU32::new(0),
            is_alone: AtomicBool::new(false),
            sent: AtomicU64::new(0),
            threads: AtomicU32::new(0),
            owner: rank_owner::new(),
            backlog,
        }
    }

    /// The ring in which messages may be.
    #[inline]
    fn ring(&self) -> Option<&VpRing> {
        // Acquire: who finds no ring also sees what has been delivered out of the last one. A sender finds the last
        // route through which it has sent itself, or a later one.
        let route = self.route.load(Ordering::Acquire) & !LEAVING;
        self.rings.get((route as usize).checked_sub(1)?)
    }

    /// Whether messages may come through the ring with this index. For the rank itself a fact, for others a hint.
    #[inline]
    fn leads_through(&self, ring: usize) -> bool {
        self.route.load(Ordering::Relaxed) == route_through(ring)
    }

    /// The calling thread, which is one of the rank's own, as the owner of locks that others hardly take: those of a
    /// rank that is alone on its virtual processor.
    #[inline(always)]
    pub(super) fn owner(&self) -> Option<&LockOwner> {
        // Relaxed: a hint.
        let is_alone = self.is_alone.load(Ordering::Relaxed);
        // Relaxed: the second thread finds itself counted.
        let is_first = self.threads.load(Ordering::Relaxed) == 1;
        (is_alone && is_first).then_some(&self.owner)
    }

    /// Notes that the rank has sent something through a ring.
    #[inline]
    fn note_sent(&self, ring: usize) {
        // Relaxed: only the rank itself needs it. Threads of a rank that send in turns are ordered by the program.
        let sent = self.sent.load(Ordering::Relaxed);
        if sent & ring_bit(ring) == 0 {
            self.sent.fetch_or(ring_bit(ring), Ordering::Relaxed);
        }
    }

    /// Notes that nothing of the rank is in a ring.
    fn note_delivered(&self, ring: usize) {
        self.sent.fetch_and(!ring_bit(ring), Ordering::Relaxed);
    }

    /// Whether something of the rank may be in a ring.
    #[inline]
    fn has_sent(&self, ring: usize) -> bool {
        self.sent.load(Ordering::Relaxed) & ring_bit(ring) != 0
    }
}

/// The number of a message that has come through a ring. It tells the message from all others that wait, unless 2^24
/// have come through its ring since then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RingMessage(NonZeroU32);

impl RingMessage {
    /// The index of the places of such messages, which have none in the queue.
    const INDEX: u32 = u32::MAX - 1;
    /// Set in the number of such a message, above the bits that are kept of all numbers.
    const MARK: NonZeroU32 = NonZeroU32::new(1 << NUMBER_BITS).unwrap();
    /// The bits of the position; those of the ring's index are above them.
    const POSITION_BITS: u32 = 24;

    #[inline]
    pub(super) fn at_place(place: RingPlace) -> Self {
        let position = place.position & ((1 << Self::POSITION_BITS) - 1);
        Self::of_bits((place.ring as u32) << Self::POSITION_BITS | position)
    }

    #[inline]
    fn of_bits(bits: u32) -> Self {
        Self(Self::MARK | bits & (Self::MARK.get() - 1))
    }

    /// The message at this place, if it has come through the ring.
    #[inline]
    pub(crate) fn at(place: Place) -> Option<Self> {
        (place.index == Self::INDEX).then(|| Self::of_bits(place.sequence as u32))
    }

    /// The message with this number, if it has come through the ring.
    pub(super) fn numbered(number: u32) -> Option<Self> {
        (number & Self::MARK.get() != 0).then(|| Self::of_bits(number))
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

/// The first words of a message's line: its envelope, and for which process it is.
///
/// It is passed in registers: what lies in memory is read there before its parts have been written.
#[derive(Clone, Copy)]
pub(super) struct Label(u64, u64);

impl Label {
    #[inline(always)]
    fn new(receiver: u32, envelope: Envelope) -> Self {
        Self(
            u64::from(envelope.context) << 32 | u64::from(envelope.source.cast_unsigned()),
            u64::from(receiver) << 32 | u64::from(envelope.tag.cast_unsigned()),
        )
    }

    #[inline(always)]
    pub(super) fn of(message: &FirstMessage<'_>) -> Self {
        Self(message.word(0), message.word(1))
    }

    /// The process for which the message is.
    #[inline(always)]
    pub(super) fn receiver(self) -> u32 {
        (self.1 >> 32) as u32
    }

    #[inline(always)]
    pub(super) fn envelope(self) -> Envelope {
        Envelope {
            context: (self.0 >> 32) as u32,
            source: (self.0 as u32).cast_signed(),
            tag: (self.1 as u32).cast_signed(),
        }
    }
}

/// The length of a message.
#[inline(always)]
fn length_of(message: &FirstMessage<'_>) -> usize {
    (message.note() >> 8) as usize
}

/// The data of a message, wherever it lies.
#[inline(always)]
fn data_of<'a>(message: &'a FirstMessage<'_>) -> &'a [u8] {
    let bytes = length_of(message);
    match reference::data_of(message, HEADER_WORDS, bytes) {
        Some(lent) => lent,
        None if bytes <= IN_LINE => message.line_bytes(HEADER_WORDS, bytes),
        None => message.cell(bytes),
    }
}

/// The note of a message.
#[inline]
fn note_for(bytes: usize, kinds: PatternKinds) -> u32 {
    (bytes as u32) << 8 | u32::from(kinds.bits())
}

/// A message that may go through a ring: who sends it to whom.
#[derive(Clone, Copy)]
pub(crate) struct Letter<'a> {
    pub(crate) sender: &'a Endpoint,
    pub(crate) receiver: u32,
    pub(crate) envelope: Envelope,
    pub(crate) kinds: PatternKinds,
}

impl Endpoint {
    /// Has messages for the rank come through the ring of the worker on which it waits, if one thread alone calls MPI
    /// for it. Returns whether they do.
    #[inline]
    pub(crate) fn begin_looking(
        &self,
        worker: &Worker,
        is_alone: bool,
        ranks: &Arc<impl Endpoints + 'static>,
    ) -> bool {
        // Relaxed: only the rank itself changes them, but for a second thread, which takes the route away for good.
        if self.incoming.leads_through(worker.index())
            && self.incoming.is_alone.load(Ordering::Relaxed) == is_alone
        {
            worker.resume_mailbox();
            return true;
        }
        self.change_route(worker, is_alone, ranks)
    }

    #[cold]
    fn change_route(&self, worker: &Worker, is_alone: bool, ranks: &Arc<impl Endpoints + 'static>) -> bool {
        let incoming = &self.incoming;
        self.leave_route();
        // Relaxed: a hint.
        incoming.is_alone.store(is_alone, Ordering::Relaxed);
        self.table.lock().looks_into_ring = is_alone;
        let has_one_thread = || incoming.threads.load(Ordering::SeqCst) <= 1;
        let Some(ring) = incoming
            .rings
            .get_or_make(worker, ranks)
            .filter(|_| has_one_thread())
        else {
            return false;
        };
        // SeqCst: either the second look finds a second thread, or that thread finds this route and takes it away.
        incoming
            .route
            .store(route_through(ring.index()), Ordering::SeqCst);
        if !has_one_thread() {
            self.leave_route();
        }
        has_one_thread()
    }

    /// Has no more messages come through a ring, and delivers those that have.
    fn leave_route(&self) {
        let route = &self.incoming.route;
        // SeqCst: see `change_route`. Whoever uses the table meanwhile still finds the ring, and delivers first, too.
        let leaving = route.load(Ordering::SeqCst) | LEAVING;
        let Some(ring) = self.incoming.ring() else { return };
        route.fetch_or(LEAVING, Ordering::SeqCst);
        // Whoever has claimed a place in the ring looks at the route after that. So either it finds that it may not
        // leave a message there, or its message is found.
        MessageRing::fence_senders();
        ring.drain();
        // Release pairs with the Acquire in `ring`. Another thread of the rank may have done all this, too.
        let _ = route.compare_exchange(leaving, 0, Ordering::Release, Ordering::Relaxed);
    }

    /// Whether the rank is the only one of its virtual processor, and looks into the ring of that.
    #[inline]
    pub(crate) fn looks_alone(&self) -> bool {
        // Relaxed: hints.
        self.incoming.is_alone.load(Ordering::Relaxed)
            && !matches!(self.incoming.route.load(Ordering::Relaxed), 0 | LEAVING..)
    }

    /// Counts a thread that begins to call MPI for the rank. From the second one on, no messages come through a ring.
    pub(crate) fn add_thread(&self) {
        // SeqCst: see `change_route`.
        if self.incoming.threads.fetch_add(1, Ordering::SeqCst) > 0 {
            self.leave_route();
        }
    }

    /// Delivers what is in the ring, for the rank itself.
    #[inline]
    pub(crate) fn look_into_ring(&self, ranks: &impl Endpoints) {
        if let Some(ring) = self.incoming.ring() {
            let owner = self.incoming.owner();
            ring.look(
                ranks,
                owner.map(|owner| Reader {
                    endpoint: self,
                    owner,
                }),
            );
        }
    }

    /// Delivers everything that has been sent through the ring.
    #[inline]
    pub(super) fn deliver_all(&self) {
        if let Some(ring) = self.incoming.ring() {
            ring.drain();
        }
    }

    /// Delivers everything that this sender has sent through the ring.
    #[inline]
    pub(super) fn deliver_all_of(&self, sender: &Endpoint) {
        if let Some(ring) = self.incoming.ring()
            && sender.incoming.has_sent(ring.index())
        {
            ring.drain();
            sender.incoming.note_delivered(ring.index());
        }
    }

    /// Whether messages from this sender go through the table whatever they are, since both look into the same ring or
    /// neither looks into one.
    #[inline(always)]
    pub(crate) fn has_route_of(&self, sender: &Endpoint) -> bool {
        // Relaxed: ranks that live together use the table, but need not.
        let route = |endpoint: &Endpoint| endpoint.incoming.route.load(Ordering::Relaxed);
        route(self) == route(sender)
    }

    /// Leaves a message in the ring of the rank, and returns its place. `None` if it is too long, or the ring takes
    /// none now.
    #[inline]
    pub(crate) fn leave_in_ring(&self, letter: Letter<'_>, source: &Source) -> Option<RingPlace> {
        let bytes = source.bytes();
        let ring = self.ring_for(letter.sender, bytes, 0..=MESSAGE_CELL)?;
        let note = note_for(bytes, letter.kinds);
        let in_cell = if bytes > IN_LINE { bytes } else { 0 };
        self.send(letter, ring, in_cell, |line, cell| {
            if in_cell > 0 {
                memory::pack(source, cell);
                return (HEADER_WORDS, note);
            }
            let packed = memory::pack_from(source, 0, memory::bytes_of_words_mut(&mut line[HEADER_WORDS..]));
            (HEADER_WORDS + packed.div_ceil(WORD), note)
        })
    }

    /// Leaves the address of a message in the ring of the rank, and returns the place there. The message stays in the
    /// memory of its sender until it [has been taken](VpRings::have_taken). `None` if it is too long or has gaps, if
    /// its data fits in the ring, or if that takes none now.
    #[inline]
    pub(crate) fn leave_reference(&self, letter: Letter<'_>, source: &Source) -> Option<RingPlace> {
        let ring = self.ring_for(letter.sender, source.bytes(), REFERENCES)?;
        let word = reference::word_for(source)?;
        self.leave_word(letter, ring, source.bytes(), word)
    }

    /// The same with a copy of a message, which stays where it is until it [has been taken](VpRings::have_taken).
    #[inline]
    pub(crate) fn leave_address(&self, letter: Letter<'_>, copy: &[u8]) -> Option<RingPlace> {
        let ring = self.ring_for(letter.sender, copy.len(), REFERENCES)?;
        self.leave_word(letter, ring, copy.len(), reference::word_of(copy))
    }

    /// Whether the ring may take the address of a copy of so many bytes.
    #[inline]
    pub(crate) fn may_take_address(&self, sender: &Endpoint, bytes: usize) -> bool {
        self.ring_for(sender, bytes, REFERENCES)
            .is_some_and(|ring| ring.messages().is_open())
    }

    /// The ring, if messages of so many bytes from this sender may go through it now, in a way that is for these
    /// lengths.
    #[inline]
    fn ring_for(&self, sender: &Endpoint, bytes: usize, lengths: RangeInclusive<usize>) -> Option<&VpRing> {
        let ring = self.incoming.ring()?;
        // Relaxed: ranks that live together use the table, but need not.
        let is_near = sender.incoming.leads_through(ring.index());
        let may = !is_near
            && self.incoming.leads_through(ring.index())
            && lengths.contains(&bytes)
            && (bytes <= INLINE_LIMIT || !self.incoming.backlog.is_full());
        may.then_some(ring)
    }

    /// Leaves the word that stands for the data of a message in the ring.
    #[inline]
    fn leave_word(&self, letter: Letter<'_>, ring: &VpRing, bytes: usize, word: u64) -> Option<RingPlace> {
        self.send(letter, ring, 0, |line, _| {
            line[HEADER_WORDS] = word;
            (HEADER_WORDS + 1, note_for(bytes, letter.kinds) | BY_REFERENCE)
        })
    }

    /// Sends a message through this ring, unless the route has changed.
    #[inline]
    fn send(
        &self,
        letter: Letter<'_>,
        ring: &VpRing,
        in_cell: usize,
        fill: impl FnOnce(&mut LineData, &mut [u8]) -> (usize, u32),
    ) -> Option<RingPlace> {
        let index = ring.index();
        // Relaxed: the ring orders it; see `leave_route`.
        let may_stay = || self.incoming.leads_through(index);
        let owner = letter.sender.incoming.owner();
        let sent = ring.messages().send(owner, in_cell, may_stay, |line, cell| {
            let label = Label::new(letter.receiver, letter.envelope);
            (line[0], line[1]) = (label.0, label.1);
            fill(line, cell)
        });
        let position = sent.ok()?;
        letter.sender.incoming.note_sent(index);
        Some(RingPlace {
            ring: index,
            position,
        })
    }

    /// Receives the first message of the ring that is for this process, that the pattern accepts, and that is for no
    /// receive which was posted before. Delivers the messages before that one. The result is what `done` makes of the
    /// status.
    #[inline(always)]
    pub(crate) fn receive_from_ring<R>(
        &self,
        process: u32,
        table: &mut MatchTable,
        pattern: Pattern,
        target: &Target,
        done: impl FnOnce(&Status) -> R,
    ) -> Option<R> {
        let ring = self.incoming.ring()?;
        let messages = ring.receive(self.incoming.owner())?;
        while let Some(message) = messages.first() {
            let label = Label::of(&message);
            if label.receiver() != process {
                // Another table must not be waited for while this one is locked.
                return None;
            }
            let envelope = label.envelope();
            match table.take_receive(envelope) {
                Some(receive) => self.complete(receive, label, message),
                None if pattern.accepts(envelope) => {
                    // It has come before its receive, though no queue has seen it.
                    instrument::unexpected(self, envelope, length_of(&message));
                    return Some(done(&self.received(label, message, target)));
                }
                None => self.keep(table, ring.index(), label, message),
            }
        }
        None
    }

    /// Copies a message of the ring to the memory of its receive, which is over then, and takes the message out.
    #[inline(never)]
    pub(super) fn complete(&self, receive: PostedReceive, label: Label, message: FirstMessage<'_>) {
        let PostedReceive { target, waiter } = receive;
        waiter.finish(self, &self.received(label, message, &target));
    }

    /// Copies a message to the memory of its receive, and takes it out.
    #[inline(always)]
    fn received(&self, label: Label, message: FirstMessage<'_>, target: &Target) -> Status {
        let envelope = label.envelope();
        instrument::matched(self, envelope, || length_of(&message));
        let transfer = memory::unpack(data_of(&message), target);
        message.finish();
        status_of(envelope, &transfer)
    }

    /// Puts a message of this ring into the unexpected queue, and takes it out.
    #[inline(never)]
    pub(super) fn keep(&self, table: &mut MatchTable, ring: usize, label: Label, message: FirstMessage<'_>) {
        let (envelope, bytes) = (label.envelope(), length_of(&message));
        let position = message.position();
        let from_ring = Some(RingPlace { ring, position }.message());
        let payload = if bytes <= INLINE_LIMIT {
            let mut data = [0; INLINE_LIMIT];
            data[..bytes].copy_from_slice(data_of(&message));
            Unexpected::Inline {
                len: bytes as u8,
                data,
                from_ring,
            }
        } else {
            let pooled = table.buffers().take(bytes);
            let mut buffer = pooled.unwrap_or_else(|| EagerBuffer::allocate(bytes));
            memory::copy(data_of(&message), buffer.bytes_mut());
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
        message.finish();
    }
}
