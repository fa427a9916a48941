//! Checks of arguments. Each error says on one line what is wrong.
//!
//! Checks on the path of every message can be switched off for a job. A wrong argument may then crash the process.

use crate::constants::TAG_UB;
use crate::error::{Error, ErrorClass, Result};
use simurgh_settings::{Id, Values};

/// The level of checks in a job (the setting `check`). Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Checks {
    /// The fewest checks.
    Off,
    /// The arguments of calls.
    Arguments,
    /// Also whether the arguments of all ranks of a collective are consistent, and whether a rank has left something
    /// behind when its use of MPI ends; and how the programs of ranks use the blocks that they allocate.
    All,
}

impl Checks {
    pub(crate) fn of(settings: &Values) -> Self {
        match settings.amount(Id::Check) {
            0 => Self::Off,
            1 => Self::Arguments,
            _ => Self::All,
        }
    }
}

/// Checks the tag of a send.
///
/// # Errors
///
/// [`ErrorClass::Tag`] if it is negative.
#[inline]
pub fn tag(tag: i32) -> Result<()> {
    if tag >= 0 { Ok(()) } else { Err(wrong_tag(tag, "")) }
}

#[cold]
pub(crate) fn wrong_tag(tag: i32, or: &str) -> Error {
    Error::new(
        ErrorClass::Tag,
        format!("tag {tag} is not from 0 to {TAG_UB}{or}"),
    )
}

/// Checks a count and converts it.
///
/// # Errors
///
/// [`ErrorClass::Count`] if it is negative.
#[inline]
pub fn count(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::new(ErrorClass::Count, format!("count {count} is negative")))
}
