//! Messages taken by a matched probe.

use super::Payload;
use crate::error::Result;
use crate::matching::Envelope;
use crate::memory::Target;
use crate::process::Process;
use crate::request::Request;
use crate::status::Status;
use simurgh_core::sync::Arc;

/// A message that a matched probe took and nobody else can receive; receiving it uses it up.
#[derive(Debug)]
pub struct Message(Option<Taken>);

#[derive(Debug)]
struct Taken {
    receiver: Arc<Process>,
    envelope: Envelope,
    payload: Payload,
}

impl Message {
    /// The message from the null process (`MPI_MESSAGE_NO_PROC`).
    pub const NONE: Self = Self(None);

    pub(super) fn taken(receiver: &Arc<Process>, envelope: Envelope, payload: Payload) -> Self {
        Self(Some(Taken {
            receiver: Arc::clone(receiver),
            envelope,
            payload,
        }))
    }

    /// Whether this is the message from the null process.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    fn deliver(self, target: &Target) -> Status {
        match self.0 {
            None => Status::PROC_NULL,
            Some(Taken {
                receiver,
                envelope,
                payload,
            }) => payload.deliver(receiver.job(), receiver.endpoint(), envelope, target),
        }
    }

    /// Receives the message (`MPI_Mrecv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if it was longer than the target.
    pub fn recv(self, target: &Target) -> Result<Status> {
        self.deliver(target).into_result()
    }

    /// Starts to receive the message in the name of `process` (`MPI_Imrecv`). Since the message is there, the
    /// request is complete at once.
    #[must_use]
    pub fn irecv(self, process: &Process, target: &Target) -> Arc<Request> {
        process.requests().take_finished(&self.deliver(target))
    }
}
