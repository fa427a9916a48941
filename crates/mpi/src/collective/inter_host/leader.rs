//! The leader of a host: the rank that carries out the inter-host phase for all ranks of its host.

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
use crate::network::{self, HostChannel, Rounds};
use crate::process::Process;

/// Identifies a collective of a communicator in messages between hosts. Collectives that may be under way at the same
/// time have different rounds, and so do calls that follow each other, as far as some ten million numbers go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// A blocking collective, by its number.
    Blocking(u64),
    /// A nonblocking collective, by its number.
    Nonblocking(u64),
    /// A persistent collective, by its number, and how often it has been started before.
    Persistent(u64, u64),
}

/// Number of rounds of each kind.
const ROUNDS: u64 = 1 << 25;

/// Starts of a persistent collective before its turns are used again.
const TIMES: u64 = Rounds::TURNS as u64;

/// Conversations of each round: one for each slice of the data.
const CONVERSATIONS: u64 = Rule::MOST_SLICES as u64;

impl Round {
    /// A round of a later start of the same persistent collective, which uses the same conversations and which no host
    /// can have begun.
    fn later(self) -> Option<Self> {
        match self {
            Self::Persistent(number, time) => Some(Self::Persistent(number, time + TIMES / 2)),
            Self::Blocking(_) | Self::Nonblocking(_) => None,
        }
    }

    /// The numbers of its conversations; each slice of the data has one.
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

/// Stack size of an execution context that acts as leader: it may call a function of the program.
const STACK: usize = 8 << 20;

/// The state that the ranks of a communicator share on a host. As long as somebody holds it, its context id is not used
/// by another communicator.
pub(crate) trait SharedByRanks: fmt::Debug + Send + Sync {
    /// The hosts of the ranks; `None` if all are on this host.
    fn host_map(&self) -> Option<&HostMap>;
}

/// The means by which a rank acts as the leader of its host: a communicator of several hosts, and the round of a
/// collective.
#[derive(Clone, Debug)]
pub(crate) struct Leader {
    process: Arc<Process>,
    shared: Arc<dyn SharedByRanks>,
    group_sizes: GroupSizes,
    context: u32,
    round: Round,
}

impl Leader {
    /// The leader of this host for a round of a communicator of several hosts, in the name of a rank of this process.
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

    /// The leader for another round.
    pub(crate) fn at(&self, round: Round) -> Self {
        let leader = self.clone();
        Self { round, ..leader }
    }

    /// Carries out the inter-host phase for this host. `own` is the caller's invocation, `invocations` are those of all
    /// ranks here, `local` has their buffers by local index, and `same_call` says whether they are in the same call.
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
        let host_channel = job.host_channel(self.round.of(self.context));
        if let Some(later) = self.round.later() {
            host_channel.forget(later.of(self.context));
        }
        let outcome = self.run_phase(host_channel, host_map, own, invocations, local, same_call);
        host_channel.end();
        outcome
    }

    fn run_phase(
        &self,
        host_channel: HostChannel<'_>,
        host_map: &HostMap,
        own: &Invocation,
        invocations: &[&Invocation],
        local: AllBuffers<'_>,
        same_call: Result<()>,
    ) -> Result<()> {
        let (job, transport) = (
            self.process.job(),
            HostTransport {
                host_channel,
                host_map,
            },
        );
        let channel = Channel::new(&transport, own.call, self.group_sizes.seats());
        let known = invocations.iter().find(|invocation| invocation.task.is_known());
        let known_buffers = KnownBuffers::new(local, self.group_sizes, host_map);
        if job.checks() == Checks::All {
            let comparison = ConsistencyCheck {
                host_channel,
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
            // All ranks here pass `MPI_PROC_NULL`.
            return Ok(());
        };
        let phase = InterHostPhase {
            channel: &channel,
            task: &own.task.as_known_by(&known.task),
            group_sizes: self.group_sizes,
            host_map,
            job,
        };
        // Other hosts may be waiting for this one.
        phase.run(known_buffers).inspect_err(|fault| channel.fail(fault))
    }

    /// Runs `lead` in an execution context of its own, in the name of the caller.
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
            // The caller is an attached thread, so it starts a thread as well.
            None => {
                revoke_bias();
                drop(with_signals_blocked(|| thread::spawn(lead)));
            }
        }
        Ok(())
    }
}

/// The transport between the hosts of a communicator, over its line of the network.
pub(super) struct HostTransport<'a> {
    pub(super) host_channel: HostChannel<'a>,
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
        self.host_channel.start_send(self.host_map.host(to), source)
    }

    fn start_recv(&self, from: usize, target: &Target) -> Self::Pending {
        self.host_channel.start_recv(self.host_map.host(from), target)
    }

    fn recv_bytes(&self, from: usize) -> Result<Vec<u8>> {
        self.host_channel.recv_bytes(self.host_map.host(from))
    }

    fn abort(&self, fault: &Error) {
        let others = (0..self.hosts()).filter(|position| *position != self.own());
        self.host_channel
            .fail(fault, others.map(|position| self.host_map.host(position)));
    }

    fn slice(&self, index: usize) -> Self {
        let (host_channel, host_map) = (self.host_channel.beside(index as i32), self.host_map);
        Self {
            host_channel,
            host_map,
        }
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
