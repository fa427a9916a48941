//! Access modes: what a file is opened for, and how.

use crate::error::{Error, ErrorClass, Result};
use simurgh_file::Access;

/// The mode in which a file is opened: bits with the numbers of the standard ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amode(i32);

impl Amode {
    /// Writes begin at the end of the file.
    pub const APPEND: i32 = 1;
    /// The file is made if it is not there.
    pub const CREATE: i32 = 2;
    /// The file is deleted when it is closed.
    pub const DELETE_ON_CLOSE: i32 = 4;
    /// The file must not be there.
    pub const EXCL: i32 = 8;
    /// The file is only read.
    pub const RDONLY: i32 = 16;
    /// The file is read and written.
    pub const RDWR: i32 = 32;
    /// The file is accessed by the shared file pointer only.
    pub const SEQUENTIAL: i32 = 64;
    /// Nobody else opens the file.
    pub const UNIQUE_OPEN: i32 = 128;
    /// The file is only written.
    pub const WRONLY: i32 = 256;

    /// The mode with these bits.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Amode`] for bits that mean nothing, or nothing together.
    pub fn new(bits: i32) -> Result<Self> {
        let has = |bit| bits & bit != 0;
        let ways = [Self::RDONLY, Self::RDWR, Self::WRONLY];
        let reason = if bits & !0x1ff != 0 {
            "it has bits that no mode has"
        } else if ways.into_iter().filter(|&way| has(way)).count() != 1 {
            "it must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY"
        } else if has(Self::RDONLY) && (has(Self::CREATE) || has(Self::EXCL)) {
            "a file that is only read cannot be made"
        } else if has(Self::RDWR) && has(Self::SEQUENTIAL) {
            "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR"
        } else {
            return Ok(Self(bits));
        };
        Err(Error::new(
            ErrorClass::Amode,
            format!("amode is {bits}: {reason}"),
        ))
    }

    /// Its bits.
    #[must_use]
    pub fn bits(self) -> i32 {
        self.0
    }

    /// Whether a bit is set.
    pub(crate) fn has(self, bit: i32) -> bool {
        self.0 & bit != 0
    }

    pub(super) fn access(self) -> Access {
        if self.has(Self::RDONLY) {
            Access::Read
        } else if self.has(Self::WRONLY) {
            Access::Write
        } else {
            Access::Both
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_that_make_no_sense_are_refused() {
        for bits in [0, 16 | 32, 16 | 2, 16 | 8, 32 | 64, 1 << 9 | 16, -1] {
            assert_eq!(Amode::new(bits).unwrap_err().class(), ErrorClass::Amode, "{bits}");
        }
        for bits in [16, 32, 256, 32 | 2 | 8 | 1 | 4 | 128, 16 | 64, 256 | 2 | 64] {
            assert_eq!(Amode::new(bits).unwrap().bits(), bits);
        }
    }
}
