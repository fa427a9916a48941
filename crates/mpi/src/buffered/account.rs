//! What the messages in an attached buffer occupy, and who waits for them.

use crate::request::Request;
use crate::status::Status;
use simurgh_core::sync::{Arc, SpinLock};
use std::collections::{BTreeSet, VecDeque};

/// The messages in a buffer, numbered in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct Account(SpinLock<Books>);

#[derive(Debug, Default)]
struct Books {
    in_use: usize,
    next: u64,
    /// The messages that have not been received.
    outstanding: BTreeSet<u64>,
    /// Requests that are complete when all messages before this number have been received, in order.
    flushes: VecDeque<(u64, Arc<Request>)>,
}

/// The part of a buffer that a message occupies; dropping it frees the part.
#[derive(Debug)]
pub(crate) struct Charge {
    account: Arc<Account>,
    number: u64,
    amount: usize,
}

impl Account {
    /// Occupies `amount` bytes of `size`; the error is the number of bytes in use.
    pub(super) fn charge(this: &Arc<Self>, amount: usize, size: usize) -> Result<Charge, usize> {
        let mut books = this.0.lock();
        if amount > size.saturating_sub(books.in_use) {
            return Err(books.in_use);
        }
        // An automatic buffer has no end, but numbers have.
        books.in_use = books.in_use.saturating_add(amount);
        let number = books.next;
        books.next += 1;
        books.outstanding.insert(number);
        Ok(Charge {
            account: Arc::clone(this),
            number,
            amount,
        })
    }

    /// A request that is complete once all messages that are in the buffer now have been received.
    pub(super) fn drained(&self) -> Arc<Request> {
        let mut books = self.0.lock();
        if books.outstanding.is_empty() {
            return Request::ended(&Status::EMPTY);
        }
        let request = Request::task();
        let before = books.next;
        books.flushes.push_back((before, Arc::clone(&request)));
        request
    }
}

impl Books {
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

impl Drop for Charge {
    fn drop(&mut self) {
        let mut books = self.account.0.lock();
        books.in_use = books.in_use.saturating_sub(self.amount);
        books.outstanding.remove(&self.number);
        while let Some(request) = books.pop_drained() {
            request.finish(&Status::EMPTY);
        }
    }
}
