//! Short requests to other hosts, which wait until they are sent together.
//!
//! An operation need not be on its way before its origin waits for it, or has something else to tell the same host. So
//! short ones wait in a batch, and the next request that cannot wait goes with them as the last one of the same packet:
//! a put and a flush are one packet there and one back. A batch that is full is sent, too. All requests of a window go
//! through here, so that they come in the order in which they were made.
//!
//! If the last request to a host is one to which something is replied, that reply says that all requests before it have
//! been handled. A flush then waits for it and sends nothing of its own. An operation that a rank is going to wait for
//! does not wait itself, where the target is near: it is on its way while the rank calls the flush (`pace`).
//!
//! In the packet each request is its two numbers, the handle of its replies, the length of its data in 4 bytes, and the
//! data, little-endian.
//!
//! Costs: an operation that waits is copied once more, which takes far less time than a packet. The memory of a batch
//! is used again.

use super::Window;
use super::epoch::Dirty;
use super::packet::{Kind, Label};
use crate::endpoint::Handle;
use crate::network::Service;
use simurgh_core::Mutex;
use simurgh_core::sync::{AtomicU32, Ordering};
use simurgh_net::HostId;

/// Requests with more data than this, or with such replies, do not wait.
pub(super) const SHORT: usize = 4096;

/// Bytes before the data of a request.
const HEADER: usize = 28;

/// Bytes of memory that a batch keeps for later ones.
const KEPT: usize = 4096;

/// The requests that wait.
pub(super) struct Batches {
    /// By host, ascending. It is locked while they are sent: nothing overtakes them.
    by_host: Mutex<Vec<(HostId, Vec<u8>)>>,
    /// The number of hosts for which some wait. Whoever relies on requests that a thread has made has synchronised with
    /// it, so it sees what that thread has written, or something later: all accesses are relaxed.
    hosts: AtomicU32,
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
        Self {
            by_host: Mutex::new(Vec::new()),
            hosts: AtomicU32::new(0),
        }
    }
}

impl Batches {
    /// Whether no request waits.
    #[inline]
    pub(super) fn are_empty(&self) -> bool {
        self.hosts.load(Ordering::Relaxed) == 0
    }

    /// Calls `f` with what waits for a host.
    fn with<R>(&self, host: HostId, f: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let mut all = self.by_host.lock();
        let place = all.binary_search_by_key(&host, |(known, _)| *known);
        let place = place.unwrap_or_else(|place| {
            all.insert(place, (host, Vec::new()));
            place
        });
        let waiting = &mut all[place].1;
        let waited = u32::from(!waiting.is_empty());
        let result = f(waiting);
        let waits = u32::from(!waiting.is_empty());
        let hosts = self.hosts.load(Ordering::Relaxed);
        self.hosts
            .store(hosts.wrapping_add(waits).wrapping_sub(waited), Ordering::Relaxed);
        result
    }
}

impl Window {
    /// Sends a request with `length` bytes of data, which `fill` writes, or has it wait.
    #[inline]
    pub(super) fn send_request(
        &self,
        host: HostId,
        label: Label,
        replies: Replies,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        let (handle, may_wait) = match replies {
            Replies::Nothing => (None, label.kind.may_wait()),
            Replies::NothingSoon => (None, false),
            Replies::Later(handle) => (Some(handle), true),
            Replies::Soon(handle) | Replies::Awaited(handle) => (Some(handle), false),
        };
        if !may_wait && self.batches.are_empty() {
            let network = self.network();
            return network.request(Service::Windows, host, label.numbers(), handle, length, fill);
        }
        self.send_with_batch((host, label), (handle, may_wait), length, fill);
    }

    /// Sends a request behind those that wait, or has it wait, too.
    #[inline(never)]
    fn send_with_batch(
        &self,
        (host, label): (HostId, Label),
        (handle, may_wait): (Option<Handle>, bool),
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) {
        let network = self.network();
        let capacity = network.request_capacity(host);
        let entry = HEADER + length;
        // What fills more than half a packet saves none if it waits.
        let may_wait = may_wait && length <= SHORT && 2 * entry <= capacity;
        self.batches.with(host, |waiting| {
            if waiting.len() + entry > capacity {
                self.send_batch(host, waiting);
            }
            if may_wait || !waiting.is_empty() {
                let replies = handle.unwrap_or(Handle::NONE);
                append(waiting, (label.numbers(), replies), length, fill);
            } else {
                network.request(Service::Windows, host, label.numbers(), handle, length, fill);
            }
            if !may_wait {
                self.send_batch(host, waiting);
            }
        });
    }

    /// Notes that an operation has been sent to a host, and what that replies. Where several threads send at a time,
    /// the reply to the one that is noted last may not be the last reply.
    #[inline]
    pub(super) fn note_sent(&self, host: HostId, replies: Replies) {
        let (replies, last) = match replies {
            Replies::Nothing | Replies::NothingSoon => (false, None),
            Replies::Later(handle) | Replies::Soon(handle) => (true, Some(handle)),
            Replies::Awaited(_) => (true, None),
        };
        let is_ordered = self.process.serialized().holds();
        self.epochs()
            .note_dirty(Dirty { host, replies, last }, is_ordered);
    }

    /// Sends what waits for a host.
    #[inline]
    pub(super) fn send_waiting(&self, host: HostId) {
        if !self.batches.are_empty() {
            self.batches.with(host, |waiting| self.send_batch(host, waiting));
        }
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
