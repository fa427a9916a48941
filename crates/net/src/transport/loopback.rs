//! A transport between hosts within one process, on which tests of protocols run.

use std::collections::{BTreeMap, VecDeque};

use simurgh_core::sync::{Arc, AtomicU32, AtomicU64, AtomicUsize, Ordering, SpinLock, futex_wake_shared};

use super::{
    Access, Busy, Handler, Header, Region, Transfer, TransferError, Transport, WaitMethod, WaitObject,
};
use crate::HostId;

/// Most data of a packet, in bytes.
const CAPACITY: usize = 4096;
/// Packets that wait for a host before its senders get [`Busy`].
const ROOM: usize = 256;
/// Packets handled in one poll.
const BATCH: usize = 32;
/// Counters of chunks that a host has open at a time.
const COUNTERS: usize = 2;

/// One of several hosts in one process.
pub struct Loopback {
    own: HostId,
    access: Access,
    cooperation: Option<Cooperation>,
    inboxes: Arc<BTreeMap<HostId, Inbox>>,
}

/// How two hosts copy long messages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cooperation {
    /// Both do.
    Works,
    /// Writes to another's memory fail, although they are allowed.
    WritesFail,
}

#[derive(Default)]
struct Inbox {
    packets: SpinLock<VecDeque<Packet>>,
    waiting: AtomicUsize,
    bell: AtomicU32,
    /// The counters of chunks that are open, and the next chunk of each.
    counters: SpinLock<BTreeMap<u64, u32>>,
    opened: AtomicU64,
}

struct Packet {
    from: HostId,
    header: Header,
    data: Box<[u8]>,
}

impl Loopback {
    /// `count` hosts, numbered from 0, which can access each other's memory as `access` says.
    #[must_use]
    pub fn hosts(count: u32, access: Access) -> Vec<Self> {
        Self::numbered(0..count, access)
    }

    /// `count` hosts, numbered from 0, which copy long messages together.
    #[must_use]
    pub fn cooperating(count: u32, cooperation: Cooperation) -> Vec<Self> {
        let access = Access {
            read: true,
            write: true,
        };
        let mut hosts = Self::hosts(count, access);
        for host in &mut hosts {
            host.cooperation = Some(cooperation);
        }
        hosts
    }

    /// Hosts with these numbers, in ascending order.
    #[must_use]
    pub fn numbered(numbers: impl IntoIterator<Item = HostId>, access: Access) -> Vec<Self> {
        let inboxes: BTreeMap<_, _> = numbers.into_iter().map(|host| (host, Inbox::default())).collect();
        let inboxes = Arc::new(inboxes);
        let host = |&own| Self {
            own,
            access,
            cooperation: None,
            inboxes: Arc::clone(&inboxes),
        };
        inboxes.keys().map(host).collect()
    }

    fn inbox(&self) -> &Inbox {
        &self.inboxes[&self.own]
    }

    fn take(&self) -> Option<Packet> {
        let packet = self.inbox().packets.lock().pop_front()?;
        self.inbox().waiting.fetch_sub(1, Ordering::Relaxed);
        Some(packet)
    }
}

#[allow(unsafe_code, reason = "copies between the hosts' memories")]
impl Transport for Loopback {
    fn name(&self) -> &'static str {
        "loopback"
    }

    fn capacity(&self) -> usize {
        CAPACITY
    }

    fn send(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let inbox = &self.inboxes[&to];
        // Relaxed: threads that send at the same time may exceed the limit by a few packets.
        if inbox.waiting.load(Ordering::Relaxed) >= ROOM {
            return Err(Busy);
        }
        let mut data = vec![0; length].into_boxed_slice();
        fill(&mut data);
        let (from, header) = (self.own, *header);
        inbox.waiting.fetch_add(1, Ordering::Relaxed);
        inbox.packets.lock().push_back(Packet { from, header, data });
        // SeqCst: the sleeper arms, then looks for packets.
        inbox.bell.fetch_add(1, Ordering::SeqCst);
        futex_wake_shared(&inbox.bell, u32::MAX);
        Ok(())
    }

    fn has_incoming(&self) -> bool {
        self.inbox().waiting.load(Ordering::Relaxed) > 0
    }

    fn poll(&self, handler: &dyn Handler) -> bool {
        let mut any = false;
        for packet in std::iter::from_fn(|| self.take()).take(BATCH) {
            any = true;
            handler.packet(packet.from, &packet.header, &packet.data);
        }
        any
    }

    fn access(&self, _host: HostId) -> Access {
        self.access
    }

    fn packets_compete(&self) -> bool {
        self.cooperation.is_some()
    }

    fn is_synchronous(&self) -> bool {
        true
    }

    fn open_counter(&self) -> Option<u64> {
        let mut counters = self.inbox().counters.lock();
        (self.cooperation.is_some() && counters.len() < COUNTERS).then(|| {
            let counter = self.inbox().opened.fetch_add(1, Ordering::Relaxed);
            counters.insert(counter, 0);
            counter
        })
    }

    fn close_counter(&self, counter: u64) {
        let closed = self.inbox().counters.lock().remove(&counter);
        assert!(closed.is_some(), "it is open");
    }

    fn take_chunk(&self, owner: HostId, counter: u64, end: u32) -> Option<u32> {
        let mut counters = self.inboxes[&owner].counters.lock();
        let due = counters.get_mut(&counter)?;
        (*due < end).then(|| {
            *due += 1;
            *due - 1
        })
    }

    unsafe fn expose(&self, address: *mut u8, length: usize) -> Result<Region, TransferError> {
        Ok(Region {
            address: address.expose_provenance() as u64,
            length: length as u64,
            key: 0,
        })
    }

    fn conceal(&self, _region: Region) {}

    unsafe fn read(
        &self,
        _from: HostId,
        region: Region,
        offset: u64,
        to: *mut u8,
        length: usize,
        _token: u64,
    ) -> Result<Transfer, TransferError> {
        let from = std::ptr::with_exposed_provenance::<u8>((region.address + offset) as usize);
        // SAFETY:
        // - the region's owner keeps it valid, and the caller promises the same of `to`; nobody uses either meanwhile.
        unsafe { to.copy_from_nonoverlapping(from, length) };
        Ok(Transfer::Done)
    }

    unsafe fn write(
        &self,
        _to: HostId,
        region: Region,
        offset: u64,
        from: *const u8,
        length: usize,
        _token: u64,
    ) -> Result<Transfer, TransferError> {
        if self.cooperation == Some(Cooperation::WritesFail) {
            return Err(TransferError::Refused("it is meant to fail".to_owned()));
        }
        let to = std::ptr::with_exposed_provenance_mut::<u8>((region.address + offset) as usize);
        // SAFETY:
        // - the region's owner keeps it valid, and the caller promises the same of `from`; nobody uses either
        //   meanwhile.
        unsafe { to.copy_from_nonoverlapping(from, length) };
        Ok(Transfer::Done)
    }

    fn wait_object(&self, waiting: WaitMethod) -> Option<WaitObject<'_>> {
        (waiting == WaitMethod::Futex).then(|| WaitObject::Word(&self.inbox().bell))
    }

    fn arm(&self, _waiting: WaitMethod) -> bool {
        !self.has_incoming()
    }

    fn disarm(&self) {}

    fn dropped(&self) -> u64 {
        0
    }
}
