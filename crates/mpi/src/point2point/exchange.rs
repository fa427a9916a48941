//! Sending and receiving in one call.

use super::{Mode, Received};
use crate::check;
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Source, Target};
use crate::request::Call;
use crate::status::Status;

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
        check::dest(dest, self)?;
        check::tag(send_tag)?;
        check::source(from, self)?;
        check::receive_tag(receive_tag)?;
        let mut call = None;
        let received = self.accept(target, from, receive_tag, |own| {
            call.insert(Call::begin_in(own, self.process())).waiter()
        });
        self.send(source, dest, send_tag)?;
        let status = match (received, call) {
            (Received::Posted(_), Some(call)) => call.wait(),
            (Received::Done(status), _) => status,
            (Received::Posted(_), None) => unreachable!("a receive is posted with its waiter"),
        };
        status.into_result()
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
        check::source(from, self)?;
        check::receive_tag(receive_tag)?;
        self.send_in_mode(&target.as_source(), dest, send_tag, Mode::Copied)?;
        self.recv(target, from, receive_tag)
    }
}
