//! Accesses to files: at offsets in bytes, and at file pointers.

use super::prepared::together;
use super::{Equivalence, Flight, FlightIn, Flights, View, ViewMut};
use simurgh_mpi::{Error, ErrorClass, File, Positioning, Result, Status};

/// Reads values from an offset on ([`File::read`]). The number of whole values that the file had.
///
/// # Errors
///
/// As the call of the file.
pub fn read_at<V: ViewMut + ?Sized>(file: &File, offset: u64, values: &mut V) -> Result<usize> {
    // SAFETY:
    // - the call is complete when it returns.
    let status = file.read(place(offset)?, &unsafe { values.target() })?;
    Ok(whole_values::<V::Item>(&status))
}

/// Reads values together with all other ranks ([`File::read_all`]), as [`read_at`].
///
/// # Errors
///
/// As the call of the file.
pub fn read_at_all<V: ViewMut + ?Sized>(file: &File, offset: u64, values: &mut V) -> Result<usize> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let target = unsafe { values.target() };
    let status = together(|| file.read_all(place_for_all(offset), &target))?;
    Ok(whole_values::<V::Item>(&status))
}

/// Writes values from an offset on ([`File::write`]).
///
/// # Errors
///
/// As the call of the file.
pub fn write_at<V: View + ?Sized>(file: &File, offset: u64, values: &V) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns.
    file.write(place(offset)?, &unsafe { values.source() }).map(drop)
}

/// Writes values together with all other ranks ([`File::write_all`]), as [`write_at`].
///
/// # Errors
///
/// As the call of the file.
pub fn write_at_all<V: View + ?Sized>(file: &File, offset: u64, values: &V) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let source = unsafe { values.source() };
    together(|| file.write_all(place_for_all(offset), &source)).map(drop)
}

/// Reads values at a file pointer ([`File::read`]), together with all other ranks if `together_with_all` is set
/// ([`File::read_all`]). The number of whole values that the file had.
///
/// # Errors
///
/// As the call of the file.
pub fn read_next<V: ViewMut + ?Sized>(
    file: &File,
    pointer: Positioning,
    values: &mut V,
    together_with_all: bool,
) -> Result<usize> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let target = unsafe { values.target() };
    let status = together(|| match together_with_all {
        true => file.read_all(pointer, &target),
        false => file.read(pointer, &target),
    })?;
    Ok(whole_values::<V::Item>(&status))
}

/// Writes values at a file pointer ([`File::write`]), together with all other ranks if `together_with_all` is set
/// ([`File::write_all`]).
///
/// # Errors
///
/// As the call of the file.
pub fn write_next<V: View + ?Sized>(
    file: &File,
    pointer: Positioning,
    values: &V,
    together_with_all: bool,
) -> Result<()> {
    // SAFETY:
    // - the call is complete when it returns; until then nothing unwinds.
    let source = unsafe { values.source() };
    let status = together(|| match together_with_all {
        true => file.write_all(pointer, &source),
        false => file.write(pointer, &source),
    });
    status.map(drop)
}

impl<'scope> Flights<'scope, '_> {
    /// Starts to read values from an offset on ([`File::start_read`]).
    ///
    /// # Errors
    ///
    /// As the call of the file.
    pub fn read_at<T: Equivalence>(
        &'scope self,
        file: &'scope File,
        offset: u64,
        values: &'scope mut [T],
    ) -> Result<FlightIn<'scope, T>> {
        let place = place(offset)?;
        self.fill(values, |target| file.start_read(place, target))
    }

    /// Starts to read values from an offset on, together with all other ranks ([`File::start_read_all`]).
    ///
    /// # Errors
    ///
    /// As the call of the file.
    pub fn read_at_all<T: Equivalence>(
        &'scope self,
        file: &'scope File,
        offset: u64,
        values: &'scope mut [T],
    ) -> Result<FlightIn<'scope, T>> {
        self.fill(values, |target| {
            file.start_read_all(place_for_all(offset), target)
        })
    }

    /// Starts to write values from an offset on ([`File::start_write`]).
    ///
    /// # Errors
    ///
    /// As the call of the file.
    pub fn write_at<V: View + ?Sized>(
        &'scope self,
        file: &'scope File,
        offset: u64,
        values: &'scope V,
    ) -> Result<Flight<'scope>> {
        let place = place(offset)?;
        self.drain(values, |source| file.start_write(place, source))
    }

    /// Starts to write values from an offset on, together with all other ranks ([`File::start_write_all`]).
    ///
    /// # Errors
    ///
    /// As the call of the file.
    pub fn write_at_all<V: View + ?Sized>(
        &'scope self,
        file: &'scope File,
        offset: u64,
        values: &'scope V,
    ) -> Result<Flight<'scope>> {
        self.drain(values, |source| {
            file.start_write_all(place_for_all(offset), source)
        })
    }
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
