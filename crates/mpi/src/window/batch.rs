//! Short requests to other hosts, which wait until they are sent together.
//!
//! An operation need not be on its way before its origin waits for it, or has something else to tell the same host. So
//! short ones wait in a batch, and the next request that cannot wait goes with them as the last one of the same packet:
//! a put and a flush are one packet there and one back. A batch that is full is sent, too. All requests of a window go
//! through here, so that they come in the order in which they were made.
//!
//! If the last request to a host is one to which something is replied, that reply says that all requests before it have
//! been handled. A flush then waits for it and sends nothing of its own. An update that a rank is going to wait for
//! does not wait itself, where the target is near: it is on its way while the rank calls the flush (`pace`).
//!
//! In the packet each request is its two numbers, the handle of its replies, the length of its data in 4 bytes, and the
//! data, little-endian.
//!
//! Costs: an operation that waits is copied once more, which takes far less time than a packet. The memory of a batch
//! is used again.

use super::Window;
use super::packet::{Kind, Label};
use crate::endpoint::Handle;
use crate::error::Status;
use crate::network::Service;
use crate::request::{Request, Waiter};
use simurgh_core::Mutex;
use simurgh_core::sync::Arc;
use simurgh_net::HostId;

/// Requests with more data than this, or with such replies, do not wait.
pub(super) const SHORT: usize = 4096;

/// Bytes before the data of a request.
const HEADER: usize = 28;

/// Bytes of memory that a batch keeps for later ones.
const KEPT: usize = 4096;

/// The requests that wait, by host, ascending. It is locked while they are sent: nothing overtakes them.
pub(super) struct Batches(Mutex<Vec<(HostId, Batch)>>);

#[derive(Default)]
struct Batch {
    waiting: Vec<u8>,
    /// What is replied to the last request to the host, if nobody waits for it yet.
    last: Option<Handle>,
}

/// What is replied to a request.
#[derive(Clone, Copy)]
pub(super) enum Replies {
    Nothing,
    /// Likewise, but the request does not wait: its target had better handle it soon.
    NothingSoon,
    /// The origin waits for it no sooner than it sends another request to the same host.
    Later(Handle),
    /// The origin is going to wait for it, or for another reply of the host, soon.
    Soon(Handle),
    /// The origin waits for it.
    Awaited(Handle),
}

/// A request of a batch that has come.
pub(super) struct Entry<'a> {
    pub(super) numbers: [u64; 2],
    pub(super) replies: Handle,
    pub(super) data: &'a [u8],
}

impl Default for Batches {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

/// The batch for a host.
fn batch_for(all: &mut Vec<(HostId, Batch)>, host: HostId) -> &mut Batch {
    let place = all.binary_search_by_key(&host, |(known, _)| *known);
    let place = place.unwrap_or_else(|place| {
        all.insert(place, (host, Batch::default()));
        place
    });
    &mut all[place].1
}

impl Window {
    /// Sends a request with `length` bytes of data, which `fill` writes, or has it wait.
    pub(super) fn send_request(
        &self,
        host: HostId,
        label: Label,
        replies: Replies,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        let (handle, last, may_wait) = match replies {
            Replies::Nothing => (None, None, label.kind.may_wait()),
            Replies::NothingSoon => (None, None, false),
            Replies::Later(handle) => (Some(handle), Some(handle), true),
            Replies::Soon(handle) => (Some(handle), Some(handle), false),
            Replies::Awaited(handle) => (Some(handle), None, false),
        };
        let network = self.network();
        let capacity = network.request_capacity(host);
        let entry = HEADER + length;
        let mut all = self.batches.0.lock();
        let batch = batch_for(&mut all, host);
        if batch.waiting.len() + entry > capacity {
            self.send_batch(host, &mut batch.waiting);
        }
        batch.last = last;
        // What fills more than half a packet saves none if it waits.
        let may_wait = may_wait && length <= SHORT && 2 * entry <= capacity;
        if may_wait || !batch.waiting.is_empty() {
            let replies = handle.unwrap_or(Handle::NONE);
            append(&mut batch.waiting, (label.numbers(), replies), length, fill);
        } else {
            network.request(Service::Windows, host, label.numbers(), handle, length, fill);
        }
        if !may_wait {
            self.send_batch(host, &mut batch.waiting);
        }
    }

    /// Sends what waits for a host.
    pub(super) fn send_waiting(&self, host: HostId) {
        let mut all = self.batches.0.lock();
        self.send_batch(host, &mut batch_for(&mut all, host).waiting);
    }

    fn send_batch(&self, host: HostId, waiting: &mut Vec<u8>) {
        if waiting.is_empty() {
            return;
        }
        let numbers = self.label(Kind::Batch, 0, 0).numbers();
        let fill = &mut |room: &mut [u8]| room.copy_from_slice(waiting);
        self.network()
            .request(Service::Windows, host, numbers, None, waiting.len(), fill);
        waiting.clear();
        waiting.shrink_to(KEPT);
    }

    /// Waits for the reply that says that a host has handled all requests, for as long as nobody else could use the
    /// processor; these requests are sent. False if it has not come, or no reply says so.
    pub(super) fn await_last_reply(&self, host: HostId) -> bool {
        let last = {
            let mut all = self.batches.0.lock();
            let batch = batch_for(&mut all, host);
            self.send_batch(host, &mut batch.waiting);
            batch.last
        };
        last.is_some_and(|last| self.network().await_replies(last, host))
    }

    /// What is complete when a host has handled all requests, if the reply to the last one says so; these requests are
    /// sent. None if the host has to be asked.
    pub(super) fn last_reply(&self, host: HostId) -> Option<Arc<Request>> {
        let mut all = self.batches.0.lock();
        let batch = batch_for(&mut all, host);
        let last = batch.last.take()?;
        let request = self.process().requests().take_receive();
        let waiter = Waiter::Request(Arc::clone(&request));
        if !self.network().complete_with(last, host, waiter) {
            request.settle(&Status::EMPTY);
        }
        self.send_batch(host, &mut batch.waiting);
        Some(request)
    }
}

fn append(
    batch: &mut Vec<u8>,
    ([first, second], replies): ([u64; 2], Handle),
    length: usize,
    fill: &mut dyn FnMut(&mut [u8]),
) {
    for number in [first, second, replies.0] {
        batch.extend(number.to_le_bytes());
    }
    batch.extend((length as u32).to_le_bytes());
    let start = batch.len();
    batch.resize(start + length, 0);
    fill(&mut batch[start..]);
}

/// The requests of a batch, as far as they make sense.
pub(super) fn entries(batch: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let mut rest = batch;
    std::iter::from_fn(move || {
        let (first, others) = rest.split_first_chunk()?;
        let (second, others) = others.split_first_chunk()?;
        let (replies, others) = others.split_first_chunk()?;
        let (length, others) = others.split_first_chunk()?;
        let (data, others) = others.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        rest = others;
        Some(Entry {
            numbers: [u64::from_le_bytes(*first), u64::from_le_bytes(*second)],
            replies: Handle(u64::from_le_bytes(*replies)),
            data,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_were_added() {
        let mut batch = Vec::new();
        let all: [([u64; 2], &[u8]); 3] = [([1, u64::MAX], b"one"), ([2, 3], b""), ([4, 5], b"three")];
        let replies = [Handle(7), Handle::NONE, Handle(u64::MAX - 1)];
        for ((numbers, data), replies) in all.into_iter().zip(replies) {
            append(&mut batch, (numbers, replies), data.len(), &mut |room| {
                room.copy_from_slice(data);
            });
        }
        let read: Vec<_> = entries(&batch).map(|entry| (entry.numbers, entry.data)).collect();
        assert_eq!(read, all);
        assert!(entries(&batch).map(|entry| entry.replies).eq(replies));
        // What is cut off anywhere is not read.
        for length in 0..batch.len() {
            let read = entries(&batch[..length]).map(|entry| (entry.numbers, entry.data));
            assert!(
                read.eq(all
                    .into_iter()
                    .take(usize::from(length >= 31) + usize::from(length >= 59)))
            );
        }
    }
}
