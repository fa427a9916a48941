//! The value of an attribute, as Fortran sees it.

use core::ffi::{c_int, c_void};

use super::cell;

/// The two sizes that attributes have in Fortran.
pub(crate) trait Integer: Copy + PartialEq {
    /// Takes the low bits.
    fn narrow(value: isize) -> Self;

    /// Keeps the sign.
    fn widen(self) -> isize;
}

impl Integer for isize {
    fn narrow(value: isize) -> Self {
        value
    }

    fn widen(self) -> isize {
        self
    }
}

impl Integer for c_int {
    fn narrow(value: isize) -> Self {
        value as c_int
    }

    fn widen(self) -> isize {
        self as isize
    }
}

/// An attribute that a program has set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// Set by Fortran.
    Integer(isize),
    /// Set by C.
    Pointer(*mut c_void),
}

impl Value {
    /// What stands behind C's attribute.
    pub(crate) fn of(attribute: *mut c_void) -> Self {
        match cell::get(attribute) {
            Some(value) => Self::Integer(value),
            None => Self::Pointer(attribute),
        }
    }

    /// The integer that Fortran gets.
    pub(crate) fn integer(self) -> isize {
        match self {
            Self::Integer(value) => value,
            Self::Pointer(pointer) => pointer.expose_provenance().cast_signed(),
        }
    }

    /// The attribute for C: a new cell, or the pointer.
    pub(crate) fn into_attribute(self) -> *mut c_void {
        match self {
            Self::Integer(value) => cell::make(value),
            Self::Pointer(pointer) => pointer,
        }
    }

    /// What a copy of this attribute is, when a copy function has got it as an integer of this size and has stored
    /// `copied`. If the function has passed on what it got, the copy is as the original: all its bits are kept, and C's
    /// pointer remains one.
    pub(crate) fn copied_as<I: Integer>(self, copied: I) -> Self {
        match copied == I::narrow(self.integer()) {
            true => self,
            false => Self::Integer(copied.widen()),
        }
    }

    /// Frees C's attribute if it is a cell.
    pub(crate) fn free(attribute: *mut c_void) {
        cell::release(attribute);
    }
}

#[cfg(test)]
mod tests {
    use core::ptr::without_provenance_mut;

    use super::*;

    const WIDE: isize = 0x7000_0000_1234_5678;

    #[test]
    fn attributes_of_fortran_come_back_as_integers() {
        for value in [0, -1, WIDE, isize::MIN] {
            let attribute = Value::Integer(value).into_attribute();
            assert_eq!(Value::of(attribute), Value::Integer(value));
            // SAFETY:
            // - the attribute is the address of an address-sized integer.
            assert_eq!(unsafe { *attribute.cast::<isize>() }, value);
            // SAFETY:
            // - the low half of the integer is an `int` at the same address.
            assert_eq!(unsafe { *attribute.cast::<c_int>() }, c_int::narrow(value));
            Value::free(attribute);
        }
    }

    #[test]
    fn attributes_of_c_come_back_as_pointers() {
        let pointer = without_provenance_mut(0xdead_beef_0000);
        assert_eq!(Value::of(pointer), Value::Pointer(pointer));
        assert_eq!(Value::of(pointer).integer(), 0xdead_beef_0000);
        assert_eq!(
            c_int::narrow(Value::of(pointer).integer()),
            0xbeef_0000_u32 as c_int
        );
    }

    #[test]
    fn a_value_that_is_passed_on_stays_what_it_is() {
        let pointer = Value::Pointer(without_provenance_mut(0xdead_beef_0000));
        assert_eq!(pointer.copied_as(0xdead_beef_0000_isize), pointer);
        assert_eq!(pointer.copied_as(5_isize), Value::Integer(5));
        let wide = Value::Integer(WIDE);
        assert_eq!(wide.copied_as(0x1234_5678), wide);
        assert_eq!(wide.copied_as(-3), Value::Integer(-3));
    }
}
