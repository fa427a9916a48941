//! The meetings of a communicator's ranks that live on this host: the intra-host phase of blocking collectives.
//!
//! A meeting is one phase of a [`CyclicBarrier`]: each rank brings a description of its buffers; the last one to arrive
//! finds all of them, does the work or decides that it is shared, and releases the others. Two phases alternate, so
//! that nothing is copied and nobody waits at the end of a meeting.
//!
//! A short reduction goes by value (`by_value.rs`). The work of any other short collective is done by the last rank
//! alone, on data that is warm in its cache, and costs the others nothing.

use std::any::{Any, type_name};
use std::sync::OnceLock;

use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{
    ArrivalError, Contributions, CyclicBarrier, FlagBarrier, FlagPhaseGuard, PhaseGuard, Wait, WaitList,
};
use simurgh_settings::rules::Algorithm;

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
use crate::members::GroupSizes;
use crate::members::HostMap;
use crate::memory::{Packet, Source};

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

/// The contribution of a rank to a meeting. It lies at the rank's place in the barrier and is changed in place two
/// meetings later.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Arrival {
    pub(crate) inline: Inline,
    call: Call,
    payload: Payload,
}

/// The part of a contribution that is short enough to lie on the cache line with the rank's arrival flag.
#[derive(Default)]
pub(crate) enum Inline {
    /// Nothing: the payload has all of it.
    #[default]
    Payload,
    /// The data of a short collective.
    Data(Packet),
    /// The rank's send buffer, if it is dense and in one piece. The others need to know no more of the payload.
    Source(Source),
    /// The payload is a fault.
    Fault,
}

#[derive(Default)]
pub(crate) enum Payload {
    /// Nothing: the rank only takes part.
    #[default]
    Nothing,
    /// Buffers.
    Buffers(Buffers),
    /// The rank's invocation of a collective of several hosts.
    Invocation(Invocation),
    /// A value for [`IntraHost::exchange`].
    Value(SpinLock<Option<Box<dyn Any + Send>>>),
    /// The error that the rank met when it did its share.
    Fault(Error),
}

/// The result of a meeting, which the last rank to arrive leaves for the others.
#[derive(Default)]
#[repr(C, align(64))]
pub(crate) struct Conclusion {
    /// The result of a short collective.
    pub(crate) packet: Packet,
    outcome: Outcome,
}

#[derive(Default)]
enum Outcome {
    /// The collective is complete.
    #[default]
    Done,
    /// All ranks share the work.
    Shared(SharedWork),
    /// The answer of an exchange. It is kept until every rank has taken it.
    Answer(SpinLock<Answer>),
    /// The ranks were in different calls, or the collective failed.
    Fault(Error),
}

struct Answer {
    value: Option<Arc<dyn Any + Send + Sync>>,
    /// Ranks that have not taken it yet.
    left: usize,
}

impl Inline {
    /// The data of a short collective, or an empty packet.
    #[inline]
    pub(crate) fn value(&self) -> &Packet {
        static NONE: Packet = Packet::EMPTY;
        match self {
            Self::Data(packet) => packet,
            _ => &NONE,
        }
    }

    /// Brings data by value, as much as fits into a packet.
    #[inline]
    pub(crate) fn carry(&mut self, source: &Source) {
        if let Self::Data(packet) = self {
            return packet.fill(source);
        }
        let mut packet = Packet::default();
        packet.fill(source);
        *self = Self::Data(packet);
    }

    /// The rank's send buffer, if it is described inline.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&Source> {
        match self {
            Self::Source(source) => Some(source),
            _ => None,
        }
    }
}

impl Arrival {
    /// Brings no payload, and drops the one of two meetings before.
    #[inline]
    pub(crate) fn give_nothing(&mut self) {
        if !matches!(self.payload, Payload::Nothing) {
            self.payload = Payload::Nothing;
        }
    }

    pub(crate) fn buffers(&self) -> &Buffers {
        static NONE: Buffers = Buffers::NONE;
        match &self.payload {
            Payload::Buffers(buffers) => buffers,
            Payload::Invocation(invocation) => &invocation.buffers,
            Payload::Nothing | Payload::Value(_) | Payload::Fault(_) => &NONE,
        }
    }

    /// The invocation of a collective of several hosts.
    pub(crate) fn invocation(&self) -> Option<&Invocation> {
        match &self.payload {
            Payload::Invocation(invocation) => Some(invocation),
            _ => None,
        }
    }

    /// Brings a payload.
    pub(crate) fn give(&mut self, payload: Payload) {
        self.payload = payload;
    }

    /// Brings the outcome of a share of work, and nothing else.
    #[inline]
    pub(crate) fn report(&mut self, done: &Result<()>) {
        match done {
            Ok(()) => {
                self.inline = Inline::Payload;
                self.give_nothing();
            }
            Err(fault) => {
                self.inline = Inline::Fault;
                self.payload = Payload::Fault(fault.clone());
            }
        }
    }

    /// The error of a rank that has reported one.
    #[inline]
    pub(crate) fn fault(&self) -> Option<&Error> {
        match (&self.inline, &self.payload) {
            (Inline::Fault, Payload::Fault(fault)) => Some(fault),
            _ => None,
        }
    }

    pub(crate) fn call(&self) -> Call {
        self.call
    }
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
        if let Some(flags) = self.flags() {
            return self
                .meet_by_flags(flags, rank, Call::BARRIER, Arrival::give_nothing)
                .map(drop);
        }
        let guard = self.meet(rank, Call::BARRIER, Arrival::give_nothing, |_, left| {
            left.finish()
        })?;
        guard.result().verdict()
    }

    /// Every rank gives a value; the last one to arrive combines them, in rank order; every rank gets the result.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls; `combine` is not called then.
    pub fn exchange<V, T>(&self, rank: usize, value: V, combine: impl FnOnce(Vec<V>) -> T) -> Result<Arc<T>>
    where
        V: Send + 'static,
        T: Send + Sync + 'static,
    {
        self.try_exchange(rank, value, |values| values.map(combine))
    }

    /// [`IntraHost::exchange`] with a combination that may fail. If ranks are in different calls, `decide` gets that
    /// error and may replace it.
    ///
    /// # Errors
    ///
    /// What `decide` returns.
    pub(crate) fn try_exchange<V, T>(
        &self,
        rank: usize,
        value: V,
        decide: impl FnOnce(Result<Vec<V>>) -> Result<T>,
    ) -> Result<Arc<T>>
    where
        V: Send + 'static,
        T: Send + Sync + 'static,
    {
        let call = Call::new(type_name::<V>());
        let bring = |arrival: &mut Arrival| {
            arrival.call = call;
            arrival.payload = Payload::Value(SpinLock::new(Some(Box::new(value))));
        };
        let last = |contributions: Contributions<'_, Arrival>, agreed: bool, left: &mut Conclusion| {
            let values = match agreed {
                true => Ok(unpack(&contributions)),
                false => Err(self.disagreement(&contributions)),
            };
            left.outcome = match decide(values) {
                Ok(answer) => Outcome::Answer(SpinLock::new(Answer {
                    value: Some(Arc::new(answer)),
                    left: self.size(),
                })),
                Err(fault) => Outcome::Fault(fault),
            };
        };
        let guard = self
            .barrier
            .arrive_and_wait(rank, call.fingerprint(), bring, last, wait);
        let guard = guard.map_err(|error| arrival_error(error, rank, self.size(), call))?;
        match &guard.result().outcome {
            Outcome::Answer(answer) => take(&mut answer.lock())
                .and_then(|answer| answer.downcast().ok())
                .ok_or_else(unexpected),
            Outcome::Fault(fault) => Err(fault.clone()),
            Outcome::Done | Outcome::Shared(_) => Err(unexpected()),
        }
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
            give(Payload::Buffers(buffers)),
            |contributions, left| {
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
                left.outcome = outcome.unwrap_or_else(Outcome::Fault);
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
        let decide = |contributions: Contributions<'_, Arrival>, agreed: bool, left: &mut Conclusion| {
            let same_call = if agreed {
                Ok(())
            } else {
                Err(self.disagreement(&contributions))
            };
            left.outcome = last(&contributions, same_call).map_or_else(Outcome::Fault, |()| Outcome::Done);
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
        let decide = |contributions: Contributions<'_, Arrival>, agreed: bool, left: &mut Conclusion| {
            if agreed {
                last(contributions, left);
            } else {
                left.outcome = Outcome::Fault(self.disagreement(&contributions));
            }
        };
        self.barrier
            .arrive_and_wait(rank, call.fingerprint(), bring, decide, wait)
            .map_err(|error| arrival_error(error, rank, self.size(), call))
    }
}

impl Conclusion {
    /// The collective is complete.
    #[inline]
    pub(crate) fn finish(&mut self) {
        if !matches!(self.outcome, Outcome::Done) {
            self.outcome = Outcome::Done;
        }
    }

    /// The outcome of a collective that leaves nothing to do after the meeting.
    #[inline]
    pub(crate) fn verdict(&self) -> Result<()> {
        match &self.outcome {
            Outcome::Done => Ok(()),
            outcome => outcome.fault(),
        }
    }

    pub(crate) fn fail(&mut self, fault: Error) {
        self.outcome = Outcome::Fault(fault);
    }
}

impl Outcome {
    #[cold]
    fn fault(&self) -> Result<()> {
        match self {
            Outcome::Fault(fault) => Err(fault.clone()),
            _ => Err(unexpected()),
        }
    }
}

impl MeetingPoint for IntraHost {
    fn stalls(&self) -> Vec<StalledCollective> {
        let present: Vec<(usize, u64)> = self.barrier.arrived().collect();
        let mut topics: Vec<u64> = present.iter().map(|(_, fingerprint)| *fingerprint).collect();
        topics.sort_unstable();
        topics.dedup();
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
        topics.into_iter().map(stall).collect()
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

/// Brings a payload.
fn give(payload: Payload) -> impl FnOnce(&mut Arrival) {
    |arrival| arrival.give(payload)
}

/// A rank's reference to the answer. The last rank takes it out.
fn take(answer: &mut Answer) -> Option<Arc<dyn Any + Send + Sync>> {
    answer.left -= 1;
    if answer.left == 0 {
        answer.value.take()
    } else {
        answer.value.clone()
    }
}

/// The values in rank order. All are of one type, because the calls have the same fingerprint, which is made of the
/// type's name.
fn unpack<V: 'static>(contributions: &Contributions<'_, Arrival>) -> Vec<V> {
    let value = |arrival: &Arrival| match &arrival.payload {
        Payload::Value(value) => value.lock().take(),
        Payload::Nothing | Payload::Buffers(_) | Payload::Invocation(_) | Payload::Fault(_) => None,
    };
    contributions
        .iter()
        .filter_map(value)
        .filter_map(|value| value.downcast().ok())
        .map(|value| *value)
        .collect()
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
