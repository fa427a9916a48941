//! Messages taken by a matched probe.

use super::BlockingCall;
use crate::endpoint::Unexpected;
use crate::error::Result;
use crate::error::Status;
use crate::matching::Envelope;
use crate::memory::Target;
use crate::process::Process;
use crate::request::{Request, Waiter};
use simurgh_core::sync::Arc;
use simurgh_core::{Purpose, PurposeGuard};

/// A message that a matched probe has taken, so that no receive can match it.
#[derive(Debug)]
pub struct Message(Option<Taken>);

#[derive(Debug)]
struct Taken {
    receiver: Arc<Process>,
    envelope: Envelope,
    payload: Unexpected,
}

impl Message {
    /// The message from the null process (`MPI_MESSAGE_NO_PROC`).
    pub const NONE: Self = Self(None);

    pub(super) fn taken(receiver: &Arc<Process>, envelope: Envelope, payload: Unexpected) -> Self {
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

    /// Delivers the message. No status if its data has to come from another host; then `waiter` gives what to complete
    /// at the end.
    fn deliver(self, target: &Target, waiter: impl FnOnce() -> Waiter) -> Option<Status> {
        let Some(taken) = self.0 else {
            return Some(Status::PROC_NULL);
        };
        let Taken {
            receiver,
            envelope,
            payload,
        } = taken;
        match payload.deliver(&**receiver.job(), receiver.endpoint(), envelope, target) {
            Ok(status) => Some(status),
            Err(request) => {
                receiver.receive_rendezvous(&request, envelope, target, waiter());
                None
            }
        }
    }

    /// Receives the message (`MPI_Mrecv`).
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Truncate`](crate::ErrorClass::Truncate) if it was longer than the target.
    pub fn recv(self, target: &Target) -> Result<Status> {
        let Some(Taken { receiver, .. }) = &self.0 else {
            return Ok(Status::PROC_NULL);
        };
        let receiver = Arc::clone(receiver);
        let mut call = None;
        let status = self.deliver(target, || call.insert(BlockingCall::begin(&receiver)).waiter());
        let status = status.or_else(|| {
            let _purpose = PurposeGuard::begin(Purpose::Network);
            Some(call?.wait())
        });
        status.expect("who waits has been told").into_result()
    }

    /// Starts to receive the message in the name of `process` (`MPI_Imrecv`). If the message is here, the request is
    /// complete at once.
    #[must_use]
    pub fn irecv(self, process: &Process, target: &Target) -> Arc<Request> {
        let mut request = None;
        let status = self.deliver(target, || {
            Waiter::Request(Arc::clone(request.insert(process.requests().take_receive())))
        });
        let finished = status.map(|status| process.requests().take_finished(&status));
        finished.or(request).expect("who waits has been told")
    }
}
