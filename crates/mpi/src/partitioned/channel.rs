//! Channels: the state that the two sides of a partitioned operation share.
//!
//! Rounds are numbered from 1 on each side; round n of one side goes with round n of the other. `open` is the round
//! that the receiver has opened: its target may be written to then, and the counters are those of this round. The flag
//! of a partition holds twice the round in which it was ready last, plus one if it has been moved. So the sender has to
//! reset nothing, and a late look at a flag of an earlier or later round finds nothing to do.
//!
//! Sender and receiver may miss each other in one way only: the sender finds the round not open and sets the flag,
//! while the receiver opens the round and finds the flag not set. Both write first and then look, with sequential
//! consistency, so that at least one of them sees the other. The change of the flag decides which of them moves the
//! partition.

use super::split::{Partitions, Split};
use crate::deadlock::{Operation, Parts};
use crate::error::Status;
use crate::error::{Error, ErrorClass, Result};
use crate::matching::Envelope;
use crate::memory::{self, Source, Target};
use crate::request::Request;
use simurgh_core::sync::{Arc, AtomicU64, AtomicUsize, Ordering, SpinLock};
use std::sync::OnceLock;

/// The connection of a partitioned send with its receive. At first it has only one of them.
#[derive(Debug)]
pub(crate) struct Channel {
    sender: OnceLock<Sender>,
    receiver: OnceLock<Receiver>,
    /// The round that the receiver has opened; 0 before the first.
    open: AtomicU64,
    /// Partitions of the open round that have not been counted as arrived in `missing`.
    untold: AtomicUsize,
    /// Partitions of the open round that have not been moved.
    left: AtomicUsize,
    waiters: SpinLock<Waiters>,
}

/// The requests that the end of the round completes.
#[derive(Debug, Default)]
struct Waiters {
    sender: Option<Arc<Request>>,
    receiver: Option<Arc<Request>>,
    /// The receiver was started before there was a sender. The thread that adds the sender opens the round.
    unopened: bool,
}

/// The side that sends.
#[derive(Debug)]
pub(crate) struct Sender {
    source: Source,
    partitions: Partitions,
    flags: Box<[AtomicU64]>,
    round: AtomicU64,
}

/// The side that receives.
#[derive(Debug)]
pub(crate) struct Receiver {
    target: Target,
    partitions: Partitions,
    envelope: Envelope,
    /// For each partition: partitions of the sender that touch it and have not been moved.
    missing: Box<[AtomicUsize]>,
    round: AtomicU64,
}

/// One of the sides.
#[derive(Debug)]
pub(crate) enum Side {
    Sends(Sender),
    Receives(Receiver),
}

impl Sender {
    /// A sender of `partitions` equal parts of `source`.
    pub(crate) fn new(source: Source, partitions: usize) -> Self {
        Self {
            partitions: Partitions::of(source.bytes(), source.count(), partitions),
            source,
            flags: (0..partitions).map(|_| AtomicU64::new(0)).collect(),
            round: AtomicU64::new(0),
        }
    }

    fn partition(&self, index: usize) -> Source {
        let elements = self.partitions.elements;
        self.source.slice(index * elements, elements)
    }
}

impl Receiver {
    /// A receiver of `partitions` equal parts of `target`.
    pub(crate) fn new(target: Target, partitions: usize, envelope: Envelope) -> Self {
        Self {
            partitions: Partitions::of(target.bytes(), target.count(), partitions),
            target,
            envelope,
            // Nothing has arrived before the first round is opened.
            missing: (0..partitions).map(|_| AtomicUsize::new(1)).collect(),
            round: AtomicU64::new(0),
        }
    }

    fn partition(&self, index: usize) -> Target {
        let elements = self.partitions.elements;
        self.target.slice(index * elements, elements)
    }

    /// The status of a round in which `sent` bytes were sent.
    fn status(&self, sent: usize) -> Status {
        let room = self.target.bytes();
        let error = if sent > room {
            ErrorClass::Truncate
        } else {
            ErrorClass::Success
        };
        Status {
            source: self.envelope.source,
            tag: self.envelope.tag,
            error: error.into(),
            bytes: sent.min(room) as u64,
            cancelled: false,
        }
    }
}

/// The flag of a partition that is ready in this round, and of one that has been moved.
const fn marks(round: u64) -> (u64, u64) {
    (2 * round, 2 * round + 1)
}

/// Both sides of a channel that has them.
struct Pair<'a> {
    channel: &'a Channel,
    sender: &'a Sender,
    receiver: &'a Receiver,
}

impl Channel {
    /// A channel with one side.
    pub(crate) fn with(side: Side) -> Self {
        let channel = Self {
            sender: OnceLock::new(),
            receiver: OnceLock::new(),
            open: AtomicU64::new(0),
            untold: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
            waiters: SpinLock::new(Waiters::default()),
        };
        channel.set(side);
        channel
    }

    /// Whether this side is missing.
    pub(crate) fn lacks(&self, side: &Side) -> bool {
        match side {
            Side::Sends(_) => self.sender.get().is_none(),
            Side::Receives(_) => self.receiver.get().is_none(),
        }
    }

    fn set(&self, side: Side) {
        let was_set = match side {
            Side::Sends(sender) => self.sender.set(sender).is_err(),
            Side::Receives(receiver) => self.receiver.set(receiver).is_err(),
        };
        debug_assert!(!was_set, "only a missing side is added");
    }

    /// Adds the missing side.
    pub(crate) fn join(&self, side: Side) {
        self.set(side);
        let unopened = std::mem::take(&mut self.waiters.lock().unopened);
        if unopened && let Some(pair) = self.pair() {
            // Relaxed: the lock orders this behind the receiver's start.
            pair.open(pair.receiver.round.load(Ordering::Relaxed));
        }
    }

    fn pair(&self) -> Option<Pair<'_>> {
        Some(Pair {
            channel: self,
            sender: self.sender.get()?,
            receiver: self.receiver.get()?,
        })
    }

    /// Begins the sender's next round.
    pub(crate) fn start_sender(&self, request: &Arc<Request>) {
        let Some(sender) = self.sender.get() else { return };
        if sender.flags.is_empty() {
            request.finish(&Status::EMPTY);
            return;
        }
        self.waiters.lock().sender = Some(Arc::clone(request));
        // Relaxed: threads that say that partitions are ready do so after the start, as the program sees to.
        let round = sender.round.load(Ordering::Relaxed);
        sender.round.store(round + 1, Ordering::Relaxed);
    }

    /// Begins the receiver's next round: takes what is ready already.
    pub(crate) fn start_receiver(&self, request: &Arc<Request>) {
        let Some(receiver) = self.receiver.get() else {
            return;
        };
        // Relaxed: read by the receiver itself, and in `join` after the lock below.
        let round = receiver.round.load(Ordering::Relaxed) + 1;
        receiver.round.store(round, Ordering::Relaxed);
        let mut waiters = self.waiters.lock();
        waiters.receiver = Some(Arc::clone(request));
        let pair = self.pair();
        waiters.unopened = pair.is_none();
        drop(waiters);
        if let Some(pair) = pair {
            pair.open(round);
        }
    }

    /// Partition `index` of the sender is ready.
    pub(crate) fn ready(&self, index: usize) -> Result<()> {
        let Some(sender) = self.sender.get() else {
            return Ok(());
        };
        // Relaxed: see `start_sender`.
        let round = sender.round.load(Ordering::Relaxed);
        let (ready, moved) = marks(round);
        let flag = &sender.flags[index];
        let before = flag.load(Ordering::Relaxed);
        // Acquire pairs with the store in `open`: the target may be written to, and the counters are set.
        let is_open = self.open.load(Ordering::Acquire) == round;
        let mark = if is_open { moved } else { ready };
        if before >= ready || !change(flag, before, mark) {
            return Err(Error::new(
                ErrorClass::Arg,
                format!("partition {index} was ready before in this round"),
            ));
        }
        // SeqCst: see the module's documentation.
        let is_ours = is_open || (self.open.load(Ordering::SeqCst) == round && change(flag, ready, moved));
        if is_ours && let Some(pair) = self.pair() {
            pair.move_partition(index);
        }
        Ok(())
    }

    /// Whether all of the receiver's partition `index` has arrived.
    pub(crate) fn has_arrived(&self, index: usize) -> bool {
        let receiver = self.receiver.get();
        // Acquire pairs with the Release in `move_partition`.
        receiver.is_some_and(|receiver| receiver.missing[index].load(Ordering::Acquire) == 0)
    }

    /// Which side waits for the other, and how far they have come; none if no round is under way.
    pub(crate) fn stands(&self) -> Option<(Operation, Parts)> {
        let waiters = self.waiters.lock();
        let (sends, receives) = (waiters.sender.is_some(), waiters.receiver.is_some());
        let paired = self.pair().is_some();
        drop(waiters);
        let parts = match (paired, sends && receives) {
            (false, _) => Parts::Unpaired,
            (true, false) => Parts::Unmet,
            // Relaxed: it says how far they are, and may say less than that.
            (true, true) => Parts::Missing {
                left: self.left.load(Ordering::Relaxed),
                of: self.sender.get()?.partitions.count,
            },
        };
        match (sends, receives) {
            (_, true) => Some((Operation::Receive, parts)),
            (true, false) => Some((Operation::Send, parts)),
            (false, false) => None,
        }
    }

    /// Whether the round is over but for a few instructions of the threads that moved its last partitions. This holds
    /// if all partitions have been seen to have arrived.
    pub(crate) fn is_ending(&self) -> bool {
        // Acquire: lowered before the counters of `has_arrived`, by whose Acquire it is visible.
        self.untold.load(Ordering::Acquire) == 0
    }
}

/// Changes a flag; false if another thread has done so first. SeqCst: see the module's documentation.
fn change(flag: &AtomicU64, from: u64, to: u64) -> bool {
    flag.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok()
}

impl Pair<'_> {
    fn split(&self) -> Split {
        Split {
            sent: self.sender.partitions,
            received: self.receiver.partitions,
        }
    }

    /// Opens the receiver's round and moves the partitions that are ready.
    fn open(&self, round: u64) {
        let split = self.split();
        // Relaxed: nobody moves partitions of a round that is not open; the store to `open` publishes these.
        for (index, missing) in self.receiver.missing.iter().enumerate() {
            missing.store(split.sources(index), Ordering::Relaxed);
        }
        self.channel.untold.store(split.sent.count, Ordering::Relaxed);
        self.channel.left.store(split.sent.count, Ordering::Relaxed);
        if split.sent.count == 0 {
            self.finish();
            return;
        }
        // SeqCst, here and for the flags: see the module's documentation. It is also the Release for `ready`.
        self.channel.open.store(round, Ordering::SeqCst);
        let (ready, moved) = marks(round);
        for (index, flag) in self.sender.flags.iter().enumerate() {
            if flag.load(Ordering::SeqCst) == ready && change(flag, ready, moved) {
                self.move_partition(index);
            }
        }
    }

    /// Moves the sender's partition `index`, which nobody else does in this round.
    fn move_partition(&self, index: usize) {
        let split = self.split();
        let source = self.sender.partition(index);
        if split.is_even() {
            memory::transfer(&source, &self.receiver.partition(index));
        } else {
            memory::transfer_at(&source, &self.receiver.target, index * split.sent.bytes);
        }
        // Relaxed: published with the counters below.
        self.channel.untold.fetch_sub(1, Ordering::Relaxed);
        for touched in split.touched(index) {
            // Release pairs with the Acquire in `has_arrived`; AcqRel collects what other threads moved there.
            self.receiver.missing[touched].fetch_sub(1, Ordering::AcqRel);
        }
        // AcqRel: the thread that moves the last partition publishes what all have moved.
        if self.channel.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.finish();
        }
    }

    /// Ends the round for both sides, of which a sender without partitions has ended by itself.
    fn finish(&self) {
        let mut waiters = self.channel.waiters.lock();
        let (sender, receiver) = (waiters.sender.take(), waiters.receiver.take());
        drop(waiters);
        if let Some(request) = receiver {
            request.finish(&self.receiver.status(self.sender.source.bytes()));
        }
        if let Some(request) = sender {
            request.finish(&Status::EMPTY);
        }
    }
}
