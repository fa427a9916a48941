//! Starting collectives without waiting for them.

use super::Collective;
use super::underway::{Contribution, Part, Underway};
use crate::error::Result;
use crate::job::Job;
use crate::request::{Participation, Request};
use crate::tool;
use simurgh_core::sync::Arc;

/// A persistent collective as one rank has set it up.
#[derive(Debug)]
pub(crate) struct Rehearsed {
    underway: Arc<Underway>,
    participation: Participation,
    seat: usize,
    part: Part,
    job: Arc<Job>,
}

impl Rehearsed {
    pub(crate) fn part(&self) -> &Part {
        &self.part
    }

    pub(crate) fn participation(&self) -> &Participation {
        &self.participation
    }

    /// Starts the collective in the name of `request`, which holds this.
    pub(crate) fn start(&self, request: &Arc<Request>) -> Result<()> {
        self.participation.begin(Arc::clone(&self.underway));
        self.underway
            .bring(self.seat, Contribution::Again(Arc::clone(request)), &self.job)
    }
}

impl Collective<'_> {
    /// Starts it and returns at once (`MPI_Ibcast` and so on). The buffers are in use until the request is complete.
    ///
    /// # Errors
    ///
    /// None that are not found when the request is waited for: what other ranks do wrong is an error of its completion.
    pub fn start(self) -> Result<Arc<Request>> {
        tool::collective(self.comm.process(), self.call.name());
        let (comm, seat) = (self.comm, self.comm.seat());
        let underway = comm.shelf().take(comm.next_collective(), self.call);
        let request = comm.process().requests().take_collective(Arc::clone(&underway));
        let contribution =
            Contribution::Once(self.into_part(), Arc::clone(&request), Arc::clone(comm.shelf()));
        underway.bring(seat, contribution, comm.process().job())?;
        Ok(request)
    }

    /// Sets it up to be started again and again (`MPI_Bcast_init` and so on): the ranks find each other now, and a
    /// start does nothing but bring what is needed.
    pub fn persistent(self) -> Arc<Request> {
        let comm = self.comm;
        Request::set_up_collective(Rehearsed {
            underway: comm.shelf().take_persistent(comm.next_collective(), self.call),
            participation: Participation::default(),
            seat: comm.seat(),
            part: self.into_part(),
            job: Arc::clone(comm.process().job()),
        })
    }

    fn into_part(self) -> Part {
        let Self {
            call, offer, task, ..
        } = self;
        Part { call, offer, task }
    }
}
