//! Collectives that nobody waits for yet: nonblocking and persistent ones.
//!
//! A rank that starts one brings what it gives to a gathering and goes on. The last one finds everything. It does
//! short work at once, and so it does work that calls a function of the program, which has to run in a rank. Longer
//! work it cuts into shares and leaves them as an errand: virtual processors without anything else to do take them,
//! and so do ranks that come to wait for the result. Whoever finishes the last share completes the requests of all.
//!
//! What a rank has given lies at its seat, which nobody else writes. Starting and completing cost a rank what the
//! gathering does, and the lock of the shelf (`shelf.rs`) unless the collective is persistent.

use simurgh_core::sync::{Arc, SpinLock};
use simurgh_core::{
    ArrivalError, CompletedPhase, IdleTask, PhaseValues, SplitBarrier, WorkShare, post_idle_task,
};
use simurgh_settings::rules::Algorithm;

use super::call::Call;
use super::hosts::Venue;
use super::offer::Offer;
use super::offers::Offers;
use super::role::check_between_groups;
use super::share::Share;
use super::shelf::Shelf;
use super::task::Task;
use crate::error::{Error, ErrorClass, Result};
use crate::job::Job;
use crate::members::Seating;
use crate::members::Span;
use crate::request::Request;

/// A collective that its ranks start without waiting, once or again and again.
pub(crate) struct Underway {
    gathering: SplitBarrier<Contribution>,
    seating: Seating,
    /// None if all ranks are on this host.
    span: Option<Arc<Span>>,
    /// What has failed in some share.
    fault: SpinLock<Option<Error>>,
}

/// What one rank calls, and gives.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) call: Call,
    pub(super) offer: Offer,
    pub(super) task: Task,
}

/// What a rank brings to the gathering.
#[expect(
    clippy::large_enum_variant,
    reason = "seats are used again: what lies in them need not be allocated"
)]
pub(super) enum Contribution {
    /// Its part in a nonblocking collective, the request for it, and the shelf of the communicator, which may be freed
    /// meanwhile.
    Once(Part, Arc<Request>, Arc<Shelf>),
    /// A persistent request, which has the part.
    Again(Arc<Request>),
}

/// Most shares of one collective.
const SHARES_MAX: usize = 1 << 10;

impl Contribution {
    fn part(&self) -> &Part {
        match self {
            Self::Once(part, ..) => part,
            Self::Again(request) => {
                let rehearsed = request.rehearsed();
                rehearsed.expect("only persistent collectives start again").part()
            }
        }
    }

    pub(super) fn offer(&self) -> &Offer {
        &self.part().offer
    }
}

impl Underway {
    pub(super) fn new(seating: Seating, span: Option<Arc<Span>>) -> Self {
        let ranks = span.as_ref().map_or(seating.seats(), |span| span.local().len());
        Self {
            gathering: SplitBarrier::new(ranks),
            seating,
            span,
            fault: SpinLock::new(None),
        }
    }

    /// Whether a rank has come, and the collective is not over.
    pub(super) fn has(&self, seat: usize) -> bool {
        self.gathering.has_arrived(seat)
    }

    /// Leaves what a rank of `job` brings, which sits at this place. If there are several hosts, they talk at `venue`.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Other`] if it has started the collective before, which is not complete.
    pub(super) fn bring(
        self: &Arc<Self>,
        place: usize,
        contribution: Contribution,
        job: &Job,
        venue: Option<&Venue>,
    ) -> Result<()> {
        let all = self.gathering.arrive(place, contribution);
        if let Some(all) = all.map_err(|absence| absent(absence, place))? {
            match venue {
                None => self.begin(all, place, job),
                Some(venue) => self.send_for_others(all, place, venue),
            }
        }
        Ok(())
    }

    /// What the last rank of this host does: an execution context of its own speaks for the host, for nobody here is to
    /// wait yet for others.
    fn send_for_others(self: &Arc<Self>, all: CompletedPhase<'_, Contribution>, place: usize, venue: &Venue) {
        all.divide(1);
        let (this, own) = (Arc::clone(self), venue.clone());
        let speak = move || {
            let claim = this
                .gathering
                .claim_share()
                .expect("nobody else takes the only share");
            let outcome = this.speak(claim.values(), place, &own);
            if let Some(all) = claim.finish() {
                this.conclude(all, outcome);
            }
        };
        if let Err(error) = venue.delegate(speak) {
            let all = self.gathering.claim_share().and_then(WorkShare::finish);
            let outcome = Err(error);
            all.into_iter()
                .for_each(|all| self.conclude(all, outcome.clone()));
        }
    }

    /// Does the part of this host in the collective, by an execution context that works for the rank at `place`.
    fn speak(&self, gifts: PhaseValues<'_, Contribution>, place: usize, venue: &Venue) -> Result<()> {
        let part = |place| gifts.of(place).part();
        let parts: Vec<_> = (0..gifts.len()).map(part).collect();
        venue.speak(part(place), &parts, self.offers(gifts), self.agree(gifts))
    }

    /// Refuses ranks of this host that have started different collectives.
    fn agree(&self, gifts: PhaseValues<'_, Contribution>) -> Result<()> {
        let call = |place| gifts.of(place).part().call;
        let first = call(0);
        let Some(other) = (1..gifts.len()).find(|place| call(*place).topic() != first.topic()) else {
            return Ok(());
        };
        let seat = |place| {
            self.span
                .as_ref()
                .map_or(place, |span| span.local()[place] as usize)
        };
        let name = |place| self.seating.name(seat(place));
        Err(first.disagreement(&name(0), call(other), &name(other)))
    }

    /// What the last rank does, which is on `seat`.
    fn begin(self: &Arc<Self>, all: CompletedPhase<'_, Contribution>, seat: usize, job: &Job) {
        let (gifts, offers) = (all.values(), self.offers(all.values()));
        let call = |seat| gifts.of(seat).part().call;
        let agreed = self
            .agree(gifts)
            .and_then(|()| check_between_groups(call, self.seating));
        if let Err(fault) = agreed {
            return self.conclude(all, Err(fault));
        }
        let Part { call, task, .. } = gifts.of(seat).part();
        let task = task.informed_by(known_task(gifts));
        let outcome = match task.plan(*call, offers, job) {
            Ok(Algorithm::Shared | Algorithm::Striped) if !task.calls_program() => None,
            Ok(_) => Some(task.complete(offers)),
            Err(fault) => Some(Err(fault)),
        };
        if let Some(outcome) = outcome {
            return self.conclude(all, outcome);
        }
        let shares = task.pieces(offers).min(SHARES_MAX);
        all.divide(shares as u32);
        if !post_idle_task(Arc::clone(self) as Arc<dyn IdleTask>) {
            // Nobody but the calling thread is there to do it.
            while Arc::clone(self).run_piece() {}
        }
    }

    fn offers<'a>(&self, gifts: PhaseValues<'a, Contribution>) -> Offers<'a> {
        Offers::gathered(gifts, self.seating)
    }

    /// Completes the requests of all ranks.
    fn conclude(self: &Arc<Self>, all: CompletedPhase<'_, Contribution>, outcome: Result<()>) {
        let mut home = None;
        for (_, contribution) in all.release() {
            match contribution {
                Contribution::Once(_, request, shelf) => {
                    request.conclude(&outcome);
                    home = Some(shelf);
                }
                Contribution::Again(request) => request.conclude(&outcome),
            }
        }
        if let Some(shelf) = home {
            shelf.keep(Arc::clone(self));
        }
    }
}

impl IdleTask for Underway {
    fn run_piece(self: Arc<Self>) -> bool {
        // Whoever speaks for the host suspends: nobody takes that over who has something else to do.
        if self.span.is_some() {
            return false;
        }
        let Some(claim) = self.gathering.claim_share() else {
            return false;
        };
        let (gifts, (index, of)) = (claim.values(), claim.share());
        let (offers, task) = (self.offers(gifts), known_task(gifts));
        if let Err(error) = task.perform(offers, Share::one(index, of)) {
            self.fault.lock().get_or_insert(error);
        }
        if let Some(all) = claim.finish() {
            let fault = self.fault.lock().take();
            let offers = self.offers(all.values());
            let outcome = match fault {
                Some(fault) => Err(fault),
                None => known_task(all.values()).settle(offers, Share::ALL),
            };
            self.conclude(all, outcome);
        }
        true
    }

    fn is_exhausted(&self) -> bool {
        self.span.is_some() || self.gathering.is_exhausted()
    }
}

impl std::fmt::Debug for Underway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Underway")
            .field("seating", &self.seating)
            .finish_non_exhaustive()
    }
}

/// The work, as the first rank tells that knows it: somebody is the root.
fn known_task(gifts: PhaseValues<'_, Contribution>) -> &Task {
    let mut tasks = (0..gifts.len()).map(|seat| &gifts.of(seat).part().task);
    tasks
        .find(|task| task.is_known())
        .expect("what the ranks pass as root has been checked")
}

#[cold]
fn absent(absence: ArrivalError, seat: usize) -> Error {
    Error::new(
        ErrorClass::Intern,
        format!("rank {seat} cannot take part in a collective that it has started: {absence}"),
    )
}
