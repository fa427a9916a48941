//! Where the ranks of a communicator that live on this host meet.
//!
//! A meeting is the scheduler's ([`CyclicBarrier`]): each rank brings a description of its buffers, the last one finds
//! them all, does the work or says that it is shared, and lets the others go. Two meetings alternate, so nothing is
//! copied and nobody waits at the end. A short reduction goes by value (`short.rs`); the work of another short
//! collective is done by the last rank alone, on data that is warm in its cache, and costs the others nothing.

use std::any::{Any, type_name};
use std::sync::OnceLock;

use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{
    ArrivalError, Contributions, CyclicBarrier, FlagBarrier, FlagPhaseGuard, PhaseGuard, Wait, WaitList,
};
use simurgh_settings::rules::Algorithm;

use super::call::Call;
use super::meeting::Meeting;
use super::offer::Offer;
use super::offers::Offers;
use super::role::check_between_groups;
use super::task::Task;
use super::underway::Part;
use crate::deadlock::{Place, Stall};
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::members::Seating;
use crate::members::Span;
use crate::memory::{Packet, Source};
use crate::tool::{self, Reason};

/// Where the ranks of a communicator that live on this host meet.
///
/// Calls of one rank follow each other, as the standard demands of collectives on one communicator; different ranks
/// may run anywhere, in execution contexts or attached threads.
pub struct Board {
    place: CyclicBarrier<Arrived, Left>,
    /// How the ranks sit, those of other hosts too.
    seating: Seating,
    /// None if all are on this host.
    span: Option<Arc<Span>>,
    /// Where ranks wait until the others have done their shares too; made when work is shared for the first time.
    drained: OnceLock<WaitList>,
}

/// What a rank brings to a meeting. Changed in place from one meeting to the next but one.
#[derive(Default)]
#[repr(C)]
pub(super) struct Arrived {
    pub(super) brief: Brief,
    call: Call,
    gift: Gift,
}

/// What is short enough to lie on the line that says that a rank has come.
#[derive(Default)]
pub(super) enum Brief {
    /// Nothing: what there is to know is in the gift.
    #[default]
    Gift,
    /// The data of a short collective.
    Value(Packet),
    /// What a rank sends, if it has no gaps and lies in one piece: all that others need to know of its gift.
    Plain(Source),
    /// That the gift is a fault.
    Fault,
}

#[derive(Default)]
pub(super) enum Gift {
    /// Itself.
    #[default]
    Presence,
    /// Buffers.
    Offer(Offer),
    /// Its part in a collective of several hosts.
    Part(Part),
    /// A value for [`Board::exchange`].
    Value(SpinLock<Option<Box<dyn Any + Send>>>),
    /// What went wrong when it did its share.
    Fault(Error),
}

/// What the last rank to arrive leaves for the others.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Left {
    /// The result of a short collective.
    pub(super) packet: Packet,
    outcome: Outcome,
}

#[derive(Default)]
enum Outcome {
    /// The collective is complete.
    #[default]
    Done,
    /// All ranks share the work.
    Shared(Meeting),
    /// The answer of an exchange. It is kept no longer than until everybody has it.
    Answer(SpinLock<Answer>),
    /// The meeting was no collective, or the collective failed.
    Fault(Error),
}

struct Answer {
    value: Option<Arc<dyn Any + Send + Sync>>,
    /// Ranks that have not taken it yet.
    left: usize,
}

impl Brief {
    /// The data of a short collective, if it has been brought by value.
    #[inline]
    pub(super) fn value(&self) -> &Packet {
        static NONE: Packet = Packet::EMPTY;
        match self {
            Self::Value(packet) => packet,
            _ => &NONE,
        }
    }

    /// Brings data by value, as much as there is room for.
    #[inline]
    pub(super) fn carry(&mut self, source: &Source) {
        if let Self::Value(packet) = self {
            return packet.fill(source);
        }
        let mut packet = Packet::default();
        packet.fill(source);
        *self = Self::Value(packet);
    }

    /// What a rank sends, if it is told here.
    #[inline]
    pub(super) fn plain(&self) -> Option<&Source> {
        match self {
            Self::Plain(source) => Some(source),
            _ => None,
        }
    }
}

impl Arrived {
    /// Comes empty-handed. What was brought the last time but one goes.
    #[inline]
    pub(super) fn give_nothing(&mut self) {
        if !matches!(self.gift, Gift::Presence) {
            self.gift = Gift::Presence;
        }
    }

    pub(super) fn offer(&self) -> &Offer {
        static NONE: Offer = Offer::NONE;
        match &self.gift {
            Gift::Offer(offer) => offer,
            Gift::Part(part) => &part.offer,
            Gift::Presence | Gift::Value(_) | Gift::Fault(_) => &NONE,
        }
    }

    /// The part in a collective of several hosts.
    pub(super) fn part(&self) -> Option<&Part> {
        match &self.gift {
            Gift::Part(part) => Some(part),
            _ => None,
        }
    }

    /// Comes with a gift.
    pub(super) fn give(&mut self, gift: Gift) {
        self.gift = gift;
    }

    /// Comes with what has become of a share, and nothing else.
    #[inline]
    pub(super) fn report(&mut self, done: &Result<()>) {
        match done {
            Ok(()) => {
                self.brief = Brief::Gift;
                self.give_nothing();
            }
            Err(fault) => {
                self.brief = Brief::Fault;
                self.gift = Gift::Fault(fault.clone());
            }
        }
    }

    /// What went wrong at a rank that has reported.
    #[inline]
    pub(super) fn fault(&self) -> Option<&Error> {
        match (&self.brief, &self.gift) {
            (Brief::Fault, Gift::Fault(fault)) => Some(fault),
            _ => None,
        }
    }

    pub(super) fn call(&self) -> Call {
        self.call
    }
}

impl Board {
    /// A meeting place for `size` ranks.
    #[must_use]
    pub fn new(size: usize) -> Self {
        Self::seated(Seating { left: size, right: 0 })
    }

    /// A meeting place for the ranks of one or two groups.
    pub(crate) fn seated(seating: Seating) -> Self {
        Self {
            place: CyclicBarrier::new(seating.seats()),
            seating,
            span: None,
            drained: OnceLock::new(),
        }
    }

    /// A meeting place for those ranks of several hosts that live here.
    pub(crate) fn of_hosts(seating: Seating, span: Arc<Span>) -> Self {
        Self {
            place: CyclicBarrier::new(span.local().len()),
            span: Some(span),
            ..Self::seated(seating)
        }
    }

    /// What the rank that sits at a place is called in messages.
    fn name(&self, place: usize) -> String {
        let seat = self
            .span
            .as_ref()
            .map_or(place, |span| span.local()[place] as usize);
        self.seating.name(seat)
    }

    /// How they sit.
    pub(super) fn seating(&self) -> Seating {
        self.seating
    }

    /// Number of ranks that meet.
    #[must_use]
    pub fn size(&self) -> usize {
        self.place.parties()
    }

    /// Waits until every rank has come.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls.
    pub(crate) fn barrier(&self, rank: usize) -> Result<()> {
        if let Some(circle) = self.circle() {
            return self
                .face(circle, rank, Call::BARRIER, Arrived::give_nothing)
                .map(drop);
        }
        let visit = self.meet(rank, Call::BARRIER, Arrived::give_nothing, |_, left| {
            left.finish()
        })?;
        visit.result().verdict()
    }

    /// Every rank gives a value; the last to come combines them, in rank order; everyone gets the result.
    ///
    /// # Errors
    ///
    /// When ranks are in different collective calls; `combine` is not called then.
    pub fn exchange<V, T>(&self, rank: usize, value: V, combine: impl FnOnce(Vec<V>) -> T) -> Result<Arc<T>>
    where
        V: Send + 'static,
        T: Send + Sync + 'static,
    {
        self.settle(rank, value, |values| values.map(combine))
    }

    /// The same, in which `decide` learns of it if ranks are in different calls, and what it decides may be an error.
    ///
    /// # Errors
    ///
    /// What `decide` says.
    pub(crate) fn settle<V, T>(
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
        let bring = |arrived: &mut Arrived| {
            arrived.call = call;
            arrived.gift = Gift::Value(SpinLock::new(Some(Box::new(value))));
        };
        let last = |brought: Contributions<'_, Arrived>, agreed: bool, left: &mut Left| {
            let values = match agreed {
                true => Ok(unpack(&brought)),
                false => Err(self.disagreement(&brought)),
            };
            left.outcome = match decide(values) {
                Ok(answer) => Outcome::Answer(SpinLock::new(Answer {
                    value: Some(Arc::new(answer)),
                    left: self.size(),
                })),
                Err(fault) => Outcome::Fault(fault),
            };
        };
        let visit = self.place.arrive_and_wait(rank, call.topic(), bring, last, wait);
        let visit = visit.map_err(|absence| absent(absence, rank, self.size(), call))?;
        match &visit.result().outcome {
            Outcome::Answer(answer) => take(&mut answer.lock())
                .and_then(|answer| answer.downcast().ok())
                .ok_or_else(unexpected),
            Outcome::Fault(fault) => Err(fault.clone()),
            Outcome::Done | Outcome::Shared(_) => Err(unexpected()),
        }
    }

    /// Runs a collective: all ranks' offers, and what to do once they are on the table.
    ///
    /// Returns when the rank's own buffers are no longer used by others, if `lends`, or else when its share is done.
    /// The job's table of algorithms says what the last rank to arrive does alone, and what the ranks share, which
    /// costs a second round of switches.
    ///
    /// # Errors
    ///
    /// When ranks are in different calls, or what the work reports.
    pub(crate) fn collect(
        &self,
        seat: usize,
        call: Call,
        offer: Offer,
        lends: bool,
        job: &Job,
        task: &Task,
    ) -> Result<()> {
        if let Some(circle) = self.circle() {
            return self.collect_face_to_face(circle, seat, call, offer, job, task);
        }
        let visit = self.meet(seat, call, give(Gift::Offer(offer)), |brought, left| {
            let offers = Offers::new(&brought, self.seating);
            let outcome = check_between_groups(|seat| brought[seat].call, self.seating)
                .and_then(|()| task.plan(call, offers, job))
                .and_then(|algorithm| match algorithm {
                    Algorithm::Last if task.is_known() => task.complete(offers).map(|()| Outcome::Done),
                    Algorithm::Striped if task.is_known() => {
                        task.complete_in_pieces(offers).map(|()| Outcome::Done)
                    }
                    _ => {
                        // Here, for the others would have to wait for whoever makes it.
                        self.drained.get_or_init(WaitList::new);
                        Ok(Outcome::Shared(Meeting::new(offers.len())))
                    }
                });
            left.outcome = outcome.unwrap_or_else(Outcome::Fault);
        })?;
        match &visit.result().outcome {
            Outcome::Done => Ok(()),
            Outcome::Shared(meeting) => {
                let brought = visit.contributions();
                let (offers, share) = (
                    Offers::new(&brought, self.seating),
                    task.share(self.seating, seat),
                );
                let drained = self.drained.get_or_init(WaitList::new);
                meeting.contribute(lends, drained, || task.perform(offers, share))?;
                task.settle(offers, share)
            }
            Outcome::Fault(fault) => Err(fault.clone()),
            Outcome::Answer(_) => Err(unexpected()),
        }
    }

    /// The ranks as they see each other, if they are few.
    #[inline]
    pub(super) fn circle(&self) -> Option<FlagBarrier<'_, Arrived, Left>> {
        self.place.as_flag_barrier()
    }

    /// Goes to the next meeting of ranks that see each other and waits until all have come. It is each rank's business
    /// then what to do with what all have brought.
    #[inline]
    pub(super) fn face<'a>(
        &self,
        circle: FlagBarrier<'a, Arrived, Left>,
        rank: usize,
        call: Call,
        bring: impl FnOnce(&mut Arrived),
    ) -> Result<FlagPhaseGuard<'a, Arrived, Left>> {
        let bring = |arrived: &mut Arrived| {
            arrived.call = call;
            bring(arrived);
        };
        match circle.arrive_and_wait(rank, call.topic(), bring, wait) {
            Ok(presence) if presence.agreed() => Ok(presence),
            Ok(presence) => Err(self.disagreement(&presence.contributions())),
            Err(absence) => Err(absent(absence, rank, self.size(), call)),
        }
    }

    /// Takes part in a collective of several hosts: `last` is what the last rank of this host to come does for it. It
    /// is told whether the ranks here agree.
    pub(super) fn speak(
        &self,
        place: usize,
        part: Part,
        last: impl FnOnce(&Contributions<'_, Arrived>, Result<()>) -> Result<()>,
    ) -> Result<()> {
        let call = part.call;
        let bring = |arrived: &mut Arrived| {
            arrived.call = call;
            arrived.gift = Gift::Part(part);
        };
        let decide = |brought: Contributions<'_, Arrived>, agreed: bool, left: &mut Left| {
            let agreement = if agreed {
                Ok(())
            } else {
                Err(self.disagreement(&brought))
            };
            left.outcome = last(&brought, agreement).map_or_else(Outcome::Fault, |()| Outcome::Done);
        };
        let visit = self
            .place
            .arrive_and_wait(place, call.topic(), bring, decide, wait);
        let visit = visit.map_err(|absence| absent(absence, place, self.size(), call))?;
        visit.result().verdict()
    }

    #[cold]
    fn disagreement(&self, brought: &Contributions<'_, Arrived>) -> Error {
        let first = brought[0].call;
        let other = brought
            .iter()
            .position(|arrived| arrived.call.topic() != first.topic());
        match other {
            Some(other) => first.disagreement(&self.name(0), brought[other].call, &self.name(other)),
            None => unexpected(),
        }
    }

    /// Goes to the next meeting and waits for its end. `last` decides the outcome if all ranks make the same call.
    #[inline]
    pub(super) fn meet(
        &self,
        rank: usize,
        call: Call,
        bring: impl FnOnce(&mut Arrived),
        last: impl FnOnce(Contributions<'_, Arrived>, &mut Left),
    ) -> Result<PhaseGuard<'_, Arrived, Left>> {
        let bring = |arrived: &mut Arrived| {
            arrived.call = call;
            bring(arrived);
        };
        let decide = |brought: Contributions<'_, Arrived>, agreed: bool, left: &mut Left| {
            if agreed {
                last(brought, left);
            } else {
                left.outcome = Outcome::Fault(self.disagreement(&brought));
            }
        };
        self.place
            .arrive_and_wait(rank, call.topic(), bring, decide, wait)
            .map_err(|absence| absent(absence, rank, self.size(), call))
    }
}

impl Left {
    /// The collective is complete.
    #[inline]
    pub(super) fn finish(&mut self) {
        if !matches!(self.outcome, Outcome::Done) {
            self.outcome = Outcome::Done;
        }
    }

    /// What has become of a collective that leaves nothing to do.
    #[inline]
    pub(super) fn verdict(&self) -> Result<()> {
        match &self.outcome {
            Outcome::Done => Ok(()),
            outcome => outcome.fault(),
        }
    }

    pub(super) fn fail(&mut self, fault: Error) {
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

impl Place for Board {
    fn stalls(&self) -> Vec<Stall> {
        let present: Vec<(usize, u64)> = self.place.arrived().collect();
        let mut topics: Vec<u64> = present.iter().map(|(_, topic)| *topic).collect();
        topics.sort_unstable();
        topics.dedup();
        let stall = |topic| {
            let came = |seat| present.contains(&(seat, topic));
            let (started, missing) = (0..self.size()).partition(|seat| came(*seat));
            Stall {
                call: told(topic, self.size()),
                blocking: true,
                started,
                missing,
            }
        };
        topics.into_iter().map(stall).collect()
    }
}

/// What ranks have come for, in words.
fn told(topic: u64, ranks: usize) -> String {
    let call = Call::recognise(topic, ranks);
    call.map_or_else(|| "a collective call".to_owned(), |call| call.to_string())
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

fn wait(wait: Wait<'_>) {
    tool::blocking(Reason::Collective, || wait.block());
}

/// Brings a gift.
fn give(gift: Gift) -> impl FnOnce(&mut Arrived) {
    |arrived| arrived.give(gift)
}

/// A rank's copy of the answer; the last rank takes it away.
fn take(answer: &mut Answer) -> Option<Arc<dyn Any + Send + Sync>> {
    answer.left -= 1;
    if answer.left == 0 {
        answer.value.take()
    } else {
        answer.value.clone()
    }
}

/// The values in rank order; all are of one type, because the calls agreed.
fn unpack<V: 'static>(brought: &Contributions<'_, Arrived>) -> Vec<V> {
    let value = |arrived: &Arrived| match &arrived.gift {
        Gift::Value(value) => value.lock().take(),
        Gift::Presence | Gift::Offer(_) | Gift::Part(_) | Gift::Fault(_) => None,
    };
    brought
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
fn absent(absence: ArrivalError, rank: usize, size: usize, call: Call) -> Error {
    match absence {
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
