//! Collective accesses of ranks on several hosts.
//!
//! Each host has a leader in an access: the last rank that has come, if it waits for the end, and otherwise an
//! execution context of its own. The leaders tell each other the patterns of their ranks' parts. By these all of them
//! decide the same: either hosts exchange pieces (`exchange`), or each moves the parts of its own ranks (`work`). In
//! the end they tell each other whether they have failed, so that all ranks have the same outcome, also those that wait
//! for a request.

use super::exchange::{Exchange, malformed};
use super::open_file::OpenFile;
use super::parts::{Outcome, Participants, Parts, reads_and_writes};
use super::work::Work;
use crate::collective::{Leader, Round, allgather_among_hosts};
use crate::comm::{Comm, CommShared};
use crate::error::Result;
use crate::members::HostMap;
use crate::network::HostChannel;
use crate::portable::{self, portable};
use crate::process::Process;
use simurgh_core::sync::{Arc, SpinLock};
use simurgh_file::{Choice, Domains, Hints, Pattern};
use std::ops::Range;

/// A collective access as the leader of a host has it.
pub(super) struct AmongHosts {
    open: Arc<OpenFile>,
    parts: Result<Parts>,
    participants: Participants,
    hints: Hints,
    process: Arc<Process>,
    /// Keeps the context id as long as messages have it.
    shared: Arc<CommShared>,
    round: Round,
}

/// What a host tells the others before an access.
struct Proposal {
    writes: bool,
    is_atomic: bool,
    start: u64,
    end: u64,
    bytes: u64,
    runs: u64,
    is_plain: bool,
    /// Whether pieces are to be exchanged: never, by their pattern, or always. That of the first host counts, and so do
    /// the following.
    buffering: u8,
    aggregators: usize,
    window: usize,
    block: u64,
}

/// Whether a host has succeeded.
struct Success(Result<()>);

portable! {
    Proposal { writes, is_atomic, start, end, bytes, runs, is_plain, buffering, aggregators, window, block }
    Success { 0 }
}

impl Proposal {
    /// Whether it is one that a host can make.
    fn is_sound(&self) -> bool {
        let is_range = self.start <= self.end && self.end <= i64::MAX as u64;
        let counts = [self.bytes, self.runs]
            .into_iter()
            .all(|count| count <= i64::MAX as u64);
        is_range && counts && self.block > 0 && self.window > 0
    }
}

impl AmongHosts {
    /// The access of this number to a file with this communicator, in the name of one of its ranks.
    pub(super) fn new(
        comm: &Comm,
        number: u64,
        open: Arc<OpenFile>,
        (parts, participants): (Result<Parts>, Participants),
        hints: Hints,
    ) -> Self {
        Self {
            open,
            parts,
            participants,
            hints,
            process: Arc::clone(comm.process()),
            shared: Arc::clone(comm.shared()),
            // The communicator is the file's own, and has no other nonblocking collectives.
            round: Round::Nonblocking(number),
        }
    }

    /// Has an execution context lead this host, or the caller if there can be none.
    pub(super) fn lead_apart(self, leader: &Leader) {
        let place = Arc::new(SpinLock::new(Some(self)));
        let own = Arc::clone(&place);
        let lead = move || {
            let access = own.lock().take();
            access.into_iter().for_each(Self::lead);
        };
        if leader.delegate(lead).is_err() {
            let access = place.lock().take();
            access.into_iter().for_each(Self::lead);
        }
    }

    /// Does this host's part.
    pub(super) fn lead(self) {
        let Self {
            open,
            parts,
            participants,
            hints,
            process,
            shared,
            round,
        } = self;
        let Some(host_map) = shared.host_map() else {
            return;
        };
        let leading = Leading {
            channel: process.job().host_channel(round.of(shared.context())),
            host_map,
            open,
            hints,
        };
        let (moved, outcome) = leading.run(parts, &participants);
        participants.conclude(&moved, &outcome);
    }
}

/// The leader of a host.
struct Leading<'a> {
    channel: HostChannel<'a>,
    host_map: &'a HostMap,
    open: Arc<OpenFile>,
    hints: Hints,
}

impl Leading<'_> {
    fn run(&self, parts: Result<Parts>, participants: &Participants) -> Outcome {
        let own = parts.as_ref().map(|parts| portable::pack(&self.proposal(parts)));
        let all = self.tell("collective access to a file", own.map_err(Clone::clone));
        let moved = all.and_then(|all: Vec<Proposal>| self.move_all(parts?, &all));
        let (moved, outcome) = match moved {
            Ok(outcome) => outcome,
            // All hosts know of it.
            Err(fault) => return (Vec::new(), Err(fault)),
        };
        let own = Success(participants.with_own(outcome));
        let all = self.tell("end of a collective access to a file", Ok(portable::pack(&own)));
        let outcome = all.and_then(|all: Vec<Success>| {
            let others = all.into_iter().map(|Success(outcome)| outcome);
            own.0.and(others.collect())
        });
        (moved, outcome)
    }

    /// What all hosts say, by position.
    fn tell<T: portable::Portable>(&self, subject: &'static str, own: Result<Vec<u8>>) -> Result<Vec<T>> {
        let all = allgather_among_hosts(self.channel, self.host_map, subject, own)?;
        let read = all.iter().map(|bytes| portable::unpack(bytes));
        read.collect::<Option<_>>().ok_or_else(malformed)
    }

    fn proposal(&self, parts: &Parts) -> Proposal {
        let pattern = parts.pattern();
        let buffering = if parts.writes() {
            self.hints.writes
        } else {
            self.hints.reads
        };
        Proposal {
            writes: parts.writes(),
            is_atomic: self.open.file.is_atomic(),
            start: pattern.span.start,
            end: pattern.span.end,
            bytes: pattern.bytes,
            runs: pattern.runs,
            is_plain: pattern.is_plain,
            buffering: buffering as u8,
            aggregators: self.hints.aggregators_among(self.host_map.hosts()),
            window: self.hints.window,
            block: self
                .hints
                .stripe
                .unwrap_or_else(|| self.open.file.storage().block()),
        }
    }

    /// Moves the parts of this host's ranks, with the others or without.
    fn move_all(&self, parts: Parts, all: &[Proposal]) -> Result<Outcome> {
        if !all.iter().all(Proposal::is_sound) {
            return Err(malformed());
        }
        if all.iter().any(|other| other.writes != parts.writes()) {
            return Err(reads_and_writes());
        }
        let Some(range) = exchanged(all, self.host_map.is_on_one_node()) else {
            return Ok(Work::run(Arc::clone(&self.open), parts));
        };
        let Proposal {
            block,
            aggregators,
            window,
            ..
        } = all[0];
        let exchange = Exchange {
            channel: self.channel,
            host_map: self.host_map,
            domains: Domains::new(range, block, aggregators, window as u64),
            spans: all.iter().map(|other| other.start..other.end).collect(),
            open: &self.open,
        };
        let outcome = exchange.run(&parts)?;
        let moved = match (&parts, &outcome) {
            (_, Err(_)) => Vec::new(),
            (Parts::Read(parts), Ok(())) => parts.up_to_end(),
            (Parts::Write(parts), Ok(())) => parts.up_to_end(),
        };
        Ok((
            moved,
            outcome.map_err(|reason| self.open.fault(parts.action(), &reason)),
        ))
    }
}

/// The range in which hosts that say this exchange pieces, if they do. Each host decides the same.
fn exchanged(all: &[Proposal], on_one_node: bool) -> Option<Range<u64>> {
    let first = all.first()?;
    let always = first.buffering == Choice::Always as u8;
    // An atomic access is made under one lock, so each host makes its own.
    let apart = all.iter().any(|proposal| proposal.is_atomic) || first.buffering == Choice::Never as u8;
    // The hosts of a node have one page cache, from which each reads in less time than another host sends.
    if apart || !first.writes && on_one_node && !always {
        return None;
    }
    let pattern = |proposal: &Proposal| Pattern {
        span: proposal.start..proposal.end,
        bytes: proposal.bytes,
        runs: proposal.runs,
        is_plain: proposal.is_plain,
    };
    let patterns: Vec<_> = all.iter().map(pattern).collect();
    Pattern::exchanged(&patterns, first.block, always)
}
