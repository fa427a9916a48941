//! Data that is short enough to be passed by value.

use std::ops::Range;

use super::buffer::{Source, Target};
use super::transfer::{Transfer, transfer};
use crate::datatype::{Basic, Datatype};
use crate::limits::PACKET;

/// A few bytes of data without gaps.
#[derive(Debug)]
#[repr(C, align(8))]
pub struct Packet([u8; PACKET]);

impl Default for Packet {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Packet {
    /// All bytes zero.
    pub const EMPTY: Self = Self([0; PACKET]);

    /// Copies the data of `source` into the packet, as much as fits.
    #[inline]
    pub fn fill(&mut self, source: &Source) {
        transfer(source, &self.as_target(PACKET, &Datatype::Basic(Basic::Byte)));
    }

    /// Copies the given bytes to `target`, as far as they exist.
    #[inline]
    pub fn hand_out(&self, bytes: Range<usize>, target: &Target) -> Transfer {
        let whole = self.as_source(bytes.end, &Datatype::Basic(Basic::Byte));
        transfer(&whole.slice(bytes.start, bytes.len()), target)
    }

    /// The first `count` elements of a datatype without gaps, or as many as fit. The packet must not be changed while
    /// the source is used.
    #[inline]
    pub fn as_source(&self, count: usize, datatype: &Datatype) -> Source {
        debug_assert!(datatype.is_contiguous());
        // SAFETY:
        // - no more elements than lie within the bytes, which are initialised; the caller leaves the packet alone.
        unsafe { Source::new(self.0.as_ptr(), room(count, datatype), datatype.clone()) }
    }

    /// As [`Packet::as_source`], to be written.
    #[inline]
    pub fn as_target(&mut self, count: usize, datatype: &Datatype) -> Target {
        debug_assert!(datatype.is_contiguous());
        // SAFETY:
        // - as above.
        unsafe { Target::new(self.0.as_mut_ptr(), room(count, datatype), datatype.clone()) }
    }
}

/// How many of `count` elements fit.
#[inline]
fn room(count: usize, datatype: &Datatype) -> usize {
    if count.saturating_mul(datatype.size()) <= PACKET {
        count
    } else {
        PACKET / datatype.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_holds_no_more_than_it_has_room_for() {
        let data: Vec<u8> = (0..=u8::MAX).collect();
        let mut packet = Packet::default();
        let byte = Datatype::Basic(Basic::Byte);
        // SAFETY:
        // - the vector lives until the end of the test.
        packet.fill(&unsafe { Source::new(data.as_ptr(), data.len(), byte.clone()) });
        assert_eq!(packet.0, data[..PACKET]);
        let mut copy = [0_u8; 8];
        // SAFETY:
        // - the array lives until the end of the test.
        let target = unsafe { Target::new(copy.as_mut_ptr(), copy.len(), byte) };
        assert!(!packet.hand_out(0..3, &target).truncated);
        assert_eq!(copy, [0, 1, 2, 0, 0, 0, 0, 0]);
        assert!(packet.hand_out(0..9, &target).truncated);
        assert_eq!(copy, data[..8]);
        let double = Datatype::Basic(Basic::Double);
        assert_eq!(packet.as_source(1000, &double).bytes(), PACKET);
    }
}
