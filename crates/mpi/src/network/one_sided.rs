//! Transfers of one-sided communication: a layer above reads or writes memory that another host has exposed, without
//! that host's ranks.
//!
//! The other host exposes memory for the transport that leads here, and sends the description. A transfer is over at
//! once, or its transport reports its end. If the transport has no room, the transfer is a task of the progress engine.

use super::Network;
use super::exposed;
use super::progress::{Step, Task};
use crate::endpoint::Handle;
use crate::error::{ErrorClass, Status};
use crate::host::Host;
use crate::memory::{self, Dense, Source, Target};
use crate::request::Waiter;
use simurgh_net::HostId;
use simurgh_net::transport::{Access, Region, Transfer, TransferError, Transport};
use std::ops::Range;

/// Set in the token of such a transfer; no handle has it set.
pub(super) const ONE_SIDED: u64 = 1 << 61;

/// A transfer of one-sided communication.
#[derive(Debug)]
pub(crate) struct OneSidedTransfer {
    pub(crate) host: HostId,
    /// The memory of that host.
    pub(crate) region: Region,
    /// Where the bytes begin there.
    pub(crate) offset: u64,
    /// Number of bytes.
    pub(crate) length: usize,
    pub(crate) data: Data,
    /// What is complete when the transfer is over.
    pub(crate) waiters: [Option<Waiter>; 2],
}

/// The memory of this host.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Put(Source),
    Get(Target),
}

impl Data {
    /// Whether it lies in one piece, as that of a transfer has to.
    pub(crate) fn is_contiguous(&self) -> bool {
        match self {
            Self::Put(source) => source.is_contiguous(),
            Self::Get(target) => target.is_contiguous(),
        }
    }

    /// Whether it is put there, not got from there.
    pub(crate) fn is_put(&self) -> bool {
        matches!(self, Self::Put(_))
    }

    /// Whether a transfer of it is possible with a host to whose memory there is this access.
    fn is_possible(&self, access: Access) -> bool {
        match self {
            Self::Put(_) => access.write,
            Self::Get(_) => access.read,
        }
    }
}

/// The outcome of the attempt to begin a transfer.
enum Attempt {
    /// It is under way, or over.
    Begun,
    /// The transport has no room now.
    Busy(OneSidedTransfer),
    Refused(OneSidedTransfer),
}

impl OneSidedTransfer {
    /// A transfer of so many bytes to or from an offset of a region, which nobody waits for.
    #[inline]
    pub(crate) fn new(host: HostId, (region, offset): (Region, u64), (data, length): (Data, usize)) -> Self {
        Self {
            host,
            region,
            offset,
            length,
            data,
            waiters: [None, None],
        }
    }
}

impl Network {
    /// Lets a host read and write memory; none if it has no such access.
    pub(crate) fn expose_to(&self, host: HostId, memory: &memory::Region) -> Option<Region> {
        let access = self.access(host);
        let is_open = access.read || access.write;
        is_open
            .then(|| exposed::expose_memory(self.way(host), memory))
            .flatten()
    }

    /// Whether the same transport leads to two hosts, so that what is exposed to one is to the other.
    pub(crate) fn lead_alike(&self, one: HostId, other: HostId) -> bool {
        std::ptr::addr_eq(self.way(one), self.way(other))
    }

    /// Whether transfers to and from a host are over when they return.
    pub(crate) fn is_synchronous(&self, host: HostId) -> bool {
        self.way(host).is_synchronous()
    }

    /// Carries out a transfer of so many bytes with a host to which transfers are synchronous, from an offset of its
    /// memory on. False if it is not possible.
    pub(crate) fn transfer_now(
        &self,
        host: HostId,
        place: (Region, u64),
        (data, length): (&Data, usize),
    ) -> bool {
        let way = self.way(host);
        if !data.is_possible(self.access_by(way, host)) {
            return false;
        }
        let outcome = copy((way, host), place, (data, length), ONE_SIDED);
        debug_assert_ne!(
            outcome,
            Ok(Transfer::Started),
            "transfers to this host are synchronous"
        );
        outcome.is_ok()
    }

    /// Writes some of the bytes of data that lies in one piece to as many of a region, which begin so far behind an
    /// offset, of a host to which transfers are synchronous. False if it has not been done.
    pub(crate) fn put_part_now(
        &self,
        host: HostId,
        (region, offset): (Region, u64),
        (source, part): (&Source, Range<usize>),
    ) -> bool {
        let place = (region, offset + part.start as u64);
        self.access(host).write
            && exposed::write(self.way(host), host, place, source, part, ONE_SIDED).is_ok()
    }

    /// Writes elements without gaps to the memory of a host, to which transfers are synchronous and possible. False if
    /// it has not been done.
    #[inline]
    pub(crate) fn put_now(&self, host: HostId, place: (Region, u64), source: Dense<*const u8>) -> bool {
        exposed::write_dense(self.way(host), host, place, source).is_ok()
    }

    /// Reads elements without gaps, as [`Network::put_now`].
    #[inline]
    pub(crate) fn get_now(&self, host: HostId, place: (Region, u64), target: Dense<*mut u8>) -> bool {
        exposed::read_dense(self.way(host), host, place, target).is_ok()
    }

    /// Whether transfers to and from a host are synchronous and possible.
    pub(crate) fn transfers_now(&self, host: HostId) -> bool {
        let access = self.access(host);
        self.is_synchronous(host) && access.read && access.write
    }

    /// Whether a host seems to answer a request sooner than a transfer of so many bytes takes.
    #[inline]
    pub(crate) fn answers_sooner(&self, host: HostId, bytes: usize) -> bool {
        self.way(host).answers_sooner(host, bytes)
    }

    /// Whether the access to so many bytes of a host's memory takes longer than a packet with them.
    #[inline]
    pub(crate) fn is_slow_to_access(&self, host: HostId, bytes: usize) -> bool {
        self.way(host).is_slow_to_access(host, bytes)
    }

    /// Begins a transfer. False if it is not possible; then nothing is completed.
    pub(crate) fn transfer(&self, local: &Host, transfer: OneSidedTransfer) -> bool {
        let way = self.way(transfer.host);
        let is_possible = transfer.data.is_possible(self.access_by(way, transfer.host));
        match is_possible.then(|| self.attempt((local, way), transfer)) {
            Some(Attempt::Begun) => true,
            Some(Attempt::Busy(transfer)) => {
                self.tasks.add(Task::OneSided(transfer));
                true
            }
            Some(Attempt::Refused(_)) | None => false,
        }
    }

    /// Tries again to begin a transfer.
    pub(super) fn retry_transfer(&self, local: &Host, transfer: OneSidedTransfer) -> Step {
        let way = self.way(transfer.host);
        match self.attempt((local, way), transfer) {
            Attempt::Begun => Step::Done,
            Attempt::Busy(transfer) => Step::Blocked(Task::OneSided(transfer)),
            Attempt::Refused(transfer) => {
                transfer.finish(local, false);
                Step::Done
            }
        }
    }

    fn attempt(&self, (local, way): (&Host, &dyn Transport), transfer: OneSidedTransfer) -> Attempt {
        let OneSidedTransfer {
            host,
            region,
            offset,
            length,
            ref data,
            ..
        } = transfer;
        let data = data.clone();
        let handle = self.one_sided.add(host as usize, host, transfer);
        let place = (region, offset);
        let token = handle.0 | ONE_SIDED;
        let outcome = self.begin_transfer(|| copy((way, host), place, (&data, length), token));
        if outcome == Ok(Transfer::Started) {
            return Attempt::Begun;
        }
        match (outcome, self.one_sided.take(handle, host)) {
            (Err(TransferError::Busy(_)), Some(transfer)) => Attempt::Busy(transfer),
            (Err(TransferError::Refused(_)), Some(transfer)) => Attempt::Refused(transfer),
            (Ok(_), Some(transfer)) => {
                transfer.finish(local, true);
                Attempt::Begun
            }
            (_, None) => Attempt::Begun,
        }
    }

    /// The transfer with this handle is over.
    pub(super) fn one_sided_done(&self, local: &Host, handle: Handle, succeeded: bool) {
        if let Some((_, transfer)) = self.one_sided.take_own(handle) {
            transfer.finish(local, succeeded);
        }
    }
}

/// Has the transport to a host copy data to or from that host's memory.
fn copy(
    (way, host): (&dyn Transport, HostId),
    place: (Region, u64),
    (data, length): (&Data, usize),
    token: u64,
) -> Result<Transfer, TransferError> {
    match data {
        Data::Put(source) => exposed::write(way, host, place, source, 0..length, token),
        Data::Get(target) => exposed::read(way, host, place, target, 0..length, token),
    }
}

impl OneSidedTransfer {
    fn finish(self, local: &Host, succeeded: bool) {
        let mut status = Status {
            bytes: self.length as u64,
            ..Status::EMPTY
        };
        if !succeeded {
            status.error = ErrorClass::Other.into();
        }
        for waiter in self.waiters.into_iter().flatten() {
            waiter.finish(local, &status);
        }
    }
}
