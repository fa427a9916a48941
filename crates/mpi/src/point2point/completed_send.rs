//! Sends that were complete before their receives: what is left of them is enough to cancel the message.

use crate::endpoint::RingMessage;
use crate::matching::{NUMBER_BITS, Place};
use crate::process::Process;

/// A send whose message is queued at its receiver: the process, and the number of the message there.
///
/// It fits in a handle, so that such a send needs no request. Only the low bits of the number are kept: they could be
/// mistaken for those of another message only if 2^30 messages have gone to the process while this send was not waited
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedSend {
    process: u32,
    number: u32,
}

impl CompletedSend {
    /// The bits of the number. The highest one is set for a message that has gone through the receiver's ring.
    pub const NUMBER_BITS: u32 = NUMBER_BITS + 1;

    /// The send whose message is at this place.
    #[inline]
    pub(crate) fn new(process: u32, place: Place) -> Self {
        let number = match RingMessage::at(place) {
            Some(message) => message.number(),
            None => place.sequence as u32 & ((1 << NUMBER_BITS) - 1),
        };
        Self::from_parts(process, number)
    }

    /// The send with these parts, as [`CompletedSend::parts`] gives them.
    #[inline]
    #[must_use]
    pub fn from_parts(process: u32, number: u32) -> Self {
        let number = number & ((1 << Self::NUMBER_BITS) - 1);
        Self { process, number }
    }

    /// The receiver, and the low bits of the message's number.
    #[inline]
    #[must_use]
    pub fn parts(self) -> (u32, u32) {
        (self.process, self.number)
    }

    /// Cancels the message, in the name of `process`; `false` if it has been received.
    #[must_use]
    pub fn withdraw(self, process: &Process) -> bool {
        let job = process.job();
        let exists = job.layout().find_host(self.process).is_some();
        if exists && !job.layout().is_here(self.process) {
            return job
                .connected()
                .cancel_eager(job.host(), process.id(), self.process, self.number);
        }
        job.layout().is_here(self.process)
            && job
                .endpoint(self.process)
                .table()
                .withdraw_numbered(self.number, NUMBER_BITS)
    }
}
