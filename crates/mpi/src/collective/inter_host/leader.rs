//! Where the hosts of a communicator talk to each other.

use std::{fmt, thread};

use simurgh_core::sync::{Arc, revoke_bias};
use simurgh_core::{EcSpec, StackError, create, current_worker, with_signals_blocked};
use simurgh_settings::rules::Rule;

use super::super::all_buffers::AllBuffers;
use super::super::nonblocking::Invocation;
use super::channel::Channel;
use super::consistency::ConsistencyCheck;
use super::known_buffers::KnownBuffers;
use super::phase::InterHostPhase;
use super::transport::{Pending, Transport};
use crate::check::Checks;
use crate::error::{Error, ErrorClass, Result};
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::memory::{Source, Target};
use crate::network::{self, Line, Rounds};
use crate::process::Process;

/// Which collective of a communicator the hosts talk about. Those that may be under way at the same time have different
/// rounds, and so do calls that follow each other, as far as some ten million numbers go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// A blocking one.
    Blocking(u64),
    /// One that was started.
    Nonblocking(u64),
    /// One that is started again and again, and how often it was before.
    Persistent(u64, u64),
}

/// Rounds of each kind.
const ROUNDS: u64 = 1 << 25;

/// Times that a persistent collective is started before its turns are used again.
const TIMES: u64 = Rounds::TURNS as u64;

/// Conversations of each round: one for each slice of the data.
const CONVERSATIONS: u64 = Rule::MOST_SLICES as u64;

impl Round {
    /// One that has the same rounds as one that may have failed before, and that no host can have begun.
    fn later(self) -> Option<Self> {
        match self {
            Self::Persistent(number, time) => Some(Self::Persistent(number, time + TIMES / 2)),
            Self::Blocking(_) | Self::Nonblocking(_) => None,
        }
    }

    /// The rounds of its conversations, of which each slice of the data has one.
    pub(crate) fn of(self, context: u32) -> Rounds {
        let (kind, number, time) = match self {
            Self::Blocking(number) => (0, number, 0),
            Self::Nonblocking(number) => (1, number, 0),
            Self::Persistent(number, time) => (2, number, time),
        };
        Rounds {
            context,
            first: ((kind * ROUNDS + number % ROUNDS) * CONVERSATIONS) as i32,
            count: CONVERSATIONS as u32,
            turn: (time % TIMES) as u32,
        }
    }
}

/// Stack of an execution context that speaks for a host: it may call a function of the program.
const STACK: usize = 8 << 20;

/// What the ranks of a communicator share on a host: as long as somebody holds it, its label is no other communicator's.
pub(crate) trait SharedByRanks: fmt::Debug + Send + Sync {
    /// The hosts of the ranks; none if all are on this host.
    fn host_map(&self) -> Option<&HostMap>;
}

/// A communicator of several hosts, and a round of their conversation, for a rank that may have to speak for its host.
#[derive(Clone, Debug)]
pub(crate) struct Leader {
    process: Arc<Process>,
    shared: Arc<dyn SharedByRanks>,
    group_sizes: GroupSizes,
    context: u32,
    round: Round,
}

impl Leader {
    /// What leads a host in a round of a communicator of several hosts, for a rank of this process.
    pub(crate) fn new(
        process: Arc<Process>,
        shared: Arc<dyn SharedByRanks>,
        group_sizes: GroupSizes,
        context: u32,
        round: Round,
    ) -> Self {
        Self {
            process,
            shared,
            group_sizes,
            context,
            round,
        }
    }

    /// The same venue for another round.
    pub(crate) fn at(&self, round: Round) -> Self {
        let leader = self.clone();
        Self { round, ..leader }
    }

    /// Speaks for this host in a collective: `own` is the caller's part, `parts` are those of all ranks here, whose
    /// offers lie by place, and `agreement` says whether they make the same call.
    pub(crate) fn lead(
        &self,
        own: &Invocation,
        invocations: &[&Invocation],
        local: AllBuffers<'_>,
        same_call: Result<()>,
    ) -> Result<()> {
        let Some(host_map) = self.shared.host_map() else {
            return same_call;
        };
        let job = self.process.job();
        let line = job.line(self.round.of(self.context));
        if let Some(later) = self.round.later() {
            line.forget(later.of(self.context));
        }
        let outcome = self.run_phase(line, host_map, own, invocations, local, same_call);
        line.end();
        outcome
    }

    fn run_phase(
        &self,
        line: Line<'_>,
        host_map: &HostMap,
        own: &Invocation,
        invocations: &[&Invocation],
        local: AllBuffers<'_>,
        same_call: Result<()>,
    ) -> Result<()> {
        let (job, transport) = (self.process.job(), HostTransport { line, host_map });
        let channel = Channel::new(&transport, own.call, self.group_sizes.seats());
        let known = invocations.iter().find(|invocation| invocation.task.is_known());
        let known_buffers = KnownBuffers::new(local, self.group_sizes, host_map);
        if job.checks() == Checks::All {
            let comparison = ConsistencyCheck {
                line,
                host_map,
                group_sizes: self.group_sizes,
                call: own.call,
                task: known.map(|invocation| &invocation.task),
                all_buffers: known_buffers.all_buffers(),
            };
            comparison.make(same_call, invocations.iter().map(|invocation| invocation.call))?;
        } else if let Err(fault) = same_call {
            channel.fail(&fault);
            return Err(fault);
        }
        let Some(known) = known else {
            // All stand aside.
            return Ok(());
        };
        let phase = InterHostPhase {
            channel: &channel,
            task: &own.task.as_known_by(&known.task),
            group_sizes: self.group_sizes,
            host_map,
            job,
        };
        // Others may be waiting for this host.
        phase.run(known_buffers).inspect_err(|fault| channel.fail(fault))
    }

    /// Lets an execution context of its own speak in the name of the caller.
    pub(crate) fn delegate(&self, lead: impl FnOnce() + Send + 'static) -> Result<()> {
        let process = Arc::clone(&self.process);
        let lead = move || {
            Process::bind(process);
            lead();
        };
        match current_worker() {
            Some(worker) => {
                let spec = EcSpec {
                    stack_size: STACK,
                    ..EcSpec::default()
                };
                drop(
                    create(spec, lead)
                        .map_err(|error| no_leader(&error))?
                        .start(worker),
                );
            }
            // The caller is a thread of the operating system, and so is its deputy.
            None => {
                revoke_bias();
                drop(with_signals_blocked(|| thread::spawn(lead)));
            }
        }
        Ok(())
    }
}

/// The line between the hosts of a communicator.
pub(super) struct HostTransport<'a> {
    pub(super) line: Line<'a>,
    pub(super) host_map: &'a HostMap,
}

impl<'a> Transport for HostTransport<'a> {
    type Pending = network::Pending<'a>;

    fn hosts(&self) -> usize {
        self.host_map.hosts()
    }

    fn own(&self) -> usize {
        self.host_map.own()
    }

    fn start_send(&self, to: usize, source: &Source) -> Self::Pending {
        self.line.start_send(self.host_map.host(to), source)
    }

    fn start_recv(&self, from: usize, target: &Target) -> Self::Pending {
        self.line.start_recv(self.host_map.host(from), target)
    }

    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>> {
        self.line.recv_bytes(self.host_map.host(from))
    }

    fn abort(&self, fault: &Error) {
        let others = (0..self.hosts()).filter(|position| *position != self.own());
        self.line
            .give_up(fault, others.map(|position| self.host_map.host(position)));
    }

    fn slice(&self, index: usize) -> Self {
        let (line, host_map) = (self.line.beside(index as i32), self.host_map);
        Self { line, host_map }
    }
}

impl Pending for network::Pending<'_> {
    fn wait(self) -> Result<usize> {
        network::Pending::wait(self)
    }
}

#[cold]
fn no_leader(reason: &StackError) -> Error {
    let reason = format!("nobody can speak for this host in a nonblocking collective: {reason}");
    Error::new(ErrorClass::NoMem, reason)
}
