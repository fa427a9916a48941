//! One use of a place that is used again and again: a buffer, or a counter.
//!
//! A place has a generation, which counts its uses. So a number that comes late, or that a broken peer makes up, is not
//! taken for the use of the moment.

/// A use of one of `PLACES` places: its index and generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaceUse<const PLACES: usize> {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl<const PLACES: usize> PlaceUse<PLACES> {
    /// Packs it into one word, for another process.
    pub(super) fn pack(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// Unpacks another process's word; none if there is no such place.
    pub(super) fn unpack(word: u64) -> Option<Self> {
        let (index, generation) = (word as u32, (word >> 32) as u32);
        ((index as usize) < PLACES).then_some(Self { index, generation })
    }

    /// The index of the place.
    pub(super) fn index(self) -> usize {
        self.index as usize
    }
}
