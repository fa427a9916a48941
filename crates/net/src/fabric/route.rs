//! What there is to do with one host.

use simurgh_core::sync::{AtomicUsize, Ordering};

use super::link::{Link, Queued};
use crate::HostId;
use crate::transport::{Busy, Header, Transfer};

/// The way to one host, for who has several things to do with it.
#[derive(Clone, Copy)]
pub struct Route<'a> {
    host: HostId,
    link: &'a Link,
    /// Links that are backed up.
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

    /// A packet is about to be sent: what takes time can begin.
    #[inline]
    pub fn prepare(self) {
        if let Some(transport) = &self.link.transport {
            transport.prepare(self.host);
        }
    }

    /// Sends a packet, now or when the transport has room; `fill` is called once, before this returns.
    ///
    /// # Panics
    ///
    /// To the own host.
    #[inline]
    pub fn send(self, header: &Header, length: usize, fill: &mut dyn FnMut(&mut [u8])) {
        if self.try_send(header, length, fill).is_err() {
            self.keep(header, length, fill);
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
        self,
        header: &Header,
        length: usize,
        fill: &mut dyn FnMut(&mut [u8]),
    ) -> Result<(), Busy> {
        // Acquire pairs with the Release in `flush`. A packet of this thread that waits has set it before.
        if self.link.backed_up.load(Ordering::Acquire) {
            return self.link.while_backed_up();
        }
        self.link.transmit(self.host, header, length, fill)
    }

    /// Has all that has been sent leave this host, as [`Transport::drain`](crate::transport::Transport::drain) does;
    /// what is kept here, too.
    ///
    /// # Errors
    ///
    /// [`Busy`].
    pub fn drain(self, token: u64) -> Result<Transfer, Busy> {
        // Acquire: as in `try_send`.
        if self.link.backed_up.load(Ordering::Acquire) {
            return self.link.while_backed_up().map(|()| Transfer::Done);
        }
        match &self.link.transport {
            // Nothing is to be connected for hosts that nothing was sent to.
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
            // SeqCst: part of what says that nothing is under way.
            self.backlog.fetch_add(1, Ordering::SeqCst);
        }
    }
}
