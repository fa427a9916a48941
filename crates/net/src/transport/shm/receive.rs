//! The packets that come to a host: where their data lies, and whether they make sense.

use std::slice;

use simurgh_core::sync::Ordering;

use super::buffer_place::BufferPlace;
use super::pool::ROOM;
use super::ring::CELL;
use super::segment::Segment;
use super::slot::{Envelope, Slot, WORD};
use super::transport::Shm;
use crate::transport::Handler;

impl Shm {
    /// Handles packet `number`, which is in this slot. A packet that makes no sense is dropped.
    #[inline]
    pub(super) fn receive(&self, number: u64, slot: &Slot, handler: &dyn Handler) {
        let envelope = slot.envelope();
        let length = envelope.length as usize;
        if !self.leads_to(envelope.from) {
            return self.count_dropped();
        }
        if length <= WORD {
            let data = slot.word().to_ne_bytes();
            handler.packet(envelope.from, &slot.header(), &data[..length]);
        } else if length <= CELL {
            let cell = self.segment.ring.fetch_cell(number, length);
            // SAFETY:
            // - the sender writes it again only when the slot has been handled. A peer that breaks the rules changes
            //   bytes under the handler, which takes any bytes.
            let data = unsafe { cell.bytes(length) };
            handler.packet(envelope.from, &slot.header(), data);
        } else if length <= ROOM {
            self.receive_long(slot, envelope, handler);
        } else if envelope.length != Envelope::VOID {
            self.count_dropped();
        }
    }

    fn receive_long(&self, slot: &Slot, envelope: Envelope, handler: &dyn Handler) {
        let Envelope { from, length } = envelope;
        let Some(place) = BufferPlace::unpack(slot.word(), length as usize) else {
            return self.count_dropped();
        };
        let owner = place.owner(from);
        if self.permanent_peer(from).is_some() {
            let Some(segment) = self.lasting_segment(owner) else {
                return self.count_dropped();
            };
            Self::receive_from(segment, place, slot, envelope, handler);
            return self.keep_buffer(place);
        }
        match self.peer(from).filter(|_| owner == from) {
            Some(peer) => {
                Self::receive_from(&peer.segment, place, slot, envelope, handler);
                peer.segment.returns.give_back(place.ticket());
            }
            None => self.count_dropped(),
        }
    }

    /// Handles a packet whose data lies in a buffer of this segment.
    #[inline]
    fn receive_from(
        segment: &Segment,
        place: BufferPlace,
        slot: &Slot,
        envelope: Envelope,
        handler: &dyn Handler,
    ) {
        let buffer = segment.buffer(place.ticket().index());
        // SAFETY:
        // - `unpack` has checked that the place has room for so many bytes: they lie in the segment, which stays mapped
        //   as long as there is a reference to it;
        // - who has sent it has given the buffer away. A peer that breaks the rules changes bytes under the handler,
        //   which takes any bytes.
        let data = unsafe { slice::from_raw_parts(buffer.add(place.begin()), envelope.length as usize) };
        handler.packet(envelope.from, &slot.header(), data);
    }

    #[cold]
    fn count_dropped(&self) {
        // Relaxed: a count.
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}
