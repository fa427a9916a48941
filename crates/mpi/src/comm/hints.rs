//! Hints: the assertions of a program about its use of a communicator.
//!
//! Every assertion is the rank's own. The first two let the messages that the rank sends lie in fewer bins of the
//! receiver's match table (see [`crate::matching`]), because as a rule all ranks assert the same; a receiver that has
//! not asserted it finds them nevertheless. Ordering and lengths cost nothing here, so the other assertions are stored
//! and not used.

use super::Comm;
use crate::error::{Error, ErrorClass, Result};
use crate::info::{Info, MEMORY_KINDS};
use crate::matching::PatternKinds;
use simurgh_core::sync::Ordering;

/// The assertions in effect, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints(pub(super) u8);

/// The keys of the assertions; the index is the number of the bit.
const KEYS: [&str; 5] = [
    "mpi_assert_no_any_source",
    "mpi_assert_no_any_tag",
    "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
    "mpi_assert_strict_persistent_collective_ordering",
];

impl Hints {
    const NO_ANY_SOURCE: u8 = 0b01;
    const NO_ANY_TAG: u8 = 0b10;

    /// The assertions after `info` has set or cleared some.
    fn updated(self, info: &Info) -> Self {
        let change = |bits, (bit, key): (u32, &&str)| match info.flag(key) {
            Some(true) => bits | 1 << bit,
            Some(false) => bits & !(1 << bit),
            None => bits,
        };
        Self((0..).zip(&KEYS).fold(self.0, change))
    }

    fn info(self) -> Info {
        let mut info = Info::new();
        for (bit, key) in KEYS.iter().enumerate() {
            let value = if self.0 & 1 << bit == 0 { "false" } else { "true" };
            info.set(key, value).expect("the keys and values are short");
        }
        info
    }

    /// Whether no receive is for any source.
    #[inline]
    pub(crate) fn no_any_source(self) -> bool {
        self.0 & Self::NO_ANY_SOURCE != 0
    }

    /// Whether no receive is for any tag.
    #[inline]
    pub(crate) fn no_any_tag(self) -> bool {
        self.0 & Self::NO_ANY_TAG != 0
    }
}

impl Hints {
    /// The kinds of receives that may match a message.
    #[inline]
    pub(crate) fn kinds(self) -> PatternKinds {
        PatternKinds::without(self.no_any_source(), self.no_any_tag())
    }
}

impl Comm {
    /// The assertions in effect.
    #[inline]
    pub(crate) fn hints(&self) -> Hints {
        // Relaxed: the rank's own, and correct whatever other ranks have asserted.
        Hints(self.hints.load(Ordering::Relaxed))
    }

    /// Sets the hints that are known; other keys and values are ignored (`MPI_Comm_set_info`).
    pub fn set_info(&self, info: &Info) {
        let updated = self.hints().updated(info);
        // Relaxed: as in `hints`.
        self.hints.store(updated.0, Ordering::Relaxed);
    }

    /// All known hints and their values, and what kinds of memory buffers may be in (`MPI_Comm_get_info`).
    #[must_use]
    pub fn info(&self) -> Info {
        let (mut info, (key, kinds)) = (self.hints().info(), MEMORY_KINDS);
        info.set(key, kinds).expect("the key and the value are short");
        info
    }

    /// Refuses the wildcard for sources if the program has asserted that it is not used.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Rank`] for the violated assertion.
    #[inline]
    pub(crate) fn check_any_source(&self) -> Result<()> {
        if self.hints().no_any_source() {
            return Err(broken(ErrorClass::Rank, "MPI_ANY_SOURCE", KEYS[0]));
        }
        Ok(())
    }

    /// Refuses the wildcard for tags if the program has asserted that it is not used.
    ///
    /// # Errors
    ///
    /// [`ErrorClass::Tag`] for the violated assertion.
    #[inline]
    pub(crate) fn check_any_tag(&self) -> Result<()> {
        if self.hints().no_any_tag() {
            return Err(broken(ErrorClass::Tag, "MPI_ANY_TAG", KEYS[1]));
        }
        Ok(())
    }
}

#[cold]
fn broken(class: ErrorClass, wildcard: &str, key: &str) -> Error {
    let message =
        format!("{wildcard} is used, but the communicator's info says {key} = true; take one of them back");
    Error::new(class, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_set_and_cleared_one_by_one() {
        let hints = Hints::default();
        let mut info = Info::new();
        info.set("mpi_assert_no_any_tag", "true").unwrap();
        info.set("unknown", "true").unwrap();
        info.set("mpi_assert_exact_length", "perhaps").unwrap();
        let hints = hints.updated(&info);
        assert!(hints.no_any_tag() && !hints.no_any_source());
        let told = hints.info();
        assert_eq!(told.len(), KEYS.len());
        assert_eq!(told.flag("mpi_assert_no_any_tag"), Some(true));
        assert_eq!(told.flag("mpi_assert_exact_length"), Some(false));
        info.set("mpi_assert_no_any_tag", "false").unwrap();
        assert_eq!(hints.updated(&info), Hints::default());
    }
}
