//! All hosts of a universe, as one of them sees them.
//!
//! A fabric knows which transport leads to which host. It queues the packets that a busy transport does not take, so
//! that the engine need not: [`Fabric::send`] always succeeds. The engine's credits bound the queues. Hosts can be
//! [added](Fabric::add_host) and [removed](Fabric::remove_host) while packets are exchanged with others.
//!
//! Costs of a packet that the transport takes at once: one load, to see that no packet is queued before it, besides the
//! transport's own costs.

mod link;
mod parker;
mod route;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, SpinLock};
use simurgh_core::{EntryRef, HostTable, Revocable};

use link::Link;
use parker::{Parker, nap};
pub use route::Route;

use crate::HostId;
use crate::transport::{Handler, Header, Transport};

/// Most transports of a fabric.
const TRANSPORTS: usize = 4;

/// The hosts of a universe and the transports to them.
pub struct Fabric {
    own: HostId,
    /// Filled from the front.
    transports: [OnceLock<Arc<dyn Transport>>; TRANSPORTS],
    /// Those to the hosts of its world, the own one among them.
    links: HostTable<CachePadded<Link>>,
    /// Hosts of other worlds, which may leave before this one ends.
    others: HostTable<OtherHost>,
    /// Bytes of data sent to, and received from, those of them that have been forgotten.
    bytes_of_removed: [AtomicU64; 2],
    polling: SpinLock<()>,
    /// Number of links that are backed up, and of hosts in `leaving`.
    backlog: CachePadded<AtomicUsize>,
    /// Hosts that have ended, but whose last packets may not have been handled yet.
    leaving: SpinLock<Vec<HostId>>,
    /// Whether `leaving` has any.
    is_anybody_leaving: AtomicBool,
    /// Packets of unknown hosts.
    dropped: AtomicU64,
    parker: CachePadded<Parker>,
}

/// A host of another world.
struct OtherHost {
    /// Index of the transport that leads to it.
    transport: usize,
    /// Revoked when the host has left and its last packets have been handled.
    link: Revocable<CachePadded<Link>>,
}

impl Fabric {
    /// The fabric of host `own`. `hosts` are those of its world; `transports` has each transport with the hosts that it
    /// leads to, which may be of other worlds, too. Where several transports lead to a host, the first is taken.
    ///
    /// # Panics
    ///
    /// When no transport leads to one of `hosts` other than `own`, as the job would wait for ever; when there are more
    /// transports than a fabric has room for.
    #[must_use]
    pub fn new(
        own: HostId,
        hosts: Range<HostId>,
        transports: Vec<(Arc<dyn Transport>, Vec<HostId>)>,
    ) -> Self {
        let mut routes = BTreeMap::new();
        for (transport, led_to) in &transports {
            for host in led_to {
                routes.entry(*host).or_insert(transport);
            }
        }
        let link = |host| {
            let transport = routes.get(&host).filter(|_| host != own).copied().map(Arc::clone);
            assert!(host == own || transport.is_some(), "nothing leads to host {host}");
            CachePadded::new(Link::new(transport))
        };
        let fabric = Self {
            own,
            links: HostTable::new(hosts.clone(), link),
            others: HostTable::new(own..own, |_| unreachable!("it is empty")),
            bytes_of_removed: Default::default(),
            transports: [const { OnceLock::new() }; TRANSPORTS],
            polling: SpinLock::new(()),
            backlog: CachePadded::default(),
            leaving: SpinLock::default(),
            is_anybody_leaving: AtomicBool::new(false),
            dropped: AtomicU64::new(0),
            parker: CachePadded::default(),
        };
        for (transport, routes) in transports {
            let name = transport.name();
            fabric.add_transport(transport);
            let others = routes.into_iter().filter(|host| !hosts.contains(host));
            others.for_each(|host| fabric.add_host(host, name));
        }
        fabric
    }

    /// Adds a transport, which leads to no host until [`Fabric::add_host`].
    ///
    /// # Panics
    ///
    /// When there are more transports than a fabric has room for.
    pub fn add_transport(&self, transport: Arc<dyn Transport>) {
        let mut left = Some(transport);
        for place in &self.transports {
            let Some(transport) = left.take() else { break };
            left = place.set(transport).err();
        }
        assert!(left.is_none(), "there are at most {TRANSPORTS} transports");
        // A thread that sleeps does not wait for this transport yet.
        self.wake();
    }

    /// Adds a host, to which the transport of this name leads. The transport has to know the host already.
    ///
    /// # Panics
    ///
    /// When there is no such transport, or the host has been added before.
    pub fn add_host(&self, host: HostId, transport: &str) {
        let mut known = self.all_transports().enumerate();
        let known = known.find(|(_, known)| known.name() == transport);
        let (place, transport) = known.expect("the transport has been added");
        let link = CachePadded::new(Link::new(Some(Arc::clone(transport))));
        let other = OtherHost {
            transport: place,
            link: Revocable::new(link),
        };
        let is_new = !self.hosts().contains(&host) && self.others.add(host, other);
        assert!(is_new, "host {host} joins once");
    }

    /// Removes a host that has ended as it should. Packets that it has sent are still handled; packets to it are thrown
    /// away from now on, and it is no loss that it cannot be reached. An unknown host is ignored.
    pub fn remove_host(&self, host: HostId) {
        let Some(link) = self.link(host) else { return };
        if link.close() {
            self.backlog.fetch_sub(1, Ordering::SeqCst);
        }
        self.leaving.lock().push(host);
        self.is_anybody_leaving.store(true, Ordering::Relaxed);
        // Somebody has to poll, even if nothing arrives: so the host counts as backlog until it is forgotten.
        self.backlog.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    /// Forgets the hosts that are leaving. Called when a poll has found no packet, so that none of theirs is left.
    #[cold]
    fn remove_leaving(&self, handler: &(impl Handler + ?Sized)) {
        let hosts = {
            let mut leaving = self.leaving.lock();
            self.is_anybody_leaving.store(false, Ordering::Relaxed);
            std::mem::take(&mut *leaving)
        };
        for host in hosts {
            self.backlog.fetch_sub(1, Ordering::SeqCst);
            if let Some(transport) = self.transport(host) {
                transport.remove_host(host);
            }
            self.remove_link(host);
            handler.removed(host);
        }
    }

    /// Frees the link to a host of another world, as soon as no thread uses it.
    fn remove_link(&self, host: HostId) {
        let Some(other) = self.others.get(host) else {
            return;
        };
        if let Some(link) = other.link.access() {
            let (sent, received) = link.bytes();
            // Relaxed: statistics.
            self.bytes_of_removed[0].fetch_add(sent, Ordering::Relaxed);
            self.bytes_of_removed[1].fetch_add(received, Ordering::Relaxed);
        }
        other.link.revoke();
    }

    /// The host whose view this is.
    #[must_use]
    pub fn own(&self) -> HostId {
        self.own
    }

    /// The hosts of its world.
    #[must_use]
    pub fn hosts(&self) -> Range<HostId> {
        self.links.first()
    }

    /// The transport to a host, also to one that has been removed; none to the own host and to an unknown one.
    #[inline]
    #[must_use]
    pub fn transport(&self, host: HostId) -> Option<&dyn Transport> {
        match self.links.get(host) {
            Some(link) => link.transport.as_deref(),
            None => self.transports().nth(self.others.get(host)?.transport),
        }
    }

    /// The link to a host; none to an unknown one and to one that has been removed and forgotten.
    #[inline]
    fn link(&self, host: HostId) -> Option<EntryRef<'_, CachePadded<Link>>> {
        match self.links.get(host) {
            Some(link) => Some(EntryRef::Permanent(link)),
            None => self.others.get(host)?.link.access().map(EntryRef::Revocable),
        }
    }

    /// The links to all hosts that have not been forgotten.
    fn all_links(&self) -> impl Iterator<Item = (HostId, EntryRef<'_, CachePadded<Link>>)> {
        let permanent = self.links.iter();
        let permanent = permanent.map(|(host, link)| (host, EntryRef::Permanent(link)));
        let others = self.others.iter();
        let others = others.filter_map(|(host, other)| Some((host, other.link.access()?)));
        permanent.chain(others.map(|(host, link)| (host, EntryRef::Revocable(link))))
    }

    /// The route to a host, for several operations in a row.
    ///
    /// # Panics
    ///
    /// When the host is unknown.
    #[inline]
    #[must_use]
    pub fn route(&self, host: HostId) -> Route<'_> {
        let link = self.link(host);
        assert!(
            link.is_some() || self.others.get(host).is_some(),
            "hosts are admitted before they are heard of"
        );
        Route::new(host, link, &self.backlog)
    }

    /// All transports.
    pub fn transports(&self) -> impl Iterator<Item = &dyn Transport> + Clone {
        self.all_transports().map(|transport| &**transport)
    }

    #[inline]
    fn all_transports(&self) -> impl Iterator<Item = &Arc<dyn Transport>> + Clone {
        self.transports.iter().map_while(OnceLock::get)
    }

    /// Sends a packet, as [`Route::send`].
    ///
    /// # Panics
    ///
    /// When `to` is the own host, or unknown.
    #[inline]
    pub fn send(&self, to: HostId, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        self.route(to).send(header, length, fill);
    }

    /// Whether [`Fabric::poll`] may find a packet to handle, or one to send again. A cheap hint.
    #[inline]
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.all_transports().any(|transport| transport.has_incoming()) || self.is_backed_up()
    }

    /// Whether packets of this host are queued because a transport was busy.
    #[inline]
    #[must_use]
    pub fn is_backed_up(&self) -> bool {
        self.backlog.load(Ordering::SeqCst) > 0
    }

    /// Handles packets that have arrived, and sends queued ones. False if there was nothing to do, or another thread is
    /// polling.
    pub fn poll(&self, handler: &(impl Handler + ?Sized)) -> bool {
        let Some(_polling) = self.polling.try_lock_biased() else {
            return false;
        };
        let counted = Counting {
            handler,
            fabric: self,
        };
        let leaving = self.is_anybody_leaving.load(Ordering::Relaxed);
        let arrived = self
            .all_transports()
            .fold(false, |any, transport| transport.poll(&counted) | any);
        if leaving && !arrived {
            self.remove_leaving(handler);
        }
        let any = arrived | (self.is_backed_up() && self.flush_all());
        if any {
            self.parker.progressed();
        }
        any
    }

    /// Sends queued packets to all hosts. Whether the transports took any.
    #[cold]
    fn flush_all(&self) -> bool {
        self.all_links().fold(false, |any, (host, link)| {
            let flushed = link.flush(host);
            if flushed.is_over {
                self.backlog.fetch_sub(1, Ordering::SeqCst);
            }
            flushed.any | any
        })
    }

    /// Whether one of the transports leads to other nodes.
    #[must_use]
    pub fn is_far(&self) -> bool {
        self.transports().any(Transport::is_far)
    }

    /// Tells other hosts whether somebody looks for packets here again and again.
    pub fn watch(&self, is_watched: bool) {
        self.transports()
            .for_each(|transport| transport.watch(is_watched));
    }

    /// Sleeps in the kernel until a packet arrives, `word` is no longer `expected`, or the time is over. May return
    /// early. One thread at a time.
    ///
    /// A thread that changes `word` then wakes its private futex and calls [`Fabric::wake`]. While packets of this host
    /// are queued, the sleep is short, since nothing wakes it when a transport has room again.
    pub fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        let limit = if self.is_backed_up() { nap(limit) } else { limit };
        self.parker.park(self.transports(), (word, expected), limit);
    }

    /// Ends a [`Fabric::sleep`] whose word has changed. Needed because the sleeper may wait in `poll(2)`, where a futex
    /// does not wake it.
    #[inline]
    pub fn wake(&self) {
        self.parker.unpark();
    }

    /// Packets sent to and received from the hosts that have not been removed. Once nothing changes any more and all
    /// hosts know the same others, no packet is under way if the sums over all hosts are equal.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let there = self.all_links().filter(|(_, link)| !link.is_closed());
        there.fold((0, 0), |(sent, received), (_, link)| {
            let counts = link.counts();
            (sent + counts.0, received + counts.1)
        })
    }

    /// Bytes of data sent to, and received from, all hosts so far.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        let removed = self.bytes_of_removed.each_ref();
        let removed = removed.map(|bytes| bytes.load(Ordering::Relaxed));
        self.all_links()
            .fold(removed.into(), |(sent, received), (_, link)| {
                let bytes = link.bytes();
                (sent + bytes.0, received + bytes.1)
            })
    }

    /// Packets that could not be attributed or understood.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        let dropped: u64 = self.transports().map(Transport::dropped).sum();
        dropped + self.dropped.load(Ordering::Relaxed)
    }
}

/// A handler that counts the packets it hands to another.
struct Counting<'a, H: ?Sized> {
    handler: &'a H,
    fabric: &'a Fabric,
}

impl<H: Handler + ?Sized> Handler for Counting<'_, H> {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        let Some(link) = self.fabric.link(from) else {
            // Relaxed: a count.
            self.fabric.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        self.handler.packet(from, header, data);
        link.count_received(data.len());
    }

    fn transferred(&self, token: u64, outcome: Result<(), crate::transport::TransferError>) {
        self.handler.transferred(token, outcome);
    }

    fn lost(&self, host: HostId, reason: &str) {
        let is_there = self.fabric.link(host).is_some_and(|link| !link.is_closed());
        if is_there {
            self.handler.lost(host, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Access, HEADER, Loopback, Transfer, TransferError};

    /// Records what comes.
    #[derive(Default)]
    struct Notes(SpinLock<Vec<(HostId, u8, usize)>>, AtomicU32);

    impl Handler for Notes {
        fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
            assert!(data.iter().all(|byte| *byte == header[0]));
            self.0.lock().push((from, header[0], data.len()));
        }

        fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

        fn lost(&self, _host: HostId, _reason: &str) {}

        fn removed(&self, host: HostId) {
            self.1.store(host, Ordering::Relaxed);
        }
    }

    fn fabrics(hosts: u32) -> Vec<Fabric> {
        let ways = Loopback::hosts(hosts, Access::default());
        let fabric = |(own, way): (HostId, Loopback)| {
            let all: Vec<HostId> = (0..hosts).collect();
            Fabric::new(own, 0..hosts, vec![(Arc::new(way) as Arc<dyn Transport>, all)])
        };
        (0..).zip(ways).map(fabric).collect()
    }

    #[test]
    fn what_a_busy_transport_does_not_take_arrives_later_and_in_order() {
        let fabrics = fabrics(2);
        let send = |byte: u8| {
            let mut fill = |room: &mut [u8]| room.fill(byte);
            fabrics[0].send(1, &[byte; HEADER], usize::from(byte), &mut fill);
        };
        let sent: Vec<u8> = (0..4).flat_map(|_| 0..=u8::MAX).collect();
        sent.iter().copied().for_each(send);
        assert!(fabrics[0].is_backed_up());
        let notes = Notes::default();
        while fabrics[1].poll(&notes) || fabrics[0].poll(&notes) {}
        let got = notes.0.lock();
        assert!(got.iter().map(|(_, byte, _)| *byte).eq(sent.iter().copied()));
        assert!(
            got.iter()
                .all(|(from, byte, length)| *from == 0 && usize::from(*byte) == *length)
        );
        assert_eq!((fabrics[0].counts(), fabrics[1].counts()), ((1024, 0), (0, 1024)));
        assert!(!fabrics[0].is_backed_up());
    }

    #[test]
    fn hosts_join_and_part() {
        let fabric = Fabric::new(0, 0..1, Vec::new());
        let mut ways = Loopback::hosts(4, Access::default());
        let third = ways.pop().expect("there are four");
        fabric.add_transport(Arc::new(ways.swap_remove(0)));
        fabric.add_host(3, "loopback");
        let other = Fabric::new(3, 3..4, vec![(Arc::new(third), vec![0, 1])]);
        let send = |from: &Fabric, to| from.send(to, &[1; HEADER], 1, &mut |room| room.fill(1));
        let notes = Notes::default();
        send(&fabric, 3);
        send(&other, 0);
        while fabric.poll(&notes) | other.poll(&notes) {}
        assert_eq!((fabric.counts(), other.counts()), ((1, 1), (1, 1)));
        // Its packets are handled though it is removed; packets to it are not kept.
        send(&other, 0);
        for _ in 0..1000 {
            send(&fabric, 3);
        }
        assert!(fabric.is_backed_up());
        let (sent, _) = fabric.bytes();
        fabric.remove_host(3);
        for _ in 0..1000 {
            send(&fabric, 3);
        }
        while fabric.poll(&notes) {}
        assert_eq!(
            (notes.0.lock().len(), fabric.counts(), fabric.is_backed_up()),
            (3, (0, 0), false)
        );
        // Only what has been counted is left of it.
        assert!(
            fabric
                .others
                .get(3)
                .is_some_and(|other| other.link.access().is_none())
        );
        assert_eq!((fabric.bytes(), notes.1.load(Ordering::Relaxed)), ((sent, 2), 3));
        send(&fabric, 3);
        assert_eq!(fabric.route(3).drain(0), Ok(Transfer::Done));
        assert!(fabric.transport(3).is_some());
    }
}
