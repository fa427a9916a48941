//! [`Shm`], the transport itself.

use std::io;
use std::os::fd::AsFd;
use std::slice;

use crossbeam_utils::CachePadded;
use rustix::io::Errno;
use simurgh_core::sync::{AtomicBool, AtomicU64, Ordering, lines_of, prefetch_write};
use simurgh_core::{EntryRef, HostTable, Revocable};

use super::ShmError;
use super::buffer_place::BufferPlace;
use super::chunk_counter::{CounterUse, FreeCounters};
use super::cross_memory::Probe;
use super::group::{ShmGroup, peer_table};
use super::kept_buffers::KeptBuffers;
use super::peer::Peer;
use super::pool::{Pool, ROOM};
use super::remote_process::RemoteProcess;
use super::ring::{CELL, lies_in_cell};
use super::segment::Segment;
use super::slot::{Envelope, WORD};
use super::tallies::Tallies;
use super::wakeup_socket::{WakeupSocket, network_namespace};
use crate::HostId;
use crate::transport::{
    self, Access, Busy, Handler, Header, Region, Transfer, TransferError, Transport, WaitMethod,
};

/// The most data for which the sender of a packet prepares a buffer for the next one. More takes longer than an answer.
const PREPARED: usize = 8 << 10;

/// Data in a packet that is a part of longer data: so much that the packets cost little beside the copies, and so
/// little that nobody waits long for the first or the last copy.
const SEGMENT: usize = 8 << 10;

/// Packets handled in one poll.
const BATCH: usize = 64;

/// The transport over shared memory to the other hosts of the node.
pub struct Shm {
    own: HostId,
    pub(super) segment: Segment,
    /// Those of the own world, by host; none for hosts of other nodes.
    peers: HostTable<Option<Peer>>,
    /// Those of other worlds, which may leave before this host ends.
    others: HostTable<Revocable<Peer>>,
    cross_memory: CrossMemory,
    pool: CachePadded<Pool>,
    kept: CachePadded<KeptBuffers>,
    free_counters: FreeCounters,
    /// Number of the packet that is due. Written by the thread that polls.
    next: CachePadded<AtomicU64>,
    pub(super) dropped: AtomicU64,
    /// Whether a thread sleeps in `poll(2)`, or did so last.
    polled: AtomicBool,
    /// Wakes that thread, and the threads of other hosts.
    wakeup_socket: WakeupSocket,
    /// The network namespace of this process.
    network: u64,
    /// The memory by which others try out whether they can access this process's.
    _probe: Box<Probe>,
}

/// The buffers in which data may go to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffers {
    /// Those of the own host.
    Own,
    /// Those of its world, which the receiver sees, too.
    Any,
}

/// Whether the kernel copies long messages straight from process to process, where it allows that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossMemory {
    /// It does not.
    Off,
    /// It does.
    On,
    /// It may, and so may packets: [`Transport::packets_compete`].
    WhereFaster,
}

impl Shm {
    /// Joins the other hosts of its world on this node. Packets to hosts that have not come yet wait for them.
    ///
    /// # Errors
    ///
    /// [`ShmError`], if the descriptor is not that of memory for these hosts, or `own` is not among them.
    pub fn join(
        own: HostId,
        group: &ShmGroup<impl AsFd>,
        cross_memory: CrossMemory,
    ) -> Result<Self, ShmError> {
        let failed = |error: io::Error| ShmError::Create(Errno::from_io_error(&error).unwrap_or(Errno::IO));
        if cross_memory != CrossMemory::Off {
            Probe::permit();
        }
        let probe = Probe::new().map_err(failed)?;
        let wakeup_socket = WakeupSocket::new().map_err(ShmError::Create)?;
        let network = network_namespace();
        let mut segments: Vec<_> = group.open(network)?.collect();
        let place = segments.iter().position(|(host, _)| *host == own);
        let (_, segment) = segments.remove(place.ok_or(ShmError::NotAnArena)?);
        segment.header.introduce(std::process::id(), probe.advertise());
        let kept = KeptBuffers::new(segments.len());
        Ok(Self {
            own,
            segment,
            peers: peer_table(own, segments),
            others: HostTable::new(own..own, |_| unreachable!("it is empty")),
            cross_memory,
            pool: CachePadded::default(),
            kept: CachePadded::new(kept),
            free_counters: FreeCounters::default(),
            next: CachePadded::default(),
            dropped: AtomicU64::new(0),
            polled: AtomicBool::new(false),
            wakeup_socket,
            network,
            _probe: probe,
        })
    }

    /// The number of the own host.
    #[must_use]
    pub fn own(&self) -> HostId {
        self.own
    }

    /// Adds the hosts of another world, whether they have come yet or not. Before that, nothing may be sent to them,
    /// and packets of theirs are dropped.
    ///
    /// # Errors
    ///
    /// [`ShmError`], if the descriptor is not that of memory for these hosts, or one of them has been added before.
    pub fn add_hosts(&self, group: &ShmGroup<impl AsFd>) -> Result<(), ShmError> {
        for (host, segment) in group.open(self.network)? {
            let other = Revocable::new(Peer::new(segment));
            if self.peers.get(host).is_some() || !self.others.add(host, other) {
                return Err(ShmError::Twice(host));
            }
        }
        Ok(())
    }

    /// Whether it leads to a host.
    #[inline]
    #[must_use]
    pub fn leads_to(&self, host: HostId) -> bool {
        self.permanent_peer(host).is_some() || self.peer(host).is_some()
    }

    /// The ring of the own host.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn ring(&self) -> &super::ring::Ring {
        &self.segment.ring
    }

    /// The segment of the own host.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn contents(&self) -> &super::segment::Contents {
        &self.segment
    }

    /// The peer with this number, if it has been there from the start. Packets to such peers take the shortest path.
    #[inline]
    pub(super) fn permanent_peer(&self, host: HostId) -> Option<&Peer> {
        self.peers.get(host)?.as_ref()
    }

    /// The peer with this number, unless it has left.
    pub(super) fn peer(&self, host: HostId) -> Option<EntryRef<'_, Peer>> {
        match self.peers.get(host) {
            Some(peer) => peer.as_ref().map(EntryRef::Permanent),
            None => self.others.get(host)?.access().map(EntryRef::Revocable),
        }
    }

    /// The segment of a host of its world, or its own.
    #[inline]
    pub(super) fn lasting_segment(&self, host: HostId) -> Option<&Segment> {
        match host == self.own {
            true => Some(&self.segment),
            false => self.permanent_peer(host).map(|peer| &peer.segment),
        }
    }

    /// Sends a packet to a peer, with long data in a buffer from here.
    #[inline]
    fn send_to(
        &self,
        peer: &Peer,
        buffers: Buffers,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let envelope = Envelope {
            from: self.own,
            length: length as u32,
        };
        let mut is_answer = false;
        let number = if length <= CELL {
            Self::send_short(peer, envelope, header, fill)?
        } else {
            let kept = self.kept_buffer(buffers, length);
            is_answer = kept.is_some();
            let place = kept.or_else(|| self.fresh_buffer(length)).ok_or(Busy)?;
            self.send_long(peer, envelope, header, place, fill)?
        };
        let Peer { segment, cache, .. } = peer;
        segment.wake(&self.wakeup_socket);
        // Relaxed: a hint.
        let received = self.next.load(Ordering::Relaxed);
        segment.ring.prepare_ahead(cache, received, number, length);
        // Who has answered in a kept buffer has the next one by the time that it answers again.
        if length > CELL && !is_answer {
            self.prepare_buffer(length);
        }
        Ok(())
    }

    #[inline]
    fn send_short(
        Peer { segment, cache, .. }: &Peer,
        envelope: Envelope,
        header: &Header,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<u64, Busy> {
        let mut claim = segment.ring.claim(cache, envelope)?;
        let length = envelope.length as usize;
        if lies_in_cell(length) {
            claim.fill_cell(length, fill);
        } else {
            let mut word = [0; WORD];
            fill(&mut word[..length]);
            claim.slot().write_word(u64::from_ne_bytes(word));
        }
        Ok(claim.publish(header))
    }

    /// A place for so many bytes in a buffer that is kept.
    #[inline]
    fn kept_buffer(&self, buffers: Buffers, length: usize) -> Option<BufferPlace> {
        match buffers {
            Buffers::Any => self.kept.take(length),
            Buffers::Own => None,
        }
    }

    /// A place for so many bytes in an own buffer.
    #[inline]
    fn fresh_buffer(&self, length: usize) -> Option<BufferPlace> {
        let ticket = self.pool.take(&self.segment.returns)?;
        Some(BufferPlace::new(self.own, ticket, length))
    }

    /// Keeps a buffer that has been read, for packets to hosts of its world.
    #[inline]
    pub(super) fn keep_buffer(&self, place: BufferPlace) {
        if let Some(longest) = self.kept.keep(place) {
            self.give_back(longest);
        }
    }

    /// Gives a buffer that was kept back to its owner.
    fn give_back(&self, place: BufferPlace) {
        if let Some(segment) = self.lasting_segment(place.owner(self.own)) {
            segment.returns.give_back(place.ticket());
        }
    }

    /// Gives all buffers back that are kept.
    fn give_back_all(&self) {
        while let Some(place) = self.kept.release() {
            self.give_back(place);
        }
    }

    fn send_long(
        &self,
        Peer { segment, cache, .. }: &Peer,
        envelope: Envelope,
        header: &Header,
        place: BufferPlace,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<u64, Busy> {
        let claim = segment
            .ring
            .claim(cache, envelope)
            .inspect_err(|_| self.keep_buffer(place))?;
        let owner = self.lasting_segment(place.owner(self.own));
        let owner = owner.expect("buffers are kept of such hosts only");
        // SAFETY:
        // - `send` checks the length, and the place has room for it in the buffer;
        // - the buffer belongs to this thread alone until the packet is published: the pool has given it to the thread,
        //   or the host that had it before.
        let data = unsafe {
            let start = owner.buffer(place.ticket().index()).add(place.begin());
            slice::from_raw_parts_mut(start, envelope.length as usize)
        };
        fill(data);
        claim.slot().write_word(place.pack());
        Ok(claim.publish(header))
    }

    /// Prefetches the place of the next packet for writing, if it is as long as this one.
    #[inline]
    fn prepare_buffer(&self, length: usize) {
        if length <= PREPARED
            && let Some(next) = self.pool.next()
        {
            let buffer = self.segment.buffer(next.index());
            let begin = BufferPlace::new(self.own, next, length).begin();
            lines_of(buffer.wrapping_add(begin), length).for_each(prefetch_write);
        }
    }

    /// Copies to or from a part of a region, of which `copy` is told the process that owns it and the address there.
    fn copy(
        &self,
        host: HostId,
        (region, offset): (Region, u64),
        length: usize,
        copy: impl FnOnce(&RemoteProcess, u64) -> io::Result<()>,
    ) -> Result<Transfer, TransferError> {
        let refused = || TransferError::Refused(format!("host {host} has not exposed that much"));
        let end = offset.checked_add(length as u64).ok_or_else(refused)?;
        let address = region.address.checked_add(offset).ok_or_else(refused)?;
        let peer = self.peer(host).ok_or_else(refused)?;
        let process = peer.remote_process().ok_or_else(refused)?;
        if end > region.length {
            return Err(refused());
        }
        match copy(process, address) {
            Ok(()) => Ok(Transfer::Done),
            Err(error) => Err(TransferError::Refused(error.to_string())),
        }
    }
}

impl Transport for Shm {
    fn name(&self) -> &'static str {
        "shm"
    }

    fn capacity(&self) -> usize {
        ROOM
    }

    fn segment(&self) -> usize {
        SEGMENT
    }

    #[inline]
    fn send(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        assert!(length <= ROOM, "a packet has at most {ROOM} bytes");
        if let Some(peer) = self.permanent_peer(to) {
            return self.send_to(peer, Buffers::Any, header, length, fill);
        }
        match self.peer(to) {
            Some(peer) => self.send_to(&peer, Buffers::Own, header, length, fill),
            // A packet to a peer that has left is thrown away.
            None if self.others.get(to).is_some() => Ok(()),
            None => panic!("nothing goes to a host that is not on this node"),
        }
    }

    #[inline]
    fn prepare(&self, to: HostId) {
        match self.permanent_peer(to) {
            Some(peer) => peer.segment.ring.prepare(),
            None => drop(self.peer(to).map(|peer| peer.segment.ring.prepare())),
        }
    }

    #[inline]
    fn has_incoming(&self) -> bool {
        // Relaxed: a hint, except to the thread that polls, which wrote it.
        self.segment.ring.get(self.next.load(Ordering::Relaxed)).is_some()
    }

    #[inline]
    fn poll(&self, handler: &dyn Handler) -> bool {
        // Relaxed: written by the thread that polls, one at a time.
        let first = self.next.load(Ordering::Relaxed);
        let ring = &self.segment.ring;
        let mut next = first;
        while let Some(slot) = ring.get(next) {
            let number = next;
            next = next.wrapping_add(1);
            self.next.store(next, Ordering::Relaxed);
            ring.look_ahead(next);
            self.receive(number, slot, handler);
            if next.wrapping_sub(first) == BATCH as u64 {
                break;
            }
        }
        let any = next != first;
        if any {
            ring.handled(next);
        }
        any
    }

    fn access(&self, host: HostId) -> Access {
        let peer = self.peer(host).filter(|_| self.cross_memory != CrossMemory::Off);
        peer.map_or_else(Access::default, |peer| peer.access())
    }

    fn packets_compete(&self) -> bool {
        self.cross_memory == CrossMemory::WhereFaster
    }

    fn is_synchronous(&self) -> bool {
        true
    }

    fn watch(&self, is_watched: bool) {
        self.segment.header.set_watched(is_watched);
    }

    fn tell(&self, host: HostId, number: u32) {
        if let Some(peer) = self.permanent_peer(host) {
            self.segment.tallies.tell(peer.segment.index(), number);
        }
    }

    fn told_by(&self, host: HostId) -> Option<u32> {
        let peer = self.permanent_peer(host)?;
        peer.segment.tallies.told(self.segment.index())
    }

    fn answer(&self, host: HostId, word: u64) {
        if let Some(peer) = self.permanent_peer(host) {
            self.segment.tallies.answer(peer.segment.index(), word);
        }
    }

    fn can_answer(&self, host: HostId) -> bool {
        self.permanent_peer(host).is_some() && Tallies::have(self.segment.index())
    }

    fn answer_of(&self, host: HostId) -> (u32, u64) {
        let peer = self.permanent_peer(host);
        peer.map_or((0, 0), |peer| {
            peer.segment.tallies.answer_to(self.segment.index())
        })
    }

    fn is_slow_to_access(&self, host: HostId, length: usize) -> bool {
        let peer = self.permanent_peer(host);
        peer.is_some_and(|peer| peer.is_slow_to_access(length))
    }

    fn answers_sooner(&self, host: HostId, length: usize) -> bool {
        let peer = self.permanent_peer(host);
        peer.is_some_and(|peer| peer.answers_sooner(length))
    }

    fn open_counter(&self) -> Option<u64> {
        let counter = self.free_counters.open(&self.segment.chunk_counters);
        counter.map(CounterUse::pack)
    }

    fn close_counter(&self, counter: u64) {
        if let Some(counter) = CounterUse::unpack(counter) {
            self.free_counters.close(&self.segment.chunk_counters, counter);
        }
    }

    fn take_chunk(&self, owner: HostId, counter: u64, end: u32) -> Option<u32> {
        let counter = CounterUse::unpack(counter)?;
        match owner == self.own {
            true => self.segment.chunk_counters.take(counter, end),
            false => self.peer(owner)?.segment.chunk_counters.take(counter, end),
        }
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
        from: HostId,
        region: Region,
        offset: u64,
        to: *mut u8,
        length: usize,
        _token: u64,
    ) -> Result<Transfer, TransferError> {
        // SAFETY:
        // - the caller's promise.
        self.copy(from, (region, offset), length, |process, address| unsafe {
            process.read(address, to, length)
        })
    }

    unsafe fn write(
        &self,
        to: HostId,
        region: Region,
        offset: u64,
        from: *const u8,
        length: usize,
        _token: u64,
    ) -> Result<Transfer, TransferError> {
        // SAFETY:
        // - the caller's promise; the other host has exposed the region.
        self.copy(to, (region, offset), length, |process, address| unsafe {
            process.write(address, from, length)
        })
    }

    fn wait_object(&self, waiting: WaitMethod) -> Option<transport::WaitObject<'_>> {
        match waiting {
            WaitMethod::Futex => Some(transport::WaitObject::Word(self.segment.ring.doorbell.word())),
            WaitMethod::Poll if self.segment.arena().is_split() => None,
            WaitMethod::Poll => {
                self.segment.header.set_wakeup_address(self.wakeup_socket.name()?);
                Some(transport::WaitObject::Descriptor(self.wakeup_socket.as_fd()))
            }
        }
    }

    fn arm(&self, waiting: WaitMethod) -> bool {
        if waiting == WaitMethod::Poll {
            // Relaxed: the same thread calls `disarm`.
            self.polled.store(true, Ordering::Relaxed);
        }
        self.give_back_all();
        self.segment.ring.doorbell.arm(waiting);
        let sleep = !self.has_incoming();
        if !sleep {
            self.disarm();
        }
        sleep
    }

    fn disarm(&self) {
        self.segment.ring.doorbell.disarm();
        if self.polled.load(Ordering::Relaxed) {
            self.polled.store(false, Ordering::Relaxed);
            self.wakeup_socket.drain();
        }
    }

    fn remove_host(&self, host: HostId) {
        if let Some(other) = self.others.get(host) {
            other.revoke();
        }
    }

    fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
