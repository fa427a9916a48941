//! The leader of a host: the rank that carries out the inter-host phase for all ranks of its host.

use std::{fmt, thread};

use simurgh_core::sync::{Arc, revoke_bias};
use simurgh_core::{EcSpec, StackError, create, current_worker, with_signals_blocked};

use super::super::all_buffers::AllBuffers;
use super::super::nonblocking::Invocation;
use super::channel::Channel;
use super::consistency::ConsistencyCheck;
use super::host_transport::HostTransport;
use super::known_buffers::KnownBuffers;
use super::phase::InterHostPhase;
use super::round::Round;
use crate::check::Checks;
use crate::error::{Error, ErrorClass, Result};
use crate::members::{GroupSizes, HostMap};
use crate::network::HostChannel;
use crate::process::Process;

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

#[cold]
fn no_leader(reason: &StackError) -> Error {
    let reason = format!("no leader can be started for this host in a nonblocking collective: {reason}");
    Error::new(ErrorClass::NoMem, reason)
}
