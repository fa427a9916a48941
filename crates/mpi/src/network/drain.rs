//! Waiting until what has been sent has left this process.
//!
//! Transports may hold what they have taken, and pass it on when they are called again. As long as ranks wait, somebody
//! calls them; a rank alone in its process that computes calls nothing. Who parts from others for good sees to it that
//! they do not wait for its calls.
//!
//! Costs: for each host to which something has been sent, what its transport takes; over libfabric a packet, and
//! its completion.

use super::Remote;
use super::tasks::{Task, Turn};
use crate::endpoint::Handle;
use crate::host::Host;
use crate::request::{Request, Waiter};
use crate::status::Status;
use simurgh_core::sync::{Arc, Ordering};
use simurgh_net::HostId;
use simurgh_net::transport::Transfer;

/// Set in the token of a draining; handles have it never set.
pub(super) const DRAIN: u64 = 1 << 62;

/// What has been sent to a host is to leave this one.
#[derive(Debug)]
pub(super) struct Draining {
    host: HostId,
    request: Arc<Request>,
}

impl Remote {
    /// Waits until all that has been sent to these hosts has left this one.
    pub(crate) fn drain(&self, local: &Host, hosts: impl Iterator<Item = HostId>) {
        let begin = |host| {
            let request = self.line_requests.take_send();
            let draining = Draining {
                host,
                request: Arc::clone(&request),
            };
            self.begin(local, Task::Drain(draining));
            request
        };
        let requests: Vec<_> = hosts.map(begin).collect();
        for request in requests {
            let _ = request.wait();
            self.line_requests.give_back(request);
        }
    }

    /// Goes on with one host.
    pub(super) fn drain_one(&self, local: &Host, draining: Draining) -> Turn {
        let host = draining.host;
        let handle = self.draining.add(host as usize, host, draining);
        self.transfers.fetch_add(1, Ordering::SeqCst);
        let outcome = self.fabric.route(host).drain(handle.0 | DRAIN);
        if outcome == Ok(Transfer::Started) {
            return Turn::Over;
        }
        self.transfers.fetch_sub(1, Ordering::SeqCst);
        if outcome.is_ok() {
            self.has_drained(local, handle);
            return Turn::Over;
        }
        let draining = self.draining.take(handle, host);
        draining.map_or(Turn::Over, |draining| Turn::Stuck(Task::Drain(draining)))
    }

    /// All that was sent to a host has left this one.
    pub(super) fn has_drained(&self, local: &Host, handle: Handle) {
        if let Some((_, draining)) = self.draining.take_own(handle) {
            Waiter::Request(draining.request).finish(local, &Status::EMPTY);
        }
    }
}
