//! Accesses to files: blocking ones, at offsets in bytes.

use super::prepared::together;
use super::{Equivalence, source, target};
use simurgh_mpi::{Error, ErrorClass, File, Positioning, Result, Status};

/// Reads values from an offset on ([`File::read`]). The number of whole values that the file had.
///
/// # Errors
///
/// As the call of the file.
pub fn read_at<T: Equivalence>(file: &File, offset: u64, values: &mut [T]) -> Result<usize> {
    // SAFETY:
    // - the call is complete when it returns.
    let status = file.read(place(offset)?, &unsafe { target(values) })?;
    Ok(whole_values::<T>(&status))
}

/// Reads values together with all other ranks ([`File::read_all`]), as [`read_at`].
///
/// # Errors
///
/// As the call of the file.
pub fn read_at_all<T: Equivalence>(file: &File, offset: u64, values: &mut [T]) -> Result<usize> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let target = unsafe { target(values) };
    let status = together(|| file.read_all(place_for_all(offset), &target))?;
    Ok(whole_values::<T>(&status))
}

/// Writes values from an offset on ([`File::write`]).
///
/// # Errors
///
/// As the call of the file.
pub fn write_at<T: Equivalence>(file: &File, offset: u64, values: &[T]) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns.
    file.write(place(offset)?, &unsafe { source(values) }).map(drop)
}

/// Writes values together with all other ranks ([`File::write_all`]), as [`write_at`].
///
/// # Errors
///
/// As the call of the file.
pub fn write_at_all<T: Equivalence>(file: &File, offset: u64, values: &[T]) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let source = unsafe { source(values) };
    together(|| file.write_all(place_for_all(offset), &source)).map(drop)
}

/// The place of an offset in bytes, which are the etypes of a file whose view nobody has set.
fn place(offset: u64) -> Result<Positioning> {
    let offset = i64::try_from(offset);
    offset.map(Positioning::At).map_err(|_| {
        let message = "the offset is behind what a file can have";
        Error::new(ErrorClass::Arg, message)
    })
}

/// As [`place`]. An offset that is too large stays so: the other ranks are told that this one takes no part.
fn place_for_all(offset: u64) -> Positioning {
    Positioning::At(i64::try_from(offset).unwrap_or(i64::MAX))
}

/// The number of whole values that have been read.
fn whole_values<T: Equivalence>(status: &Status) -> usize {
    let bytes = T::datatype().size() * T::COUNT;
    usize::try_from(status.bytes).map_or(0, |read| read.checked_div(bytes).unwrap_or(0))
}
