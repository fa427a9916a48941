//! References to the memory of senders, as they travel through the ring of a receiver.
#![allow(
    unsafe_code,
    reason = "the address of a sender's memory goes through the ring as a number"
)]

use crate::memory::{self, Source};
use simurgh_core::FirstMessage;
use std::{ptr, slice};

/// Set in the note of a message that has the address of its data in the place of the data.
pub(super) const BY_REFERENCE: u32 = 0x80;

/// The word that stands for data, if it lies in one piece.
#[inline]
pub(super) fn word_for(source: &Source) -> Option<u64> {
    let bytes = memory::source_as_bytes(source)?;
    Some(bytes.address().expose_provenance() as u64)
}

/// The same for a copy of data.
#[inline]
pub(super) fn word_of(copy: &[u8]) -> u64 {
    copy.as_ptr().expose_provenance() as u64
}

/// The data of a message of so many bytes, which has a [word](word_for) for it at this place of its line.
#[inline(always)]
pub(super) fn data_of<'a>(message: &'a FirstMessage<'_>, place: usize, bytes: usize) -> Option<&'a [u8]> {
    if message.note() & BY_REFERENCE == 0 {
        return None;
    }
    let address = ptr::with_exposed_provenance(message.word(place) as usize);
    // SAFETY:
    // - the word was made of a `Source` in one piece or of a copy, of so many bytes: no other message has the mark in
    //   its note;
    // - its sender completes the operation, or uses the buffer of the copy again, when the message is finished, which
    //   is after the result has been used, for that borrows the message.
    Some(unsafe { slice::from_raw_parts(address, bytes) })
}
