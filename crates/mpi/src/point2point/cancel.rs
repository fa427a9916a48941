//! Cancelling sends and receives.

use super::inter_host::RemoteSend;
use crate::error::Result;
use crate::error::Status;
use crate::matching::Place;
use crate::process::Process;
use crate::request::{Direction, Request};

impl Request {
    /// Cancels the operation if it has not been matched yet. It completes either way, and its status says which. What
    /// cancelling a generalised request does is up to the program.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Request`](crate::ErrorClass::Request) for a persistent request at rest, and for an operation that
    /// cannot be cancelled; the error of the program's cancel function.
    pub fn cancel(&self, process: &Process) -> Result<()> {
        let Some(direction) = self.begin_cancel()? else {
            return Ok(());
        };
        // A send may be complete though its message is queued. That can be cancelled too.
        let (owner, place) = self.queued();
        let job = process.job();
        if !job.layout().is_here(owner) {
            self.cancel_remote(process, owner, place);
            return Ok(());
        }
        if direction == Direction::Send {
            // A message that the receiver has not seen gets into its queue, from where it can be withdrawn.
            process.drain_references();
        }
        let mut table = job.endpoint(owner).table();
        let withdrawn = match direction {
            Direction::Send => table.withdraw_message(place),
            Direction::Receive => table.withdraw_receive(place),
        };
        drop(table);
        if withdrawn {
            self.finish(&Status::CANCELLED);
        }
        Ok(())
    }

    /// Cancels a send to a process of another host, if it can be.
    fn cancel_remote(&self, process: &Process, receiver: u32, place: Place) {
        let (job, network) = (process.job(), process.job().connected());
        match RemoteSend::at(place) {
            RemoteSend::Waiting(sender) => network.cancel(job.host(), receiver, sender),
            RemoteSend::Sent(number) => {
                if network.cancel_eager(job.host(), process.id(), receiver, number) {
                    self.finish(&Status::CANCELLED);
                }
            }
            RemoteSend::Nowhere => {}
        }
    }
}
