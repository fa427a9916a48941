//! Starting nonblocking and persistent collectives.

use super::{Collective, leader_of};
use crate::collective::{Contribution, Invocation, PersistentCollective, Round};
use crate::error::Result;
use crate::request::Request;
use simurgh_core::IdleTask;
use simurgh_core::sync::Arc;

impl Collective<'_> {
    /// Starts the collective and returns at once (`MPI_Ibcast` and so on). The buffers are in use until the request is
    /// complete.
    ///
    /// # Errors
    ///
    /// None that are not found when the request is waited for: what other ranks do wrong is an error of its completion.
    pub fn start(mut self) -> Result<Arc<Request>> {
        self.comm
            .report(self.call, |outflow| outflow.collective(&self.task, &self.buffers));
        let (comm, local_index, number) = (self.comm, self.comm.local_index(), self.comm.next_collective());
        let nonblocking = comm.outstanding().join(number, self.call);
        let request = comm
            .process()
            .requests()
            .take_collective(Arc::clone(&nonblocking) as Arc<dyn IdleTask>);
        let leader = leader_of(comm, Round::Nonblocking(number));
        if leader.is_some() {
            // The standard requires programs to keep their arrays of counts unchanged until the operation is complete.
            // Some programs, such as mpi4py 4.1, do not. Between hosts a copy costs little.
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

    /// Sets the collective up to be started again and again (`MPI_Bcast_init` and so on). The ranks find the shared
    /// state now, so that a start only brings the buffers.
    pub fn persistent(mut self) -> Arc<Request> {
        self = self.kept();
        let (comm, number) = (self.comm, self.comm.next_collective());
        let outflow = comm.outflow(&self.task, &self.buffers);
        Request::set_up(PersistentCollective::new(
            (number, comm.local_index()),
            comm.outstanding().join_persistent(number, self.call),
            self.into_invocation(),
            (comm.process(), outflow),
            leader_of(comm, Round::Persistent(number, 0)),
        ))
    }

    /// The same collective with copies of the arrays of counts and displacements, which the program may change.
    fn kept(self) -> Self {
        Self {
            buffers: self.buffers.kept(),
            task: self.task.kept(),
            ..self
        }
    }

    pub(crate) fn into_invocation(self) -> Invocation {
        let Self {
            call, buffers, task, ..
        } = self;
        Invocation { call, buffers, task }
    }
}
