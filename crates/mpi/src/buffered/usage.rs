//! The usage of an attached buffer: its messages, and the requests that wait for them.

use crate::error::Status;
use crate::request::Request;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::{BTreeSet, VecDeque};

/// The usage of a buffer by its messages, which are numbered in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct Usage(SpinLock<Messages>);

#[derive(Debug, Default)]
struct Messages {
    in_use: usize,
    next: u64,
    /// The messages that have not been received.
    outstanding: BTreeSet<u64>,
    /// Requests that are complete when all messages before this number have been received, in order.
    flushes: VecDeque<(u64, Arc<Request>)>,
}

/// The part of a buffer that a message occupies; dropping it frees the part.
#[derive(Debug)]
pub(crate) struct Reservation {
    usage: Arc<Usage>,
    number: u64,
    amount: usize,
}

impl Usage {
    /// Occupies `amount` bytes of `size`; the error is the number of bytes in use.
    pub(super) fn reserve(this: &Arc<Self>, amount: usize, size: usize) -> Result<Reservation, usize> {
        let mut messages = this.0.lock();
        if amount > size.saturating_sub(messages.in_use) {
            return Err(messages.in_use);
        }
        // An automatic buffer has no end, but numbers have.
        messages.in_use = messages.in_use.saturating_add(amount);
        let number = messages.next;
        messages.next += 1;
        messages.outstanding.insert(number);
        Ok(Reservation {
            usage: Arc::clone(this),
            number,
            amount,
        })
    }

    /// A request that is complete once all messages that are in the buffer now have been received.
    pub(super) fn drained(&self) -> Arc<Request> {
        let mut messages = self.0.lock();
        if messages.outstanding.is_empty() {
            return Request::ended(&Status::EMPTY);
        }
        let request = Request::task();
        let before = messages.next;
        messages.flushes.push_back((before, Arc::clone(&request)));
        request
    }
}

impl Messages {
    /// The next flush that has nothing left to wait for.
    fn pop_drained(&mut self) -> Option<Arc<Request>> {
        let &(before, _) = self.flushes.front()?;
        let waits = self.outstanding.first().is_some_and(|&oldest| oldest < before);
        if waits {
            None
        } else {
            self.flushes.pop_front().map(|(_, request)| request)
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut messages = self.usage.0.lock();
        messages.in_use = messages.in_use.saturating_sub(self.amount);
        messages.outstanding.remove(&self.number);
        while let Some(request) = messages.pop_drained() {
            request.finish(&Status::EMPTY);
        }
    }
}
