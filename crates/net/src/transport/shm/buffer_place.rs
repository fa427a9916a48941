//! Where the data of a packet lies that is too long for a slot's cell: a part of a buffer, whoever owns it.

use super::pool::{BUFFERS, ROOM, Ticket};
use crate::HostId;
use simurgh_core::HostTable;

/// Data begins at multiples of so many bytes.
const UNIT: usize = 1 << 10;
/// Bits of a word: those of a buffer's index, of the beginning in units, and of the owner's number in its realm. The
/// generation is above them, in the upper half.
const INDEX_BITS: u32 = (BUFFERS as u32).next_power_of_two().ilog2();
const BEGIN_BITS: u32 = ((ROOM / UNIT) as u32).ilog2();
const OWNER_BITS: u32 = HostTable::<()>::REALM_BITS;
const _: () = assert!(INDEX_BITS + BEGIN_BITS + OWNER_BITS <= u32::BITS);

/// A part of a buffer, for one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BufferPlace {
    /// The number of the buffer's owner in its realm.
    owner: u32,
    ticket: Ticket,
    /// Where it begins, in units.
    begin: u32,
}

/// The number of a host in its realm.
fn number(host: HostId) -> u32 {
    host & ((1 << OWNER_BITS) - 1)
}

impl BufferPlace {
    /// The place for so many bytes in a buffer of its owner's, which the ticket is for: in each generation the next one
    /// that has room.
    ///
    /// # Panics
    ///
    /// When the data has more bytes than a buffer.
    pub(super) fn new(owner: HostId, ticket: Ticket, length: usize) -> Self {
        assert!(length <= ROOM, "a buffer has {ROOM} bytes");
        let units = length.div_ceil(UNIT).next_power_of_two();
        let places = ROOM / UNIT / units;
        let begin = (ticket.generation as usize % places * units) as u32;
        Self {
            owner: number(owner),
            ticket,
            begin,
        }
    }

    /// The place of another packet, with so many bytes, in the same buffer: the same lines, as far as they have room.
    pub(super) fn again(self, length: usize) -> Self {
        let fits = self.begin() + length <= ROOM;
        let begin = if fits { self.begin } else { 0 };
        Self { begin, ..self }
    }

    /// The owner of the buffer, which is in the same realm as this host.
    pub(super) fn owner(self, beside: HostId) -> HostId {
        beside - number(beside) + self.owner
    }

    pub(super) fn ticket(self) -> Ticket {
        self.ticket
    }

    /// Where it begins, in bytes from the beginning of the buffer.
    pub(super) fn begin(self) -> usize {
        self.begin as usize * UNIT
    }

    /// Packs it into one word, for another process.
    pub(super) fn pack(self) -> u64 {
        u64::from(self.owner) << (INDEX_BITS + BEGIN_BITS)
            | u64::from(self.begin) << INDEX_BITS
            | self.ticket.pack()
    }

    /// Unpacks another process's word for so many bytes; none if there is no such place.
    pub(super) fn unpack(word: u64, length: usize) -> Option<Self> {
        let part = |from: u32, bits: u32| (word >> from) as u32 & ((1 << bits) - 1);
        let index = u64::from(part(0, INDEX_BITS));
        let place = Self {
            owner: part(INDEX_BITS + BEGIN_BITS, OWNER_BITS),
            ticket: Ticket::unpack(word >> 32 << 32 | index)?,
            begin: part(INDEX_BITS, BEGIN_BITS),
        };
        (place.pack() == word && place.begin() + length <= ROOM).then_some(place)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ticket(index: u32, generation: u32) -> Ticket {
        Ticket { index, generation }
    }

    #[test]
    fn a_place_that_is_not_there_is_none() {
        let place = BufferPlace::new(5, ticket(3, 9), 8 << 10);
        assert_eq!(BufferPlace::unpack(place.pack(), 8 << 10), Some(place));
        assert_eq!(place.begin(), 8 << 10);
        assert_eq!(BufferPlace::unpack(place.pack(), (24 << 10) + 1), None);
        assert_eq!(BufferPlace::unpack(u64::MAX, 1), None);
    }

    #[test]
    fn a_place_is_used_again_if_there_is_room() {
        let place = BufferPlace::new(0, ticket(0, 3), 8 << 10);
        assert_eq!(place.again(8 << 10), place);
        assert_eq!(place.again(600).begin(), 24 << 10);
        assert_eq!(place.again(ROOM).begin(), 0);
    }

    proptest! {
        #[test]
        fn places_lie_in_their_buffers(
            realm in 0_u32..4096,
            owner in 0_u32..1 << OWNER_BITS,
            index in 0..BUFFERS as u32,
            generation: u32,
            length in 1..=ROOM,
        ) {
            let host = realm << OWNER_BITS | owner;
            let place = BufferPlace::new(host, ticket(index, generation), length);
            prop_assert!(place.begin() + length <= ROOM);
            prop_assert_eq!(BufferPlace::unpack(place.pack(), length), Some(place));
            prop_assert_eq!(place.owner(realm << OWNER_BITS), host);
        }
    }
}
