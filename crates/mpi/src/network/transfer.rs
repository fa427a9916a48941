//! Messages that are read from their sender's memory, or written to their receiver's.
//!
//! A transfer is over at once, or its transport tells of its end by the handle of what waits for it. Memory that cannot
//! be accessed after all is no failure: then the data comes in pieces.

use super::Remote;
use super::drain::DRAIN;
use super::exposed;
use super::fetch::Incoming;
use super::send::Outgoing;
use super::stream::Stream;
use super::tasks::{Task, Turn};
use super::wire::Packet;
use crate::endpoint::Handle;
use crate::host::Host;
use crate::memory::Target;
use crate::status::Status;
use simurgh_core::sync::Ordering;
use simurgh_net::HostId;
use simurgh_net::transport::{Region, Transfer, TransferError, Transport};

/// Data that is not worth the access to remote memory has fewer bytes.
const LEAST: u64 = 2048;

/// Set in the token of a write; handles have it never set.
const WRITE: u64 = 1 << 63;

/// A message that is to be read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) from: HostId,
    pub(super) receiver: Handle,
    pub(super) region: Region,
    pub(super) target: Target,
    pub(super) limit: u64,
}

/// A message that is to be written.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) to: HostId,
    pub(super) receiver: Handle,
    pub(super) region: Region,
    pub(super) outgoing: Outgoing,
    pub(super) limit: u64,
}

impl Remote {
    fn way(&self, host: HostId) -> &dyn Transport {
        self.fabric().transport(host).expect("messages go to other hosts")
    }

    /// Lets a host read the goods, if it can and that is worth while.
    pub(super) fn let_read(&self, host: HostId, outgoing: &Outgoing) -> Option<Region> {
        let way = self.way(host);
        let worth = outgoing.goods.bytes() >= LEAST && way.access(host).read;
        let source = outgoing.goods.lent().filter(|_| worth)?;
        exposed::expose_source(way, source)
    }

    /// Lets a host write to a target, if it can and that is worth while.
    pub(super) fn let_write(&self, host: HostId, target: &Target, limit: u64) -> Option<Region> {
        let way = self.way(host);
        let worth = limit >= LEAST && way.access(host).write;
        worth.then(|| exposed::expose_target(way, target)).flatten()
    }

    /// Ends a host's access to memory.
    pub(super) fn conceal(&self, host: HostId, region: Option<Region>) {
        if let Some(region) = region {
            self.way(host).conceal(region);
        }
    }

    /// Reads a message.
    pub(super) fn read(&self, local: &Host, reading: Reading) -> Turn {
        let Reading {
            from,
            receiver,
            region,
            ref target,
            limit,
            ..
        } = reading;
        self.transfers.fetch_add(1, Ordering::SeqCst);
        let outcome = exposed::read(self.way(from), from, region, target, limit as usize, receiver.0);
        if outcome == Ok(Transfer::Started) {
            return Turn::Over;
        }
        self.transfers.fetch_sub(1, Ordering::SeqCst);
        match outcome {
            Ok(_) => self.has_read(local, receiver),
            Err(TransferError::Busy(_)) => return Turn::Stuck(Task::Read(reading)),
            Err(TransferError::Refused(_)) => self.cannot_read(receiver),
        }
        Turn::Over
    }

    /// A message has been read.
    fn has_read(&self, local: &Host, receiver: Handle) {
        let Some((from, mut incoming)) = self.incoming.take_own(receiver) else {
            return;
        };
        incoming.has_come();
        let sender = incoming.sender();
        self.finish(local, from, incoming);
        self.tell(from, &Packet::Read { sender });
    }

    /// A message cannot be read: it shall come in pieces.
    fn cannot_read(&self, receiver: Handle) {
        let wanted = self.incoming.visit_own(receiver, |from, incoming| {
            (from, incoming.sender(), incoming.limit())
        });
        if let Some((from, sender, limit)) = wanted {
            self.ask(from, sender, receiver, limit, None);
        }
    }

    /// Writes a message.
    pub(super) fn write(&self, local: &Host, writing: Writing) -> Turn {
        let Writing {
            to, region, limit, ..
        } = writing;
        let Some(source) = writing.outgoing.goods.lent().cloned() else {
            return Turn::More(Task::Stream(writing.into_stream()));
        };
        let handle = self.writing.add(writing.receiver.0 as usize, to, writing);
        self.transfers.fetch_add(1, Ordering::SeqCst);
        let token = handle.0 | WRITE;
        let outcome = exposed::write(self.way(to), to, region, &source, limit as usize, token);
        if outcome == Ok(Transfer::Started) {
            return Turn::Over;
        }
        self.transfers.fetch_sub(1, Ordering::SeqCst);
        if outcome.is_ok() {
            self.has_written(local, handle);
            return Turn::Over;
        }
        match (outcome, self.writing.take(handle, to)) {
            (Err(TransferError::Busy(_)), Some(writing)) => Turn::Stuck(Task::Write(writing)),
            (_, Some(writing)) => Turn::More(Task::Stream(writing.into_stream())),
            (_, None) => Turn::Over,
        }
    }

    /// A message has been written.
    fn has_written(&self, local: &Host, handle: Handle) {
        let Some((to, writing)) = self.writing.take_own(handle) else {
            return;
        };
        let receiver = writing.receiver;
        self.tell(to, &Packet::Written { receiver });
        if let Some(waiter) = writing.outgoing.waiter {
            waiter.finish(local, &Status::EMPTY);
        }
    }

    /// The transfer or draining with this token is over.
    pub(super) fn transferred(&self, local: &Host, token: u64, outcome: &Result<(), TransferError>) {
        let handle = Handle(token & !(WRITE | DRAIN));
        match (token & WRITE == 0, outcome) {
            _ if token & DRAIN != 0 => self.has_drained(local, handle),
            (true, Ok(())) => self.has_read(local, handle),
            (true, Err(_)) => self.cannot_read(handle),
            (false, Ok(())) => self.has_written(local, handle),
            (false, Err(_)) => {
                if let Some((_, writing)) = self.writing.take_own(handle) {
                    self.tasks.add(Task::Stream(writing.into_stream()));
                }
            }
        }
        // Last: what follows from the transfer is under way by now.
        self.transfers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Completes a message that has come.
    pub(super) fn finish(&self, local: &Host, from: HostId, incoming: Incoming) {
        self.conceal(from, incoming.region());
        self.expected.fetch_sub(incoming.limit(), Ordering::Relaxed);
        let status = incoming.status();
        incoming.into_waiter().finish(local, &status);
    }
}

impl Writing {
    /// The same message, in pieces.
    fn into_stream(self) -> Stream {
        Stream {
            to: self.to,
            receiver: self.receiver,
            goods: self.outgoing.goods,
            waiter: self.outgoing.waiter,
            offset: 0,
            limit: self.limit,
        }
    }
}
