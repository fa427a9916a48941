//! The rings of virtual processors: short messages for the ranks that live on one.

use super::incoming::Label;
use super::{Endpoint, RingMessage};
use crossbeam_utils::CachePadded;
use simurgh_core::sync::{Arc, BiasedGuard, BiasedLock, LockOwner};
use simurgh_core::{FirstMessage, MessageRing, Worker, WorkerMailbox};
use std::sync::{OnceLock, Weak};

/// The ranks of a host, by their numbers.
pub(crate) trait Endpoints: Send + Sync {
    /// The endpoint of a process of this host.
    fn endpoint_of(&self, process: u32) -> &Endpoint;
}

/// The rings of the virtual processors of a host, by the index of the processor.
#[derive(Default)]
pub(crate) struct VpRings(OnceLock<Box<[OnceLock<Arc<VpRing>>]>>);

/// The ring of a virtual processor.
pub(crate) struct VpRing {
    index: usize,
    ring: MessageRing,
    /// Locked by whoever takes messages out. Match tables are locked after it. Senders read what is beside it.
    receiver: CachePadded<BiasedLock<()>>,
    ranks: Weak<dyn Endpoints>,
}

/// The rank whose thread looks into a ring, and by which it may own locks.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) owner: &'a LockOwner,
}

/// Where a message is in the rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RingPlace {
    /// The index of the ring.
    pub(crate) ring: usize,
    pub(crate) position: u32,
}

/// The bit of the ring with this index in a word that stands for all rings. A bit may stand for several.
#[inline]
pub(super) fn ring_bit(ring: usize) -> u64 {
    1 << (ring as u32 % u64::BITS)
}

impl VpRings {
    /// The ring of a virtual processor, which there is.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&VpRing> {
        self.0.get()?.get(index)?.get().map(|ring| &**ring)
    }

    /// The ring of a worker, on which the caller runs, for these ranks. `None` if the worker has a mailbox that is not
    /// theirs.
    pub(super) fn get_or_make(
        &self,
        worker: &Worker,
        ranks: &Arc<impl Endpoints + 'static>,
    ) -> Option<&VpRing> {
        let rings = self
            .0
            .get_or_init(|| worker.peers().iter().map(|_| OnceLock::new()).collect());
        let place = rings.get(worker.index())?;
        if place.get().is_none() {
            let ranks = Arc::downgrade(ranks);
            let ring = Arc::new(VpRing {
                index: worker.index(),
                ring: MessageRing::new(),
                receiver: CachePadded::default(),
                ranks,
            });
            // Nobody else runs on this worker.
            if MessageRing::may_fence_senders() && worker.set_mailbox(Arc::clone(&ring) as _) {
                let _ = place.set(ring);
            }
        }
        place.get().map(|ring| &**ring)
    }

    /// Whether the message at this place has been taken out.
    #[inline]
    pub(crate) fn have_taken(&self, place: RingPlace) -> bool {
        self.get(place.ring)
            .is_some_and(|ring| ring.ring.is_finished(place.position))
    }

    /// Delivers all messages of a ring.
    pub(crate) fn drain(&self, ring: usize, ranks: &(impl Endpoints + ?Sized)) {
        if let Some(ring) = self.get(ring) {
            ring.deliver_all(ranks);
        }
    }
}

impl VpRing {
    /// The index of its virtual processor.
    #[inline]
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// The queue itself, for senders.
    #[inline]
    pub(super) fn messages(&self) -> &MessageRing {
        &self.ring
    }

    /// Delivers the messages that are there, unless somebody else does so. For `reader`, if there is one.
    #[inline]
    pub(super) fn look(&self, ranks: &(impl Endpoints + ?Sized), reader: Option<Reader<'_>>) {
        if self.ring.look_for_message() {
            self.deliver_present(ranks, reader);
        }
    }

    #[inline(never)]
    fn deliver_present(&self, ranks: &(impl Endpoints + ?Sized), reader: Option<Reader<'_>>) {
        let Some(_receiver) = self.try_receive(reader.map(|reader| reader.owner)) else {
            return;
        };
        while let Some(message) = self.ring.first() {
            self.deliver_one(ranks, message, reader);
        }
    }

    /// The right to take messages out, unless somebody else has it.
    #[inline(always)]
    fn try_receive(&self, owner: Option<&LockOwner>) -> Option<BiasedGuard<'_, ()>> {
        match owner {
            Some(owner) => self.receiver.try_lock_as(owner),
            None => self.receiver.try_lock(),
        }
    }

    /// Delivers the messages that are there, and those that are just being written.
    pub(crate) fn deliver_all(&self, ranks: &(impl Endpoints + ?Sized)) {
        let _receiver = self.receiver.lock();
        while let Some(message) = self.ring.await_first() {
            self.deliver_one(ranks, message, None);
        }
    }

    /// Delivers the first message.
    #[inline]
    fn deliver_one(
        &self,
        ranks: &(impl Endpoints + ?Sized),
        message: FirstMessage<'_>,
        reader: Option<Reader<'_>>,
    ) {
        let label = Label::of(&message);
        let endpoint = ranks.endpoint_of(label.receiver());
        let owner = reader.filter(|reader| std::ptr::eq(reader.endpoint, endpoint));
        let mut table = endpoint.table_by(owner.map(|reader| reader.owner));
        match table.take_receive(label.envelope()) {
            Some(receive) => {
                drop(table);
                endpoint.complete(receive, label, message);
            }
            None => endpoint.keep(&mut table, self.index, label, message),
        }
    }

    /// As [`VpRing::deliver_all`], by a caller that does not know the ranks.
    #[inline]
    pub(super) fn drain(&self) {
        if !self.ring.is_drained() {
            self.deliver_to_known();
        }
    }

    #[cold]
    fn deliver_to_known(&self) {
        // Ranks that are gone miss nothing.
        if let Some(ranks) = self.ranks.upgrade() {
            self.deliver_all(&*ranks);
        }
    }

    /// The right to take messages out, if there may be any and nobody else does so.
    #[inline(always)]
    pub(super) fn receive(&self, owner: Option<&LockOwner>) -> Option<Receiver<'_>> {
        // Its owner takes the lock as soon as it could look whether there is a message.
        if owner.is_none() && !self.ring.has_message() {
            return None;
        }
        let right = self.try_receive(owner)?;
        Some(Receiver {
            ring: &self.ring,
            _right: right,
        })
    }
}

/// The right to take messages out of a ring.
pub(super) struct Receiver<'a> {
    ring: &'a MessageRing,
    _right: BiasedGuard<'a, ()>,
}

impl Receiver<'_> {
    /// The oldest message, if it is there. It stays until it is finished.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<FirstMessage<'_>> {
        self.ring.first()
    }
}

impl WorkerMailbox for VpRing {
    #[inline]
    fn has_messages(&self) -> bool {
        self.ring.has_message()
    }

    fn deliver(&self) {
        if let Some(ranks) = self.ranks.upgrade() {
            self.deliver_present(&*ranks, None);
        }
    }

    fn close(&self) {
        self.ring.close();
        self.drain();
    }

    fn open(&self) {
        self.ring.open();
    }
}

impl RingPlace {
    /// The bit of its ring in a word that stands for all rings.
    #[inline]
    pub(crate) fn ring_bit(self) -> u64 {
        ring_bit(self.ring)
    }

    /// The message there, as others know it.
    #[inline]
    pub(crate) fn message(self) -> RingMessage {
        RingMessage::at_place(self)
    }
}
