//! Nonblocking and persistent collectives.
//!
//! A rank that starts one arrives at a split barrier with its buffers and goes on. The last one to arrive finds the
//! buffers of all. It does short work at once, and also work that calls a function of the program, because that has to
//! run in a rank. It cuts longer work into shares and posts them as an idle task: virtual processors that have nothing
//! else to do take shares, and so do ranks that come to wait for the result. Whoever finishes the last share completes
//! the requests of all ranks.
//!
//! The buffers that a rank brings lie at a place that only this rank writes. Starting and completing cost a rank what
//! the split barrier costs, and the lock of the table of outstanding collectives (`outstanding.rs`) unless the
//! collective is persistent.

use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{
    ArrivalError, CompletedPhase, IdleTask, PhaseValues, SplitBarrier, WorkShare, post_idle_task,
};
use simurgh_settings::rules::Algorithm;

use super::all_buffers::AllBuffers;
use super::buffers::Buffers;
use super::call::Call;
use super::inter_host::Leader;
use super::outstanding::Outstanding;
use super::persistent::PersistentCollective;
use super::role::check_between_groups;
use super::share::Share;
use super::task::Task;
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::request::Request;

/// A nonblocking collective, or a persistent one, which is started again and again.
pub(crate) struct Nonblocking {
    gathering: SplitBarrier<Contribution>,
    group_sizes: GroupSizes,
    /// `None` if all ranks are on this host.
    host_map: Option<Arc<HostMap>>,
    /// The first fault of any share.
    fault: SpinLock<Option<Error>>,
}

/// A rank's call, with its buffers and the work as it knows it.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) call: Call,
    pub(crate) buffers: Buffers,
    pub(crate) task: Task,
}

/// The contribution of a rank to the split barrier.
#[expect(
    clippy::large_enum_variant,
    reason = "seats are used again: what lies in them need not be allocated"
)]
pub(crate) enum Contribution {
    /// For a nonblocking collective: the invocation, the request for it, and the communicator's table of outstanding
    /// collectives, because the communicator may be freed meanwhile.
    Once(Invocation, Arc<Request>, Arc<Outstanding>),
    /// For a persistent collective: the request, which has the invocation.
    Again(Arc<Request>),
}

/// Most shares of one collective.
const SHARES_MAX: usize = 1 << 10;

impl Contribution {
    fn invocation(&self) -> &Invocation {
        match self {
            Self::Once(invocation, ..) => invocation,
            Self::Again(request) => {
                let persistent_collective = request.operation::<PersistentCollective>();
                persistent_collective
                    .expect("only persistent collectives start again")
                    .invocation()
            }
        }
    }

    pub(crate) fn buffers(&self) -> &Buffers {
        &self.invocation().buffers
    }
}

impl Nonblocking {
    pub(crate) fn new(group_sizes: GroupSizes, host_map: Option<Arc<HostMap>>) -> Self {
        let ranks = host_map
            .as_ref()
            .map_or(group_sizes.seats(), |host_map| host_map.local_seats().len());
        Self {
            gathering: SplitBarrier::new(ranks),
            group_sizes,
            host_map,
            fault: SpinLock::new(None),
        }
    }

    /// Whether a rank has started the collective and it is not complete.
    pub(crate) fn has(&self, seat: usize) -> bool {
        self.gathering.has_arrived(seat)
    }

    /// Arrives with the contribution of the rank of `job` with this local index. If there are several hosts, `leader`
    /// is what the last rank to arrive needs for the inter-host phase.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if the rank has started the collective before and it is not complete.
    pub(crate) fn bring(
        self: &Arc<Self>,
        local_index: usize,
        contribution: Contribution,
        job: &Job,
        leader: Option<&Leader>,
    ) -> Result<()> {
        let all = self.gathering.arrive(local_index, contribution);
        if let Some(all) = all.map_err(|error| arrival_error(error, local_index))? {
            match leader {
                None => self.start_work(all, local_index, job),
                Some(leader) => self.lead_apart(all, local_index, leader),
            }
        }
        Ok(())
    }

    /// Starts an execution context that acts as the leader of this host, because no rank here is to wait for other
    /// hosts yet. The last rank of this host to arrive does so in a collective of several hosts.
    fn lead_apart(
        self: &Arc<Self>,
        all: CompletedPhase<'_, Contribution>,
        local_index: usize,
        leader: &Leader,
    ) {
        all.divide(1);
        let (this, own) = (Arc::clone(self), leader.clone());
        let lead = move || {
            let claim = this
                .gathering
                .claim_share()
                .expect("nobody else takes the only share");
            let outcome = this.lead(claim.values(), local_index, &own);
            if let Some(all) = claim.finish() {
                this.conclude(all, outcome);
            }
        };
        if let Err(error) = leader.delegate(lead) {
            let all = self.gathering.claim_share().and_then(WorkShare::finish);
            let outcome = Err(error);
            all.into_iter()
                .for_each(|all| self.conclude(all, outcome.clone()));
        }
    }

    /// Does this host's part in the inter-host phase, in the execution context that acts for the rank with this local
    /// index.
    fn lead(
        &self,
        contributions: PhaseValues<'_, Contribution>,
        local_index: usize,
        leader: &Leader,
    ) -> Result<()> {
        let invocation = |local_index| contributions.of(local_index).invocation();
        let invocations: Vec<_> = (0..contributions.len()).map(invocation).collect();
        leader.lead(
            invocation(local_index),
            &invocations,
            self.all_buffers(contributions),
            self.agree(contributions),
        )
    }

    /// Refuses ranks of this host that have started different collectives.
    fn agree(&self, contributions: PhaseValues<'_, Contribution>) -> Result<()> {
        let call = |local_index| contributions.of(local_index).invocation().call;
        let first = call(0);
        let Some(other) = (1..contributions.len())
            .find(|local_index| call(*local_index).fingerprint() != first.fingerprint())
        else {
            return Ok(());
        };
        let seat = |local_index| {
            self.host_map.as_ref().map_or(local_index, |host_map| {
                host_map.local_seats()[local_index] as usize
            })
        };
        let name = |local_index| self.group_sizes.name(seat(local_index));
        Err(first.disagreement(&name(0), call(other), &name(other)))
    }

    /// Does the work of the last rank to arrive, which is on `seat`: all of the collective, or its division into
    /// shares.
    fn start_work(self: &Arc<Self>, all: CompletedPhase<'_, Contribution>, seat: usize, job: &Job) {
        let (contributions, all_buffers) = (all.values(), self.all_buffers(all.values()));
        let call = |seat| contributions.of(seat).invocation().call;
        let agreed = self
            .agree(contributions)
            .and_then(|()| check_between_groups(call, self.group_sizes));
        if let Err(fault) = agreed {
            return self.conclude(all, Err(fault));
        }
        let Invocation { call, task, .. } = contributions.of(seat).invocation();
        let task = task.as_known_by(known_task(contributions));
        let outcome = match task.plan(*call, all_buffers, job) {
            Ok(Algorithm::Shared | Algorithm::Striped) if !task.calls_program() => None,
            Ok(_) => Some(task.complete(all_buffers)),
            Err(fault) => Some(Err(fault)),
        };
        if let Some(outcome) = outcome {
            return self.conclude(all, outcome);
        }
        let shares = task.pieces(all_buffers).min(SHARES_MAX);
        all.divide(shares as u32);
        if !post_idle_task(Arc::clone(self) as Arc<dyn IdleTask>) {
            // Nobody but the calling thread is there to do it.
            while Arc::clone(self).run_piece() {}
        }
    }

    fn all_buffers<'a>(&self, contributions: PhaseValues<'a, Contribution>) -> AllBuffers<'a> {
        AllBuffers::of_nonblocking(contributions, self.group_sizes)
    }

    /// Completes the requests of all ranks.
    fn conclude(self: &Arc<Self>, all: CompletedPhase<'_, Contribution>, outcome: Result<()>) {
        let mut home = None;
        for (_, contribution) in all.release() {
            match contribution {
                Contribution::Once(_, request, outstanding) => {
                    request.conclude(&outcome);
                    home = Some(outstanding);
                }
                Contribution::Again(request) => request.conclude(&outcome),
            }
        }
        if let Some(outstanding) = home {
            outstanding.recycle(Arc::clone(self));
        }
    }
}

impl IdleTask for Nonblocking {
    fn run_piece(self: Arc<Self>) -> bool {
        // The leader of a host suspends its execution context, so no rank that has other work takes this over.
        if self.host_map.is_some() {
            return false;
        }
        let Some(claim) = self.gathering.claim_share() else {
            return false;
        };
        let (contributions, (index, of)) = (claim.values(), claim.share());
        let (all_buffers, task) = (self.all_buffers(contributions), known_task(contributions));
        if let Err(error) = task.perform(all_buffers, Share::one(index, of)) {
            self.fault.lock().get_or_insert(error);
        }
        if let Some(all) = claim.finish() {
            let fault = self.fault.lock().take();
            let all_buffers = self.all_buffers(all.values());
            let outcome = match fault {
                Some(fault) => Err(fault),
                None => known_task(all.values()).finish(all_buffers, Share::ALL),
            };
            self.conclude(all, outcome);
        }
        true
    }

    fn is_exhausted(&self) -> bool {
        self.host_map.is_some() || self.gathering.is_exhausted()
    }
}

impl std::fmt::Debug for Nonblocking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nonblocking")
            .field("seating", &self.group_sizes)
            .finish_non_exhaustive()
    }
}

/// The task of the first rank that knows it. There is one, because somebody is the root.
fn known_task(contributions: PhaseValues<'_, Contribution>) -> &Task {
    let mut tasks = (0..contributions.len()).map(|seat| &contributions.of(seat).invocation().task);
    tasks
        .find(|task| task.is_known())
        .expect("what the ranks pass as root has been checked")
}

#[cold]
fn arrival_error(error: ArrivalError, seat: usize) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!("rank {seat} cannot take part in a collective that it has started: {error}"),
    )
}
