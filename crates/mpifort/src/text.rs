//! Strings: those of Fortran have a length and end in blanks, those of C end in a null byte.

use core::ffi::{c_char, c_int};
use core::slice;

use crate::c;
use crate::memory::Temporary;

/// The bytes of a string that need no memory of their own.
const SHORT: usize = 256;

/// A string of Fortran, for C.
pub(crate) struct Text(Temporary<u8, SHORT>);

impl Text {
    /// The string without the blanks at its end.
    ///
    /// # Safety
    ///
    /// `text` has `length` characters.
    pub(crate) unsafe fn without_trailing(text: *const u8, length: usize) -> Self {
        // SAFETY:
        // - the caller's promise.
        Self::of(trailing(unsafe { bytes(text, length) }))
    }

    /// The string without the blanks at both its ends.
    ///
    /// # Safety
    ///
    /// `text` has `length` characters.
    pub(crate) unsafe fn without_both(text: *const u8, length: usize) -> Self {
        // SAFETY:
        // - the caller's promise.
        Self::of(unsafe { without_blanks(text, length) })
    }

    fn of(text: &[u8]) -> Self {
        let mut room = Temporary::<u8, SHORT>::new(text.len() + 1);
        let start = room.as_mut_ptr();
        // SAFETY:
        // - there is room for the string and a null byte, which overlaps with nothing.
        unsafe {
            start.copy_from_nonoverlapping(text.as_ptr(), text.len());
            start.add(text.len()).write(0);
        }
        Self(room)
    }

    /// Its address for C.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }
}

/// Room in which C leaves a string for Fortran.
pub(crate) struct TextOut(Temporary<u8, SHORT>);

impl TextOut {
    /// Room for so many bytes, with the null byte. It holds the empty string.
    pub(crate) fn new(room: c_int) -> Self {
        let mut made = Temporary::<u8, SHORT>::new(usize::try_from(room).unwrap_or(0).max(1));
        // SAFETY:
        // - there is room for a byte.
        unsafe { made.as_mut_ptr().write(0) };
        Self(made)
    }

    /// Its address for C.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_char {
        self.0.as_mut_ptr().cast()
    }

    /// Stores the string in a variable of Fortran, filled up with blanks.
    ///
    /// # Safety
    ///
    /// `variable` has room for `length` characters, and C has left a string that ends in a null byte.
    pub(crate) unsafe fn give(&mut self, variable: *mut u8, length: usize) {
        let text = self.0.as_mut_ptr();
        // SAFETY:
        // - the string ends in a null byte;
        // - the variable has room for `length` characters.
        unsafe {
            let copied = c::strnlen(text.cast(), length);
            variable.copy_from_nonoverlapping(text, copied);
            variable.add(copied).write_bytes(b' ', length - copied);
        }
    }
}

/// The characters of a string of Fortran without the blanks at both its ends.
///
/// # Safety
///
/// `text` has `length` characters, which nobody changes as long as they are borrowed.
pub(crate) unsafe fn without_blanks<'a>(text: *const u8, length: usize) -> &'a [u8] {
    // SAFETY:
    // - the caller's promise.
    leading(trailing(unsafe { bytes(text, length) }))
}

/// The characters of a string of Fortran.
///
/// # Safety
///
/// `text` has `length` characters, which nobody changes as long as they are borrowed.
unsafe fn bytes<'a>(text: *const u8, length: usize) -> &'a [u8] {
    match length {
        0 => &[],
        // SAFETY:
        // - the caller's promise.
        _ => unsafe { slice::from_raw_parts(text, length) },
    }
}

fn trailing(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b' '] = text {
        text = rest;
    }
    text
}

fn leading(mut text: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] = text {
        text = rest;
    }
    text
}
