//! The entry of a completion queue for an error, with room to spare.

use crate::fi_cq_err_entry;

/// Bytes by which a newer library may have made the entry longer.
const SPARE: usize = 128;

/// An entry of an error, with room for one that a newer library has made longer.
#[repr(C)]
pub struct ErrorEntry {
    /// The part that the headers declare.
    pub entry: fi_cq_err_entry,
    spare: [u8; SPARE],
}

impl Default for ErrorEntry {
    fn default() -> Self {
        // SAFETY:
        // - the entry is made of integers and pointers, for which zero is a value.
        let entry = unsafe { std::mem::zeroed() };
        let spare = [0; SPARE];
        Self { entry, spare }
    }
}
