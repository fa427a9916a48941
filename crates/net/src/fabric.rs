//! All hosts of a job, as one of them sees them.
//!
//! A fabric knows which transport leads to which host, and keeps packets that a busy transport does not take, so that
//! the engine need not: [`Fabric::send`] always succeeds. What it keeps is bounded by the engine's credits.
//!
//! Costs of a packet that is taken at once: one load, to see that nothing waits before it, and what the transport does.

mod sleep;

use std::collections::VecDeque;
use std::time::Duration;

use crossbeam_utils::CachePadded;
use simurgh_core::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, SpinLock};

use sleep::{Alarm, nap};

use crate::transport::{Busy, Handler, Header, HostId, Transport};

/// The hosts of a job and the ways to them.
pub struct Fabric {
    own: HostId,
    transports: Vec<Box<dyn Transport>>,
    links: Box<[CachePadded<Link>]>,
    polling: SpinLock<()>,
    /// Links that are backed up.
    backlog: CachePadded<AtomicUsize>,
    received: CachePadded<AtomicU64>,
    alarm: CachePadded<Alarm>,
}

/// What leads to a host.
struct Link {
    /// The transport's index; none for the own host.
    transport: Option<usize>,
    /// Whether packets wait. Set under the lock of `outbox`.
    backed_up: AtomicBool,
    outbox: SpinLock<VecDeque<Kept>>,
    sent: AtomicU64,
}

/// A packet that the transport has not taken yet.
struct Kept {
    header: Header,
    data: Box<[u8]>,
}

impl Fabric {
    /// The fabric of host `own`, with the transports and the hosts that each leads to.
    ///
    /// # Panics
    ///
    /// When nothing leads to one of `hosts` other than `own`: the job would wait for ever.
    #[must_use]
    pub fn new(own: HostId, hosts: u32, transports: Vec<(Box<dyn Transport>, Vec<HostId>)>) -> Self {
        let way = |host: HostId| transports.iter().position(|(_, hosts)| hosts.contains(&host));
        let link = |host| {
            let transport = way(host).filter(|_| host != own);
            assert!(host == own || transport.is_some(), "nothing leads to host {host}");
            CachePadded::new(Link {
                transport,
                backed_up: AtomicBool::new(false),
                outbox: SpinLock::new(VecDeque::new()),
                sent: AtomicU64::new(0),
            })
        };
        Self {
            own,
            links: (0..hosts).map(link).collect(),
            transports: transports.into_iter().map(|(transport, _)| transport).collect(),
            polling: SpinLock::new(()),
            backlog: CachePadded::default(),
            received: CachePadded::default(),
            alarm: CachePadded::default(),
        }
    }

    /// The host whose fabric it is.
    #[must_use]
    pub fn own(&self) -> HostId {
        self.own
    }

    /// Number of hosts.
    #[must_use]
    pub fn hosts(&self) -> u32 {
        self.links.len() as u32
    }

    /// The transport to a host; none to the own one.
    #[must_use]
    pub fn transport(&self, host: HostId) -> Option<&dyn Transport> {
        let index = self.links[host as usize].transport?;
        Some(&*self.transports[index])
    }

    /// All transports.
    pub fn transports(&self) -> impl Iterator<Item = &dyn Transport> {
        self.transports.iter().map(|transport| &**transport)
    }

    /// Sends a packet, now or when the transport has room; `fill` is called once, before this returns.
    ///
    /// # Panics
    ///
    /// To the own host.
    #[inline]
    pub fn send(&self, to: HostId, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        if self.try_send(to, header, length, fill).is_err() {
            self.keep(to, header, length, fill);
        }
    }

    /// A packet is about to be sent: what takes time can begin.
    #[inline]
    pub fn prepare(&self, to: HostId) {
        if let Some(transport) = self.transport(to) {
            transport.prepare(to);
        }
    }

    /// Sends a packet, if the transport has room and nothing waits before it.
    ///
    /// # Errors
    ///
    /// [`Busy`]; then `fill` has not been called.
    ///
    /// # Panics
    ///
    /// To the own host.
    #[inline]
    pub fn try_send(
        &self,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let link = &self.links[to as usize];
        // Acquire pairs with the Release in `flush`. A packet of this thread that waits has set it before.
        if link.backed_up.load(Ordering::Acquire) {
            return Err(Busy);
        }
        self.pass_on(link, to, header, length, fill)
    }

    #[inline]
    fn pass_on(
        &self,
        link: &Link,
        to: HostId,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let transport = link.transport.expect("a host sends nothing to itself");
        self.transports[transport].send(to, header, length, fill)?;
        // Release pairs with the SeqCst in `counts`: who sees it knows that the host was not quiet before.
        link.sent.fetch_add(1, Ordering::Release);
        Ok(())
    }

    #[cold]
    fn keep(&self, to: HostId, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        let mut data = vec![0; length].into_boxed_slice();
        fill(&mut data);
        let link = &self.links[to as usize];
        let mut outbox = link.outbox.lock();
        let header = *header;
        outbox.push_back(Kept { header, data });
        if !link.backed_up.swap(true, Ordering::Relaxed) {
            // SeqCst: part of what says that nothing is under way.
            self.backlog.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Whether [`Fabric::poll`] would find something to do, or to try again: a cheap hint.
    #[inline]
    #[must_use]
    pub fn has_mail(&self) -> bool {
        self.transports.iter().any(|transport| transport.has_mail()) || self.is_backed_up()
    }

    /// Whether there are packets of this host that no transport has taken yet.
    #[inline]
    #[must_use]
    pub fn is_backed_up(&self) -> bool {
        self.backlog.load(Ordering::SeqCst) > 0
    }

    /// Handles what has arrived and passes on what waits. False if there was nothing, or somebody else is doing so.
    pub fn poll(&self, handler: &dyn Handler) -> bool {
        let Some(_polling) = self.polling.try_lock() else {
            return false;
        };
        let counted = Counting {
            handler,
            received: &self.received,
        };
        let arrived = self
            .transports
            .iter()
            .fold(false, |any, transport| transport.poll(&counted) | any);
        let any = arrived | (self.is_backed_up() && self.flush_all());
        if any {
            self.alarm.found();
        }
        any
    }

    /// Passes on what waits for any host; whether anything went.
    #[cold]
    fn flush_all(&self) -> bool {
        (0..).zip(&self.links).fold(false, |any, (host, link)| {
            (link.backed_up.load(Ordering::Relaxed) && self.flush(host, link)) | any
        })
    }

    /// Passes on what waits for a host; whether anything went.
    fn flush(&self, host: HostId, link: &Link) -> bool {
        let mut any = false;
        let mut outbox = link.outbox.lock();
        while let Some(Kept { header, data }) = outbox.front() {
            let mut fill = |room: &mut [u8]| room.copy_from_slice(data);
            if self.pass_on(link, host, header, data.len(), &mut fill).is_err() {
                return any;
            }
            any = true;
            outbox.pop_front();
        }
        // Release pairs with the Acquire in `try_send`: who sends directly from now on comes behind what was passed on.
        link.backed_up.store(false, Ordering::Release);
        self.backlog.fetch_sub(1, Ordering::SeqCst);
        any
    }

    /// Sleeps in the kernel until something arrives, or `word`, which others change and then wake with a private futex
    /// and [`Fabric::wake`], is no longer `expected`, or the time is over. May return early. One thread at a time.
    ///
    /// While packets of this host wait for room, it returns soon: nothing rings when there is some.
    pub fn sleep(&self, word: &AtomicU32, expected: u32, limit: Option<Duration>) {
        let limit = if self.is_backed_up() { nap(limit) } else { limit };
        self.alarm.sleep(&self.transports, (word, expected), limit);
    }

    /// Ends a [`Fabric::sleep`] whose word has changed, in case that it does not hear the futex.
    #[inline]
    pub fn wake(&self) {
        self.alarm.ring();
    }

    /// Packets sent and received so far. When nothing moves any more and the sums over all hosts are equal, nothing
    /// is under way.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let sent = self
            .links
            .iter()
            .map(|link| link.sent.load(Ordering::SeqCst))
            .sum();
        (sent, self.received.load(Ordering::SeqCst))
    }
}

/// Counts what it passes on.
struct Counting<'a> {
    handler: &'a dyn Handler,
    received: &'a AtomicU64,
}

impl Handler for Counting<'_> {
    fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
        self.handler.packet(from, header, data);
        // Relaxed: written by whoever polls, one at a time. Release pairs with the SeqCst in `counts`: who sees it
        // knows that the host was not quiet before.
        let before = self.received.load(Ordering::Relaxed);
        self.received.store(before + 1, Ordering::Release);
    }

    fn transferred(&self, token: u64, outcome: Result<(), crate::transport::TransferError>) {
        self.handler.transferred(token, outcome);
    }

    fn lost(&self, host: HostId, reason: &str) {
        self.handler.lost(host, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Access, HEADER, Loopback, TransferError};

    /// Notes what comes.
    #[derive(Default)]
    struct Notes(SpinLock<Vec<(HostId, u8, usize)>>);

    impl Handler for Notes {
        fn packet(&self, from: HostId, header: &Header, data: &[u8]) {
            assert!(data.iter().all(|byte| *byte == header[0]));
            self.0.lock().push((from, header[0], data.len()));
        }

        fn transferred(&self, _token: u64, _outcome: Result<(), TransferError>) {}

        fn lost(&self, _host: HostId, _reason: &str) {}
    }

    fn fabrics(hosts: u32) -> Vec<Fabric> {
        let ways = Loopback::hosts(hosts, Access::default());
        let fabric = |(own, way): (HostId, Loopback)| {
            let all: Vec<HostId> = (0..hosts).collect();
            Fabric::new(own, hosts, vec![(Box::new(way) as Box<dyn Transport>, all)])
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
}
