//! The route to one host: what can be done with it, without looking it up each time.

use crossbeam_utils::CachePadded;
use simurgh_core::EntryRef;
use simurgh_core::sync::{AtomicUsize, Ordering};

use super::link::{Link, Queued};
use crate::HostId;
use crate::transport::{Busy, Header, Transfer};

/// The route to one host, as [`Fabric::route`](super::Fabric::route) gives it.
/// Packets to a host that has left are thrown away.
pub struct Route<'a> {
    host: HostId,
    /// None if the host has left and is forgotten.
    link: Option<EntryRef<'a, CachePadded<Link>>>,
    /// Number of links that are backed up.
    backlog: &'a AtomicUsize,
}

impl<'a> Route<'a> {
    #[inline]
    pub(super) fn new(
        host: HostId,
        link: Option<EntryRef<'a, CachePadded<Link>>>,
        backlog: &'a AtomicUsize,
    ) -> Self {
        Self { host, link, backlog }
    }

    /// The most data of a packet, in bytes.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.link.as_ref().map_or(usize::MAX, |link| link.capacity)
    }

    /// The data of a packet that is a part of longer data, as
    /// [`Transport::segment`](crate::transport::Transport::segment) has it.
    #[inline]
    #[must_use]
    pub fn segment(&self) -> usize {
        self.link.as_ref().map_or(usize::MAX, |link| link.segment)
    }

    /// Announces that a packet is about to be sent, so that the transport can begin with what takes time.
    #[inline]
    pub fn prepare(&self) {
        if let Some(transport) = self.link.as_ref().and_then(|link| link.transport.as_ref()) {
            transport.prepare(self.host);
        }
    }

    /// Sends a packet with `length` bytes of data, at once or, if the transport is busy, later. `fill` writes the data;
    /// it is called once, before this returns.
    ///
    /// # Panics
    ///
    /// When it is the route to the own host.
    #[inline]
    pub fn send(&self, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        if self.try_send(header, length, fill).is_err() {
            self.keep(header, length, fill);
        }
    }

    /// Sends a packet, if the transport has room and no packet is queued before it.
    ///
    /// # Errors
    ///
    /// [`Busy`]; then `fill` has not been called.
    ///
    /// # Panics
    ///
    /// When it is the route to the own host.
    #[inline]
    pub fn try_send(
        &self,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        let Some(link) = &self.link else { return Ok(()) };
        // Acquire pairs with the Release in `flush`. If a packet of this thread is queued, the thread has set it
        // itself.
        if link.backed_up.load(Ordering::Acquire) {
            return link.while_backed_up();
        }
        link.transmit(self.host, header, length, fill)
    }

    /// Makes all packets sent so far leave this host, as [`Transport::drain`](crate::transport::Transport::drain) does.
    ///
    /// # Errors
    ///
    /// [`Busy`], also while packets are queued here.
    pub fn drain(&self, token: u64) -> Result<Transfer, Busy> {
        let Some(link) = &self.link else {
            return Ok(Transfer::Done);
        };
        // Acquire: as in `try_send`.
        if link.backed_up.load(Ordering::Acquire) {
            return link.while_backed_up().map(|()| Transfer::Done);
        }
        match &link.transport {
            // A host to which nothing was sent needs no connection for this.
            Some(transport) if link.counts().0 > 0 => transport.drain(self.host, token),
            _ => Ok(Transfer::Done),
        }
    }

    #[cold]
    fn keep(&self, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        let mut data = vec![0; length].into_boxed_slice();
        fill(&mut data);
        let header = *header;
        let packet = Queued { header, data };
        if self.link.as_ref().is_some_and(|link| link.enqueue(packet)) {
            // SeqCst: the backlog is part of the proof that no packet is under way.
            self.backlog.fetch_add(1, Ordering::SeqCst);
        }
    }
}
