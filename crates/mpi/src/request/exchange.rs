//! The request of a send and a receive that were started in one call.

use super::Request;
use crate::error::Status;
use simurgh_core::sync::SpinLock;

/// The halves that are still under way.
#[derive(Debug)]
pub(crate) struct Exchange(SpinLock<Halves>);

/// One half of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Send,
    Receive,
}

#[derive(Debug)]
struct Halves {
    left: u8,
    /// The status of the receive, once it has ended.
    outcome: Status,
}

impl Exchange {
    pub(super) fn new() -> Self {
        Self(SpinLock::new(Halves {
            left: 2,
            outcome: Status::EMPTY,
        }))
    }

    /// Notes the end of one half; the outcome of the whole if it was the last.
    fn ended(&self, half: Half, status: &Status) -> Option<Status> {
        let mut halves = self.0.lock();
        halves.left -= 1;
        if half == Half::Receive {
            halves.outcome = *status;
        }
        (halves.left == 0).then_some(halves.outcome)
    }
}

impl Request {
    /// Completes one half of an exchange, and the request with the second.
    pub(crate) fn finish_half(&self, half: Half, status: &Status) {
        let super::Kind::Exchange(exchange) = &self.kind else {
            unreachable!("only an exchange has halves")
        };
        if let Some(outcome) = exchange.ended(half, status) {
            self.status_cell.finish(&outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receive_tells_the_outcome_whichever_half_ends_last() {
        let received = Status {
            source: 3,
            bytes: 8,
            ..Status::EMPTY
        };
        let exchange = Exchange::new();
        assert_eq!(exchange.ended(Half::Receive, &received), None);
        assert_eq!(exchange.ended(Half::Send, &Status::EMPTY), Some(received));
        let exchange = Exchange::new();
        assert_eq!(exchange.ended(Half::Send, &Status::EMPTY), None);
        assert_eq!(exchange.ended(Half::Receive, &received), Some(received));
    }
}
