//! Requests of collectives.
//!
//! A rank that waits takes part in the work: the request knows the collective, and so the shares of its work that no
//! thread has taken. A rank that tests lets others run, idle tasks first (`simurgh_core::yield_now`).

use super::{Kind, Request};
use crate::error::Status;
use crate::error::{Error, ErrorClass, Result};
use simurgh_core::IdleTask;
use simurgh_core::sync::{Arc, SpinLock};
use std::fmt;

/// A rank's part in a collective that it has started.
#[derive(Default)]
pub(crate) struct Participation(SpinLock<Progress>);

#[derive(Default)]
enum Progress {
    /// It has not been started, or has ended well.
    #[default]
    Over,
    /// It is under way.
    Under(Arc<dyn IdleTask>),
    /// It has failed.
    Failed(Error),
}

impl Participation {
    /// In a collective that begins.
    pub(crate) fn begin(&self, work: Arc<dyn IdleTask>) {
        self.advance(Progress::Under(work));
    }

    fn advance(&self, to: Progress) {
        let before = std::mem::replace(&mut *self.0.lock(), to);
        drop(before);
    }

    fn work(&self) -> Option<Arc<dyn IdleTask>> {
        match &*self.0.lock() {
            Progress::Under(nonblocking) => Some(Arc::clone(nonblocking)),
            Progress::Over | Progress::Failed(_) => None,
        }
    }

    fn fault(&self) -> Option<Error> {
        match &*self.0.lock() {
            Progress::Failed(error) => Some(error.clone()),
            Progress::Over | Progress::Under(_) => None,
        }
    }
}

impl fmt::Debug for Participation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.0.lock() {
            Progress::Over => "Over",
            Progress::Under(_) => "Under",
            Progress::Failed(_) => "Failed",
        })
    }
}

impl Request {
    fn participation(&self) -> Option<&Participation> {
        match &self.kind {
            Kind::Collective(participation) => Some(participation),
            Kind::Persistent(persistent) => persistent.operation().participation(),
            _ => None,
        }
    }

    /// Completes a collective.
    pub(crate) fn conclude(&self, outcome: &Result<()>) {
        let (progress, status) = match outcome {
            Ok(()) => (Progress::Over, Status::EMPTY),
            Err(error) => (
                Progress::Failed(error.clone()),
                Status {
                    error: error.code(),
                    ..Status::EMPTY
                },
            ),
        };
        if let Some(participation) = self.participation() {
            participation.advance(progress);
        }
        self.finish(&status);
    }

    /// Does a share of the work of a collective that nobody has taken; false if there is none.
    fn help(&self) -> bool {
        let work = self.participation().and_then(Participation::work);
        work.is_some_and(IdleTask::run_piece)
    }

    /// Works on a collective as long as there is something to do. Whether the request is active, and complete then.
    pub(super) fn complete_by_helping(&self) -> bool {
        if !self.is_active() {
            return false;
        }
        while !self.status_cell.is_done() && self.help() {}
        self.status_cell.is_done()
    }

    /// Refuses to give up a collective under way: others count on it. One that is complete, as
    /// `MPI_Request_get_status` tells, or at rest may go.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`] if this is such a collective.
    pub fn check_free(&self) -> Result<()> {
        if self.participation().is_some() && self.is_active() && !self.status_cell.is_done() {
            return Err(Error::new(
                ErrorClass::Request,
                "the request of a collective under way cannot be freed: wait for it",
            ));
        }
        Ok(())
    }

    /// The result of an operation whose status is `status`. For a collective or a task, the error tells what has
    /// happened in it.
    ///
    /// # Errors
    ///
    /// The error in the status.
    pub fn result(&self, status: Status) -> Result<Status> {
        if status.error.is_success() {
            return Ok(status);
        }
        let fault = self.participation().and_then(Participation::fault);
        match fault.or_else(|| self.task_fault().cloned()) {
            Some(fault) => Err(fault.with_status(status)),
            None => status.into_result(),
        }
    }
}
