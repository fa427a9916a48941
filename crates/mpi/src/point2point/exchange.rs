//! Sending and receiving in one call.

use super::{AwaitedTarget, BlockingCall, Mode, Received, Sent};
use crate::comm::Comm;
use crate::comm::check;
use crate::error::Result;
use crate::error::Status;
use crate::memory::{Source, Target};
use crate::request::{Half, Request, Waiter};
use simurgh_core::sync::Arc;

impl Comm {
    /// Sends one message and receives another (`MPI_Sendrecv`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`] and [`Comm::recv`].
    pub fn sendrecv(
        &self,
        source: &Source,
        dest: i32,
        send_tag: i32,
        target: &Target,
        from: i32,
        receive_tag: i32,
    ) -> Result<Status> {
        check::to(dest, send_tag, self)?;
        check::from(from, receive_tag, self)?;
        let mut call = None;
        let received = self.post_receive(target, from, receive_tag, |own| {
            call.insert(BlockingCall::begin_in(own, self.process())).waiter()
        });
        if !self.send_copy(source, dest, send_tag) {
            self.send(source, dest, send_tag)?;
        }
        if matches!(received, Received::Posted(_)) {
            AwaitedTarget::of(target).prefetch(self, from);
        }
        received.status(call).into_result()
    }

    /// Sends what is in the target's memory and then receives into it (`MPI_Sendrecv_replace`). A message that
    /// finds no receive is copied out, whatever its size.
    ///
    /// # Errors
    ///
    /// As [`Comm::sendrecv`].
    pub fn sendrecv_replace(
        &self,
        target: &Target,
        dest: i32,
        send_tag: i32,
        from: i32,
        receive_tag: i32,
    ) -> Result<Status> {
        check::from(from, receive_tag, self)?;
        self.send_in(Mode::Copied, &target.as_source(), dest, send_tag)?;
        self.recv(target.clone(), from, receive_tag)
    }

    /// Starts to send one message and to receive another (`MPI_Isendrecv`).
    ///
    /// # Errors
    ///
    /// As [`Comm::send`] and [`Comm::irecv`].
    pub fn isendrecv(
        &self,
        source: &Source,
        dest: i32,
        send_tag: i32,
        target: &Target,
        from: i32,
        receive_tag: i32,
    ) -> Result<Arc<Request>> {
        check::to(dest, send_tag, self)?;
        check::from(from, receive_tag, self)?;
        let mut queued = None;
        let sent = self.start_send(source, dest, send_tag, Mode::Standard, || {
            let request = queued.insert(self.process().requests().take_exchange());
            Waiter::Sending(Arc::clone(request))
        })?;
        // Most sends are complete at once. Then the request is that of the receive.
        let (Sent::Queued { .. }, Some(request)) = (sent, queued) else {
            return self.irecv(target, from, receive_tag);
        };
        match self.post_receive(target, from, receive_tag, |_| {
            Waiter::Receiving(Arc::clone(&request))
        }) {
            Received::Done(status) => request.finish_half(Half::Receive, &status),
            Received::Posted(_) => {}
        }
        Ok(request)
    }

    /// Starts to send what is in the target's memory and to receive into it (`MPI_Isendrecv_replace`). A message
    /// that finds no receive is copied out, whatever its size, so that only the receive is left to wait for.
    ///
    /// # Errors
    ///
    /// As [`Comm::isendrecv`].
    pub fn isendrecv_replace(
        &self,
        target: &Target,
        dest: i32,
        send_tag: i32,
        from: i32,
        receive_tag: i32,
    ) -> Result<Arc<Request>> {
        check::from(from, receive_tag, self)?;
        self.send_in(Mode::Copied, &target.as_source(), dest, send_tag)?;
        self.irecv(target, from, receive_tag)
    }
}
