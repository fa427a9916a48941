//! The route to one host: what can be done with it, without looking it up each time.

use simurgh_core::sync::{AtomicUsize, Ordering};

use super::link::{Link, Queued};
use crate::HostId;
use crate::transport::{Busy, Header, Transfer};

/// The route to one host, as [`Fabric::route`](super::Fabric::route) gives it.
#[derive(Clone, Copy)]
pub struct Route<'a> {
    host: HostId,
    link: &'a Link,
    /// Number of links that are backed up.
    backlog: &'a AtomicUsize,
}

impl<'a> Route<'a> {
    #[inline]
    pub(super) fn new(host: HostId, link: &'a Link, backlog: &'a AtomicUsize) -> Self {
        Self { host, link, backlog }
    }

    /// The most data of a packet, in bytes.
    #[inline]
    #[must_use]
    pub fn capacity(self) -> usize {
        self.link.capacity
    }

    /// Announces that a packet is about to be sent, so that the transport can begin with what takes time.
    #[inline]
    pub fn prepare(self) {
        if let Some(transport) = &self.link.transport {
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
    pub fn send(self, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
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
        self,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        // Acquire pairs with the Release in `flush`. If a packet of this thread is queued, the thread has set it itself.
        if self.link.backed_up.load(Ordering::Acquire) {
            return self.link.while_backed_up();
        }
        self.link.transmit(self.host, header, length, fill)
    }

    /// Makes all packets sent so far leave this host, as [`Transport::drain`](crate::transport::Transport::drain) does.
    ///
    /// # Errors
    ///
    /// [`Busy`], also while packets are queued here.
    pub fn drain(self, token: u64) -> Result<Transfer, Busy> {
        // Acquire: as in `try_send`.
        if self.link.backed_up.load(Ordering::Acquire) {
            return self.link.while_backed_up().map(|()| Transfer::Done);
        }
        match &self.link.transport {
            // A host to which nothing was sent needs no connection for this.
            Some(transport) if self.link.counts().0 > 0 => transport.drain(self.host, token),
            _ => Ok(Transfer::Done),
        }
    }

    #[cold]
    fn keep(self, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        let mut data = vec![0; length].into_boxed_slice();
        fill(&mut data);
        let header = *header;
        if self.link.enqueue(Queued { header, data }) {
            // SeqCst: the backlog is part of the proof that no packet is under way.
            self.backlog.fetch_add(1, Ordering::SeqCst);
        }
    }
}
