//! Starting collectives without waiting for them.

use super::Collective;
use super::inter_host::{Leader, Round};
use super::nonblocking::{Contribution, Invocation, Nonblocking};
use crate::error::Result;
use crate::instrument;
use crate::job::Job;
use crate::request::{Operation, Participation, Request};
use simurgh_core::IdleTask;
use simurgh_core::sync::{Arc, AtomicU64, Ordering};

/// A persistent collective as one rank has set it up.
#[derive(Debug)]
pub(crate) struct PersistentCollective {
    nonblocking: Arc<Nonblocking>,
    participation: Participation,
    local_index: usize,
    invocation: Invocation,
    job: Arc<Job>,
    /// Where the hosts talk, if there are several.
    leader: Option<Leader>,
    /// Number of the collective on its communicator.
    number: u64,
    /// How often it has been started.
    starts: AtomicU64,
}

impl PersistentCollective {
    pub(crate) fn invocation(&self) -> &Invocation {
        &self.invocation
    }
}

impl Operation for PersistentCollective {
    fn participation(&self) -> Option<&Participation> {
        Some(&self.participation)
    }

    fn start(&self, request: &Arc<Request>) -> Result<()> {
        self.participation
            .begin(Arc::clone(&self.nonblocking) as Arc<dyn IdleTask>);
        let contribution = Contribution::Again(Arc::clone(request));
        // Relaxed: only one thread at a time starts a request.
        let time = self.starts.fetch_add(1, Ordering::Relaxed);
        let round = Round::Persistent(self.number, time);
        let leader = self.leader.as_ref().map(|leader| leader.at(round));
        self.nonblocking
            .bring(self.local_index, contribution, &self.job, leader.as_ref())
    }
}

impl Collective<'_> {
    /// Starts it and returns at once (`MPI_Ibcast` and so on). The buffers are in use until the request is complete.
    ///
    /// # Errors
    ///
    /// None that are not found when the request is waited for: what other ranks do wrong is an error of its completion.
    pub fn start(mut self) -> Result<Arc<Request>> {
        instrument::collective(self.comm.process(), self.call.name());
        let (comm, local_index, number) = (self.comm, self.comm.local_index(), self.comm.next_collective());
        let nonblocking = comm.outstanding().join(number, self.call);
        let request = comm
            .process()
            .requests()
            .take_collective(Arc::clone(&nonblocking) as Arc<dyn IdleTask>);
        let leader = Leader::of(comm, Round::Nonblocking(number));
        if leader.is_some() {
            // The standard has programs leave their arrays as they are until the operation is complete. Some, such as
            // mpi4py 4.1, do not, and get away with it elsewhere; between hosts that costs little.
            self = self.kept();
        }
        let contribution = Contribution::Once(
            self.into_invocation(),
            Arc::clone(&request),
            Arc::clone(comm.outstanding()),
        );
        nonblocking.bring(local_index, contribution, comm.process().job(), leader.as_ref())?;
        Ok(request)
    }

    /// Sets it up to be started again and again (`MPI_Bcast_init` and so on): the ranks find each other now, and a
    /// start does nothing but bring what is needed.
    pub fn persistent(mut self) -> Arc<Request> {
        self = self.kept();
        let (comm, number) = (self.comm, self.comm.next_collective());
        Request::set_up(PersistentCollective {
            nonblocking: comm.outstanding().join_persistent(number, self.call),
            participation: Participation::default(),
            local_index: comm.local_index(),
            leader: Leader::of(comm, Round::Persistent(number, 0)),
            number,
            starts: AtomicU64::new(0),
            invocation: self.into_invocation(),
            job: Arc::clone(comm.process().job()),
        })
    }

    /// The same collective, whatever becomes of the arrays of counts and displacements.
    fn kept(self) -> Self {
        Self {
            buffers: self.buffers.kept(),
            task: self.task.kept(),
            ..self
        }
    }

    pub(super) fn into_invocation(self) -> Invocation {
        let Self {
            call, buffers, task, ..
        } = self;
        Invocation { call, buffers, task }
    }
}
