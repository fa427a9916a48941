//! The match table of a rank: the queue of posted receives, the queue of unexpected messages, and the probes that wait.

use super::backlog::Backlog;
use super::{EagerPool, RingMessage, Unexpected};
use crate::deadlock::{Operation, Unmatched};
use crate::error::Status;
use crate::matching::{Envelope, Found, Pattern, PatternKinds, Place, Queue};
use crate::memory::Target;
use crate::request::{Callers, Waiter};

/// A posted receive.
#[derive(Debug)]
pub(crate) struct PostedReceive {
    pub(crate) target: Target,
    pub(crate) waiter: Waiter,
}

impl PostedReceive {
    #[inline(always)]
    pub(crate) fn new(target: &Target, waiter: Waiter) -> Self {
        Self {
            target: target.clone(),
            waiter,
        }
    }
}

/// A probe that waits for a message.
#[derive(Debug)]
struct Probe {
    pattern: Pattern,
    waiter: Waiter,
}

/// The match table of a rank. Messages are not copied while it is locked, short inline ones excepted.
///
/// The queue that most messages meet comes first: its header shares a line with the lock.
#[repr(C)]
pub(crate) struct MatchTable {
    pub(super) posted: Queue<PostedReceive, 2>,
    /// Whether receives look for their messages in the ring, too.
    pub(super) looks_into_ring: bool,
    unexpected: Queue<Unexpected, 5>,
    probes: Vec<Probe>,
    /// Buffers for messages to this rank.
    buffers: EagerPool,
    /// The eager buffers in `unexpected`.
    backlog: Backlog,
    /// The pattern of the rank's last probe, and how often in a row it has found nothing.
    looks: Option<(Pattern, u64)>,
}

/// So many probes in a row that find nothing are a loop, which a deadlock report mentions.
const MANY_LOOKS: u64 = 100;

impl MatchTable {
    /// An empty table, whose queues are scanned up to a length of `scan_limit`.
    pub(super) fn new(scan_limit: usize, backlog: Backlog) -> Self {
        Self {
            posted: Queue::new(scan_limit),
            looks_into_ring: false,
            unexpected: Queue::new(scan_limit),
            probes: Vec::new(),
            buffers: EagerPool::default(),
            backlog,
            looks: None,
        }
    }
}

impl MatchTable {
    /// Takes the receive that a message satisfies.
    #[inline]
    pub(crate) fn take_receive(&mut self, envelope: Envelope) -> Option<PostedReceive> {
        self.posted.take_for(envelope)
    }

    /// Finds the receive that a message satisfies, which is to be [taken](MatchTable::take_found).
    #[inline(always)]
    pub(crate) fn find_receive(&mut self, envelope: Envelope) -> Option<Found> {
        self.posted.find_for(envelope)
    }

    /// Takes a receive that has been found.
    #[inline(always)]
    pub(crate) fn take_found(&mut self, found: Found) -> PostedReceive {
        self.posted.take_found(found)
    }

    /// Posts a receive.
    #[inline(always)]
    pub(crate) fn post(&mut self, pattern: Pattern, receive: PostedReceive) -> Place {
        self.posted.post(pattern, receive)
    }

    /// Whether there is any message, or may be one in the ring.
    #[inline]
    pub(crate) fn may_have_messages(&self) -> bool {
        self.looks_into_ring || !self.unexpected.is_empty()
    }

    /// Takes the message that satisfies a receive.
    #[inline(always)]
    pub(crate) fn take_message(&mut self, pattern: Pattern) -> Option<(Envelope, Unexpected)> {
        (!self.unexpected.is_empty()).then(|| self.take_waiting(pattern))?
    }

    #[inline(never)]
    fn take_waiting(&mut self, pattern: Pattern) -> Option<(Envelope, Unexpected)> {
        let (envelope, payload) = self.unexpected.take_match(pattern)?;
        self.backlog.remove(payload.stored());
        Some((envelope, payload))
    }

    /// Queues an unexpected message, and completes the probes that wait for it.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        callers: &impl Callers,
        envelope: Envelope,
        kinds: PatternKinds,
        payload: Unexpected,
    ) -> Place {
        self.backlog.add(payload.stored());
        let place = self.unexpected.arrive(envelope, kinds, payload);
        if !self.probes.is_empty() {
            self.answer_probes(callers, envelope);
        }
        place
    }

    #[cold]
    fn answer_probes(&mut self, callers: &impl Callers, envelope: Envelope) {
        self.answer_probes_of(callers, |pattern| pattern.accepts(envelope));
    }

    /// Completes the probes of these patterns.
    pub(crate) fn answer_probes_of(&mut self, callers: &impl Callers, is_so: impl Fn(Pattern) -> bool) {
        for probe in self.probes.extract_if(.., |probe| is_so(probe.pattern)) {
            probe.waiter.finish(callers, &Status::EMPTY);
        }
    }

    /// Takes the oldest message of which `is_so` holds.
    pub(crate) fn take_first(&mut self, is_so: impl Fn(Pattern) -> bool) -> Option<Unexpected> {
        let found = self.unexpected.iter().find(|(pattern, _)| is_so(*pattern));
        let pattern = found.map(|(pattern, _)| pattern)?;
        self.take_message(pattern).map(|(_, payload)| payload)
    }

    /// The envelope and size of the message that a receive would match.
    pub(crate) fn peek(&mut self, pattern: Pattern) -> Option<(Envelope, usize)> {
        self.unexpected
            .peek(pattern)
            .map(|(envelope, payload)| (envelope, payload.bytes()))
    }

    /// Notes a nonblocking probe.
    pub(crate) fn looked(&mut self, pattern: Pattern, found: bool) {
        self.looks = match self.looks {
            _ if found => None,
            Some((last, times)) if last == pattern => Some((last, times + 1)),
            _ => Some((pattern, 1)),
        };
    }

    /// Completes `waiter` when a message arrives that matches the pattern.
    pub(crate) fn await_message(&mut self, pattern: Pattern, waiter: Waiter) {
        self.probes.push(Probe { pattern, waiter });
    }

    /// Withdraws a receive; `false` if it has been matched.
    pub(crate) fn withdraw_receive(&mut self, place: Place) -> bool {
        self.posted.withdraw(place).is_some()
    }

    /// Withdraws a message; `false` if it has been matched.
    pub(crate) fn withdraw_message(&mut self, place: Place) -> bool {
        if let Some(message) = RingMessage::at(place) {
            return self
                .withdraw_one(|payload| payload.is_from_ring(message))
                .is_some();
        }
        let payload = self.unexpected.withdraw(place);
        self.backlog
            .remove(payload.as_ref().map_or(0, Unexpected::stored));
        payload.is_some()
    }

    /// Withdraws the oldest message of which `is_it` holds.
    pub(crate) fn withdraw_one(&mut self, is_it: impl Fn(&Unexpected) -> bool) -> Option<Unexpected> {
        let payload = self.unexpected.withdraw_one(is_it)?;
        self.backlog.remove(payload.stored());
        Some(payload)
    }

    /// Withdraws the message whose number ends in these bits; `false` if it has been matched.
    pub(crate) fn withdraw_numbered(&mut self, number: u32, bits: u32) -> bool {
        let place = match RingMessage::numbered(number) {
            Some(message) => Some(message.place()),
            None => self.unexpected.numbered(number, bits),
        };
        place.is_some_and(|place| self.withdraw_message(place))
    }

    /// Whether there is a receive, a probe or a message with this context.
    pub(crate) fn concerns(&self, context: u32) -> bool {
        let posted = self.posted.iter().map(|(pattern, _)| pattern);
        let arrived = self.unexpected.iter().map(|(pattern, _)| pattern);
        let probes = self.probes.iter().map(|probe| probe.pattern);
        posted
            .chain(arrived)
            .chain(probes)
            .any(|pattern| pattern.context == context)
    }

    /// The operations that wait here for their counterparts: those of the process with this name, and sends to it.
    pub(crate) fn unmatched(&self, own: &str) -> impl Iterator<Item = Unmatched> {
        let unmatched = move |pattern, operation, waiter: &Waiter| {
            Unmatched::new(own.to_owned(), pattern, operation, waiter.is_call())
        };
        let receives = self.posted.iter();
        let probes = self.probes.iter();
        let sends = self
            .unexpected
            .iter()
            .filter_map(|(pattern, payload)| Some((pattern, payload.waiter()?)));
        // A rank that waits in a call does not probe in a loop.
        let waits = self.posted.iter().any(|(_, posted)| posted.waiter.is_call()) || !self.probes.is_empty();
        let looks = self.looks.filter(|(_, times)| !waits && *times >= MANY_LOOKS);
        let looks = looks
            .map(|(pattern, times)| Unmatched::new(own.to_owned(), pattern, Operation::Looks(times), false));
        let receives =
            receives.map(move |(pattern, posted)| unmatched(pattern, Operation::Receive, &posted.waiter));
        let probes = probes.map(move |probe| unmatched(probe.pattern, Operation::Probe, &probe.waiter));
        receives
            .chain(probes)
            .chain(looks)
            .chain(sends.map(move |(pattern, waiter)| unmatched(pattern, Operation::Send, waiter)))
    }

    /// The messages that the process with this name has not received.
    pub(crate) fn unreceived(&self, own: &str) -> impl Iterator<Item = Unmatched> {
        let messages = self.unexpected.iter();
        messages.map(move |(pattern, _)| Unmatched::new(own.to_owned(), pattern, Operation::Message, false))
    }

    /// Receives that wait.
    pub(crate) fn posted_length(&self) -> usize {
        self.posted.len()
    }

    /// The most receives that have waited at one time.
    pub(crate) fn posted_most(&self) -> usize {
        self.posted.most()
    }

    /// Messages that wait.
    pub(crate) fn unexpected_length(&self) -> usize {
        self.unexpected.len()
    }

    /// The most messages that have waited at one time.
    pub(crate) fn unexpected_most(&self) -> usize {
        self.unexpected.most()
    }

    /// Receives that wait in a context.
    pub(crate) fn posted_on(&self, context: Option<u32>) -> usize {
        self.posted
            .iter()
            .filter(|(pattern, _)| context.is_none_or(|context| pattern.context == context))
            .count()
    }

    /// Messages that wait, in a context or in all.
    fn unexpected_in(&self, context: Option<u32>) -> impl Iterator<Item = &Unexpected> {
        let messages = self.unexpected.iter();
        let wanted = move |pattern: Pattern| context.is_none_or(|context| pattern.context == context);
        messages.filter_map(move |(pattern, payload)| wanted(pattern).then_some(payload))
    }

    /// Messages that wait in a context.
    pub(crate) fn unexpected_on(&self, context: Option<u32>) -> usize {
        self.unexpected_in(context).count()
    }

    /// Bytes of the messages that wait, in a context or in all.
    pub(crate) fn unexpected_bytes(&self, context: Option<u32>) -> usize {
        self.unexpected_in(context).map(Unexpected::bytes).sum()
    }

    /// Whether another `bytes` may be copied out, when the sender allows `limit` in all, for the receiver to find.
    #[inline]
    pub(crate) fn has_room(&self, bytes: usize, limit: usize) -> bool {
        self.backlog.bytes() + bytes <= limit
    }

    /// Buffers for messages to this rank.
    #[inline]
    pub(crate) fn buffers(&mut self) -> &mut EagerPool {
        &mut self.buffers
    }
}
