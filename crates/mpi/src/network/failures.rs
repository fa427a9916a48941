//! Failures in what several hosts do together.
//!
//! A host that fails in such an operation tells all hosts that take part ([`HostChannel::fail`]). A host that waits for
//! a message of that operation then fails too, with the same reason. Messages of the operation that have come or will
//! come are discarded, and their senders are told that the transfer is over. So no host waits for ever, and nothing is
//! left behind.
//!
//! Failed rounds are remembered until the hosts are at much later rounds, and at most a fixed number of them. As long
//! as nothing fails the cost is a load where a message matches no receive.

use std::collections::VecDeque;

use super::dispatch::PacketHandler;
use super::host_channel::HostChannel;
use super::wire::{Label, Packet};
use super::{HOST_BASE, Network};
use crate::endpoint::Handle;
use crate::endpoint::Unexpected;
use crate::error::Error;
use crate::host::Host;
use crate::limits::ABANDONED;
use crate::matching::Pattern;
use crate::portable;
use simurgh_core::sync::{AtomicUsize, Ordering, SpinLock};
use simurgh_net::HostId;
use simurgh_net::job::Realm;

/// The rounds of one operation of several hosts: consecutive rounds of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    pub(crate) context: u32,
    pub(crate) first: i32,
    /// Number of rounds; one at least.
    pub(crate) count: u32,
    /// Tells operations apart that use the same rounds one after the other. Less than [`Rounds::TURNS`].
    pub(crate) turn: u32,
}

/// All rounds that have failed.
#[derive(Default)]
pub(super) struct Failures {
    entries: SpinLock<VecDeque<Entry>>,
    /// Their number.
    count: AtomicUsize,
}

struct Entry {
    rounds: Rounds,
    fault: Error,
}

/// A failure is forgotten when hosts are so many operations further.
const LONG_PAST: u32 = 64;

/// Hosts cannot be so many operations further: the count of rounds has wrapped around.
const TOO_MANY: u32 = 1 << 24;

/// Where turns begin in the sources of messages.
const TURN_SHIFT: u32 = Realm::SIZE.ilog2();

/// Most bytes of a reason that are sent.
const REASON: usize = 1 << 10;

impl Rounds {
    /// Number of turns that messages tell apart: the bits of their sources above the short number of the host.
    pub(crate) const TURNS: u32 = 1 << 10;

    /// The source of messages from the host with this [short number](crate::Layout::short_id_of).
    pub(super) fn source(self, short_id: u32) -> i32 {
        debug_assert!(
            short_id < 1 << TURN_SHIFT && self.turn < Self::TURNS,
            "it is one number"
        );
        (self.turn << TURN_SHIFT | short_id).cast_signed()
    }

    /// Whether messages with this label belong to these rounds.
    fn has(self, pattern: Pattern) -> bool {
        let further = pattern.tag.checked_sub(self.first).map(u32::try_from);
        let turn = pattern.source.cast_unsigned() >> TURN_SHIFT;
        (self.context, self.turn) == (pattern.context, turn)
            && matches!(further, Some(Ok(further)) if further < self.count)
    }

    /// Whether hosts are far beyond these rounds when they are at `now`.
    fn are_long_past(self, now: Self) -> bool {
        let since = u32::try_from(now.first.saturating_sub(self.first)).unwrap_or(0) / now.count;
        self.context == now.context && (LONG_PAST..TOO_MANY).contains(&since)
    }
}

impl Failures {
    /// Why a round has failed, if it has.
    pub(super) fn fault(&self, label: Pattern) -> Option<Error> {
        // Relaxed: entries are added, and asked for, under the lock of the match table.
        if self.count.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let entries = self.entries.lock();
        let entry = entries.iter().find(|entry| entry.rounds.has(label));
        entry.map(|entry| entry.fault.clone())
    }

    /// Adds failed rounds; false if they are there already.
    fn add(&self, rounds: Rounds, fault: &Error) -> bool {
        self.change(|entries| {
            let new = entries.iter().all(|entry| entry.rounds != rounds);
            if new {
                entries.truncate(ABANDONED - 1);
                let fault = fault.clone();
                entries.push_front(Entry { rounds, fault });
            }
            new
        })
    }

    /// Forgets the rounds of which `is_so` holds.
    fn forget(&self, is_so: impl Fn(Rounds) -> bool) {
        // Relaxed, as above: rounds that another thread adds meanwhile are not those that the caller means.
        if self.count.load(Ordering::Relaxed) != 0 {
            self.change(|entries| entries.retain(|entry| !is_so(entry.rounds)));
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut VecDeque<Entry>) -> T) -> T {
        let mut entries = self.entries.lock();
        let result = change(&mut entries);
        self.count.store(entries.len(), Ordering::Relaxed);
        result
    }
}

impl Network {
    /// Notes that rounds have failed: takes no more messages of them. False if that has been noted before.
    fn mark_failed(&self, local: &Host, rounds: Rounds, fault: &Error) -> bool {
        let mut left = Vec::new();
        let mut table = self.host_endpoint.table();
        let new = self.failures.add(rounds, fault);
        let is_meant = |pattern| rounds.has(pattern);
        table.answer_probes_of(local, is_meant);
        while let Some(found) = table.take_first(is_meant) {
            left.push(found);
        }
        drop(table);
        left.into_iter().for_each(|payload| self.discard(payload));
        new
    }

    /// Discards a message, and lets its sender go on.
    pub(super) fn discard(&self, payload: Unexpected) {
        match payload {
            Unexpected::Eager { buffer, from, .. } => self.received(from, buffer.bytes().len()),
            Unexpected::Rendezvous(request) => {
                self.clear_to_send(request.from, request.sender, Handle::NONE, 0, None)
            }
            // No rank of this host sends to the endpoint of the host.
            Unexpected::Inline { .. } | Unexpected::Copied { .. } | Unexpected::InPlace { .. } => (),
        }
    }

    /// Whether a message with this label belongs to failed rounds, so that nobody will receive it.
    pub(super) fn has_failed(&self, label: Label) -> bool {
        label.process >= HOST_BASE && self.failures.fault(label.envelope.exactly()).is_some()
    }
}

impl HostChannel<'_> {
    /// Fails in the operation, and tells these other hosts, unless one of them has failed first.
    pub(crate) fn fail(&self, fault: &Error, others: impl Iterator<Item = HostId>) {
        if !self.network.mark_failed(self.local, self.rounds, fault) {
            return;
        }
        let told = Error::new(fault.code(), shortened(fault.message()).to_owned());
        let reason = portable::pack(&told);
        let packet = Packet::Failed(self.rounds);
        for host in others {
            self.network.send(host, &packet, reason.len(), &mut |room| {
                room.copy_from_slice(&reason)
            });
        }
    }

    /// Forgets a failure of rounds that will be used for another operation.
    pub(crate) fn forget(&self, other: Rounds) {
        self.network.failures.forget(|rounds| rounds == other);
    }

    /// Ends the operation. Failures of long ago are forgotten, and so is one of these rounds if they are used again.
    pub(crate) fn end(&self) {
        let now = self.rounds;
        let is_over = |rounds: Rounds| rounds.are_long_past(now) || now.count == 1 && rounds == now;
        self.network.failures.forget(is_over);
    }
}

impl PacketHandler<'_> {
    /// Another host has failed in an operation in which this one takes part; none if its reason makes no sense.
    pub(super) fn accept_failure(&self, rounds: Rounds, reason: &[u8]) -> Option<()> {
        let fault: Error = portable::unpack(reason)?;
        self.network.mark_failed(self.local, rounds, &fault);
        Some(())
    }
}

/// The part of a reason that is sent.
fn shortened(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(REASON)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorClass;

    fn rounds(first: i32) -> Rounds {
        let (context, count, turn) = (3, 16, 5);
        Rounds {
            context,
            first,
            count,
            turn,
        }
    }

    fn label(context: u32, tag: i32, turn: u32) -> Pattern {
        let source = Rounds { turn, ..rounds(0) }.source(7);
        Pattern { context, source, tag }
    }

    #[test]
    fn all_rounds_of_a_subject_are_given_up() {
        let failures = Failures::default();
        let fault = Error::new(ErrorClass::Count, "too many");
        assert!(failures.add(rounds(32), &fault) && !failures.add(rounds(32), &fault));
        let given_up = |context, round| failures.fault(label(context, round, 5)).is_some();
        assert!((0..100).all(|round| given_up(3, round) == (32..48).contains(&round)));
        assert!(!given_up(4, 32) && failures.fault(label(3, 32, 6)).is_none());
        failures.forget(|some| some.are_long_past(rounds(16 * 60)));
        assert!(given_up(3, 40));
        failures.forget(|some| some.are_long_past(rounds(16 * 70)));
        assert!(!given_up(3, 40));
    }

    #[test]
    fn the_oldest_are_forgotten_first() {
        let failures = Failures::default();
        let fault = Error::new(ErrorClass::Count, "too many");
        let all = || (0..=ABANDONED as i32).map(|number| rounds(16 * number));
        assert!(all().all(|rounds| failures.add(rounds, &fault)));
        let mut left = all().map(|rounds| failures.fault(label(3, rounds.first, 5)).is_some());
        assert!(!left.next().unwrap() && left.all(|left| left));
    }
}
