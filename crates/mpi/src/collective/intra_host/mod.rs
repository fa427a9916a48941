//! The meetings of a communicator's ranks that live on this host: the intra-host phase of blocking collectives.
//!
//! A meeting is one phase of a [`CyclicBarrier`]: each rank brings a description of its buffers; the last one to arrive
//! finds all of them, does the work or decides that it is shared, and releases the others. Two phases alternate, so
//! that nothing is copied and nobody waits at the end of a meeting.
//!
//! A short reduction goes by value (`by_value.rs`). The work of any other short collective is done by the last rank
//! alone, on data that is warm in its cache, and costs the others nothing.

mod arrival;
mod conclusion;
mod exchange;

pub(crate) use arrival::{Arrival, Inline, Payload};
pub(crate) use conclusion::Conclusion;

use std::sync::OnceLock;

use simurgh_core::sync::Arc;
use simurgh_core::{
    ArrivalError, Contributions, CyclicBarrier, FlagBarrier, FlagPhaseGuard, PhaseGuard, Wait, WaitList,
};
use simurgh_settings::rules::Algorithm;

use conclusion::Outcome;

use super::all_buffers::AllBuffers;
use super::buffers::Buffers;
use super::call::Call;
use super::nonblocking::Invocation;
use super::role::check_between_groups;
use super::shared_work::SharedWork;
use super::task::Task;
use crate::deadlock::{MeetingPoint, StalledCollective};
use crate::error::{Error, ErrorClass, Result};
use crate::instrument::{self, Reason};
use crate::job::Job;
use crate::members::{GroupSizes, HostMap};

/// The meetings of a communicator's ranks that live on this host.
///
/// The calls of one rank follow each other, as the standard demands of collectives on one communicator. Different ranks
/// may run anywhere, in execution contexts or attached threads.
pub struct IntraHost {
    barrier: CyclicBarrier<Arrival, Conclusion>,
    /// Sizes of the communicator's groups, with the ranks of other hosts.
    group_sizes: GroupSizes,
    /// `None` if all ranks are on this host.
    host_map: Option<Arc<HostMap>>,
    /// Where ranks wait until the others have done their shares too. Made when work is shared for the first time.
    departures: OnceLock<WaitList>,
}

impl IntraHost {
    /// The meetings of `size` ranks.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self::seated(GroupSizes { left: size, right: 0 })
    }

    /// The meetings of the ranks of one or two groups, all of which live on this host.
    pub(crate) fn seated(group_sizes: GroupSizes) -> Self {
        Self {
            barrier: CyclicBarrier::new(group_sizes.seats()),
            group_sizes,
            host_map: None,
            departures: OnceLock::new(),
        }
    }

    /// The meetings of those ranks of a communicator of several hosts that live on this host.
    pub(crate) fn of_hosts(group_sizes: GroupSizes, host_map: Arc<HostMap>) -> Self {
        Self {
            barrier: CyclicBarrier::new(host_map.local_seats().len()),
            host_map: Some(host_map),
            ..Self::seated(group_sizes)
        }
    }

    /// The name of a rank in messages, by its local index.
    fn name(&self, local_index: usize) -> String {
        let seat = self.host_map.as_ref().map_or(local_index, |host_map| {
            host_map.local_seats()[local_index] as usize
        });
        self.group_sizes.name(seat)
    }

    /// Sizes of the communicator's groups.
    pub(crate) fn group_sizes(&self) -> GroupSizes {
        self.group_sizes
    }

    /// Number of ranks that meet.
    #[must_use]
    pub fn size(&self) -> usize {
        self.barrier.parties()
    }

    /// Waits until every rank has come.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls.
    pub(crate) fn barrier(&self, rank: usize) -> Result<()> {
        self.barrier_of(rank, Call::BARRIER)
    }

    /// Waits until every rank has come, in this call.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls.
    #[inline(always)]
    pub(crate) fn barrier_of(&self, rank: usize, call: Call) -> Result<()> {
        if let Some(flags) = self.flags() {
            return self
                .meet_by_flags(flags, rank, call, Arrival::clear_payload)
                .map(drop);
        }
        let guard = self.meet(rank, call, Arrival::clear_payload, |_, conclusion| {
            conclusion.finish()
        })?;
        guard.result().verdict()
    }

    /// Runs a collective, with the buffers of this rank and the work to be done once all ranks have brought theirs.
    ///
    /// Returns when other ranks do not use this rank's buffers any more, if it `lends` them; otherwise when its share
    /// of the work is done. The job's selection table says whether the last rank to arrive does the work alone or the
    /// ranks share it, which costs a second round of switches.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls, and what the work reports.
    pub(crate) fn run(
        &self,
        seat: usize,
        call: Call,
        buffers: Buffers,
        lends: bool,
        job: &Job,
        task: &Task,
    ) -> Result<()> {
        if let Some(flags) = self.flags() {
            return self.run_by_flags(flags, seat, call, buffers, job, task);
        }
        let guard = self.meet(
            seat,
            call,
            |arrival| arrival.set_payload(Payload::Buffers(buffers)),
            |contributions, conclusion| {
                let all_buffers = AllBuffers::new(&contributions, self.group_sizes);
                let outcome = check_between_groups(|seat| contributions[seat].call, self.group_sizes)
                    .and_then(|()| task.plan(call, all_buffers, job))
                    .and_then(|algorithm| match algorithm {
                        Algorithm::Last if task.is_known() => {
                            task.complete(all_buffers).map(|()| Outcome::Done)
                        }
                        Algorithm::Striped if task.is_known() => {
                            task.complete_in_pieces(all_buffers).map(|()| Outcome::Done)
                        }
                        _ => {
                            // Made here, because otherwise the other ranks would have to wait for whoever makes it.
                            self.departures.get_or_init(WaitList::new);
                            Ok(Outcome::Shared(SharedWork::new(all_buffers.len())))
                        }
                    });
                conclusion.outcome = outcome.unwrap_or_else(Outcome::Fault);
            },
        )?;
        match &guard.result().outcome {
            Outcome::Done => Ok(()),
            Outcome::Shared(work) => {
                let contributions = guard.contributions();
                let (all_buffers, share) = (
                    AllBuffers::new(&contributions, self.group_sizes),
                    task.share(self.group_sizes, seat),
                );
                let departures = self.departures.get_or_init(WaitList::new);
                work.contribute(lends, departures, || task.perform(all_buffers, share))?;
                task.finish(all_buffers, share)
            }
            Outcome::Fault(fault) => Err(fault.clone()),
            Outcome::Answer(_) => Err(unexpected()),
        }
    }

    /// The barrier whose parties watch each other's arrival flags, if there are few enough of them.
    #[inline]
    pub(crate) fn flags(&self) -> Option<FlagBarrier<'_, Arrival, Conclusion>> {
        self.barrier.as_flag_barrier()
    }

    /// Arrives at the next meeting by flags and waits until all have arrived. Each rank then does by itself whatever
    /// has to be done with what all have brought.
    #[inline]
    pub(crate) fn meet_by_flags<'a>(
        &self,
        flags: FlagBarrier<'a, Arrival, Conclusion>,
        rank: usize,
        call: Call,
        bring: impl FnOnce(&mut Arrival),
    ) -> Result<FlagPhaseGuard<'a, Arrival, Conclusion>> {
        let bring = |arrival: &mut Arrival| {
            arrival.call = call;
            bring(arrival);
        };
        match flags.arrive_and_wait(rank, call.fingerprint(), bring, wait) {
            Ok(guard) if guard.agreed() => Ok(guard),
            Ok(guard) => Err(self.disagreement(&guard.contributions())),
            Err(error) => Err(arrival_error(error, rank, self.size(), call)),
        }
    }

    /// Takes part in a collective of several hosts. The last rank of this host to arrive runs `last` as the leader of
    /// its host; the argument of `last` says whether the ranks here are in the same call.
    pub(crate) fn run_across_hosts(
        &self,
        local_index: usize,
        invocation: Invocation,
        last: impl FnOnce(&Contributions<'_, Arrival>, Result<()>) -> Result<()>,
    ) -> Result<()> {
        let call = invocation.call;
        let bring = |arrival: &mut Arrival| {
            arrival.call = call;
            arrival.payload = Payload::Invocation(invocation);
        };
        let decide =
            |contributions: Contributions<'_, Arrival>, agreed: bool, conclusion: &mut Conclusion| {
                let same_call = if agreed {
                    Ok(())
                } else {
                    Err(self.disagreement(&contributions))
                };
                conclusion.outcome =
                    last(&contributions, same_call).map_or_else(Outcome::Fault, |()| Outcome::Done);
            };
        let guard = self
            .barrier
            .arrive_and_wait(local_index, call.fingerprint(), bring, decide, wait);
        let guard = guard.map_err(|error| arrival_error(error, local_index, self.size(), call))?;
        guard.result().verdict()
    }

    #[cold]
    fn disagreement(&self, contributions: &Contributions<'_, Arrival>) -> Error {
        let first = contributions[0].call;
        let other = contributions
            .iter()
            .position(|arrival| arrival.call.fingerprint() != first.fingerprint());
        match other {
            Some(other) => first.disagreement(&self.name(0), contributions[other].call, &self.name(other)),
            None => unexpected(),
        }
    }

    /// Arrives at the next meeting and waits for its end. `last` decides the outcome if all ranks make the same call.
    #[inline]
    pub(crate) fn meet(
        &self,
        rank: usize,
        call: Call,
        bring: impl FnOnce(&mut Arrival),
        last: impl FnOnce(Contributions<'_, Arrival>, &mut Conclusion),
    ) -> Result<PhaseGuard<'_, Arrival, Conclusion>> {
        let bring = |arrival: &mut Arrival| {
            arrival.call = call;
            bring(arrival);
        };
        let decide =
            |contributions: Contributions<'_, Arrival>, agreed: bool, conclusion: &mut Conclusion| {
                if agreed {
                    last(contributions, conclusion);
                } else {
                    conclusion.outcome = Outcome::Fault(self.disagreement(&contributions));
                }
            };
        self.barrier
            .arrive_and_wait(rank, call.fingerprint(), bring, decide, wait)
            .map_err(|error| arrival_error(error, rank, self.size(), call))
    }
}

impl MeetingPoint for IntraHost {
    fn stalls(&self) -> Vec<StalledCollective> {
        let present: Vec<(usize, u64)> = self.barrier.arrived().collect();
        let mut fingerprints: Vec<u64> = present.iter().map(|(_, fingerprint)| *fingerprint).collect();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        let stall = |fingerprint| {
            let came = |seat| present.contains(&(seat, fingerprint));
            let (started, missing) = (0..self.size()).partition(|seat| came(*seat));
            StalledCollective {
                call: describe(fingerprint, self.size()),
                blocking: true,
                started,
                missing,
            }
        };
        fingerprints.into_iter().map(stall).collect()
    }
}

/// The call that ranks wait in, in words.
fn describe(fingerprint: u64, ranks: usize) -> String {
    let call = Call::from_fingerprint(fingerprint, ranks);
    call.map_or_else(|| "a collective call".to_owned(), |call| call.to_string())
}

impl std::fmt::Debug for IntraHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IntraHost")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

fn wait(wait: Wait<'_>) {
    instrument::blocking(Reason::Collective, || wait.block());
}

#[cold]
fn unexpected() -> Error {
    Error::new(
        ErrorClass::Intern,
        "a meeting of ranks that made the same call ended as another call would",
    )
}

#[cold]
fn arrival_error(error: ArrivalError, rank: usize, size: usize, call: Call) -> Error {
    match error {
        ArrivalError::UnknownParty => Error::new(
            ErrorClass::Rank,
            format!("rank {rank} is not one of the {size} that meet here"),
        ),
        ArrivalError::AlreadyArrived => Error::new(
            ErrorClass::Other,
            format!(
                "rank {rank} calls {call} while another of its threads is in a collective call on the same \
                 communicator: make them one after the other, or on different communicators"
            ),
        ),
    }
}
