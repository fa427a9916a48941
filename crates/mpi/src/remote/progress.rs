//! The network, as the scheduler drives it.

use super::Remote;
use simurgh_core::Network;
use simurgh_core::sync::{AtomicU32, Ordering};
use std::time::Duration;

/// How long nobody looks whether there is room for what waits to be sent on: nothing rings then.
const NAP: Duration = Duration::from_micros(50);

impl Network for Remote {
    fn has_mail(&self) -> bool {
        self.fabric().has_mail() || self.tasks.are_there()
    }

    fn poll(&self) -> bool {
        self.work()
    }

    fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        let waits = self.tasks.are_there();
        let limit = if waits {
            Some(limit.map_or(NAP, |limit| limit.min(NAP)))
        } else {
            limit
        };
        self.fabric().sleep(word, expected, limit);
    }

    fn wake(&self) {
        self.fabric().wake();
    }

    fn is_quiet(&self) -> bool {
        // What has arrived and has not been looked at counts as sent, not as received.
        !self.fabric().is_backed_up() && !self.tasks.are_there() && self.transfers.load(Ordering::SeqCst) == 0
    }
}
