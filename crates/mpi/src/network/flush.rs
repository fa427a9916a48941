//! Flushing: waiting until what has been sent has left this process.
//!
//! Transports may hold data that they have accepted, and pass it on when they are called again. As long as ranks wait,
//! some thread calls them; but a rank that is alone in its process and computes calls no transport. A host that parts
//! from others for good flushes first, so that they do not wait for its next call.
//!
//! Costs: for each host to which something has been sent, what its transport takes; over libfabric a packet, and its
//! completion.

use super::Network;
use super::progress::{Step, Task};
use crate::endpoint::Handle;
use crate::error::Status;
use crate::host::Host;
use crate::request::{Request, Waiter};
use simurgh_core::sync::Arc;
use simurgh_net::HostId;
use simurgh_net::transport::Transfer;

/// Set in the token of a flush; no handle has it set.
pub(super) const FLUSH: u64 = 1 << 62;

/// The flush of what has been sent to one host.
#[derive(Debug)]
pub(super) struct Flush {
    host: HostId,
    request: Arc<Request>,
}

impl Network {
    /// Waits until all that has been sent to these hosts has left this one.
    pub(crate) fn flush(&self, local: &Host, hosts: impl Iterator<Item = HostId>) {
        let begin = |host| {
            let request = self.host_requests.take_send();
            let flush = Flush {
                host,
                request: Arc::clone(&request),
            };
            self.start_task(local, Task::Flush(flush));
            request
        };
        let requests: Vec<_> = hosts.map(begin).collect();
        for request in requests {
            let _ = request.wait();
            self.host_requests.give_back(request);
        }
    }

    /// Begins, or tries again, the flush of one host.
    pub(super) fn flush_host(&self, local: &Host, flush: Flush) -> Step {
        let host = flush.host;
        let handle = self.flushes.add(host as usize, host, flush);
        match self.begin_transfer(|| self.fabric.route(host).drain(handle.0 | FLUSH)) {
            Ok(Transfer::Started) => Step::Done,
            Ok(Transfer::Done) => {
                self.flush_done(local, handle);
                Step::Done
            }
            Err(_) => {
                let flush = self.flushes.take(handle, host);
                flush.map_or(Step::Done, |flush| Step::Blocked(Task::Flush(flush)))
            }
        }
    }

    /// All that was sent to a host has left this one.
    pub(super) fn flush_done(&self, local: &Host, handle: Handle) {
        if let Some((_, flush)) = self.flushes.take_own(handle) {
            Waiter::Request(flush.request).finish(local, &Status::EMPTY);
        }
    }
}
