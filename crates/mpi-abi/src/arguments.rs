//! Argument conversion: the parameter types of the C interface.
//!
//! A value of one of these types exists only because C code has called one of our functions with a pointer (each type
//! is `repr(transparent)` over it). The MPI standard obliges the caller to pass a pointer that is valid for what the
//! function does with it, or one of the standard's special addresses. Every `unsafe` block of this file rests on that
//! precondition. What can be checked is checked: a null pointer is an error, not a crash.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::slice;

use simurgh_mpi::datatype::Width;
use simurgh_mpi::memory::Numbers;
use simurgh_mpi::{ErrorClass, Status};

use crate::constants::{MPI_ANY_SOURCE, MPI_IN_PLACE};
use crate::error::{CallError, Outcome, ResultOf};
use crate::types::MPI_Status;

/// A `T *` that the function writes through.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Whether the caller does not want the value.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Stores `value`; `name` is the parameter's, for the error message.
    #[inline]
    pub fn set(self, name: &str, value: T) -> Outcome {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed a pointer to a `T` (see the module's documentation), and it is not null.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Fails on a null pointer, before anything is done that could not be undone.
    #[inline]
    pub fn check(self, name: &str) -> Outcome {
        if self.0.is_null() {
            Err(CallError::null(name))
        } else {
            Ok(())
        }
    }

    /// Stores `value`, unless the pointer is null, which stands for "ignore".
    #[inline]
    pub fn set_unless_ignored(self, value: T) {
        if !self.0.is_null() {
            // SAFETY:
            // - as in `set`.
            unsafe { self.0.write(value) };
        }
    }
}

/// A `T *` that the function reads and writes through.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct InOut<T>(*mut T);

impl<T: Copy> InOut<T> {
    /// The value there; `name` is the parameter's, for the error message.
    #[inline]
    pub fn get(self, name: &str) -> ResultOf<T> {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed a pointer to a `T` (see the module's documentation), and it is not null.
        Ok(unsafe { self.0.read() })
    }

    /// Replaces the value that [`InOut::get`] has read.
    #[inline]
    pub fn set(self, value: T) {
        debug_assert!(!self.0.is_null());
        // SAFETY:
        // - as in `get`, which has been called before.
        unsafe { self.0.write(value) };
    }

    /// Changes the value in place.
    pub fn update(self, name: &str, change: impl FnOnce(&mut T)) -> Outcome {
        let mut value = self.get(name)?;
        change(&mut value);
        self.set(value);
        Ok(())
    }
}

/// A `const T *` to one value.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// The value there; `name` is the parameter's, for the error message.
    #[inline]
    pub fn get(self, name: &str) -> ResultOf<T> {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed a pointer to a `T` (see the module's documentation), and it is not null.
        Ok(unsafe { self.0.read() })
    }
}

/// A `const T[]`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Array<T>(*const T);

impl<T> Array<T> {
    /// Whether the pointer is this special address of the standard.
    pub fn is_special(&self, address: *const T) -> bool {
        self.0.addr() == address.addr()
    }

    /// Its first `length` elements; `name` is the parameter's, for the error message.
    pub fn slice(&self, name: &str, length: usize) -> ResultOf<&[T]> {
        if length == 0 {
            return Ok(&[]);
        }
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed an array of this length (see the module's documentation), and it is not null;
        // - the slice lives no longer than the argument, that is, than the call.
        Ok(unsafe { slice::from_raw_parts(self.0, length) })
    }
}

impl<T: Number> Array<T> {
    /// Its first `length` elements as numbers, which are read where they are. The program leaves them alone until the
    /// operation is complete, as the standard demands of counts and displacements.
    pub fn numbers(&self, name: &str, length: usize) -> ResultOf<Numbers> {
        let address = self.slice(name, length)?.as_ptr();
        // SAFETY:
        // - the C caller passed an array of this length (see the module's documentation) of integers of one of two
        //   sizes.
        Ok(unsafe {
            if size_of::<T>() == size_of::<i32>() {
                Numbers::narrow(address.cast(), length)
            } else {
                Numbers::wide(address.cast(), length)
            }
        })
    }

    /// Its first `length` elements as [`Array::numbers`] that count something. A negative one, which the error message
    /// calls `each`, is `MPI_ERR_COUNT`.
    pub fn counts(&self, name: &str, each: &str, length: usize) -> ResultOf<Numbers> {
        let counts = self.numbers(name, length)?;
        counts
            .iter()
            .try_for_each(|count| count_of(each, count).map(drop))?;
        Ok(counts)
    }
}

/// A `T[]` that the function writes to.
#[repr(transparent)]
pub struct ArrayMut<T>(*mut T);

impl<T> ArrayMut<T> {
    /// Its address.
    pub fn address(&self) -> *mut T {
        self.0
    }

    /// Whether the caller does not want the values.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Whether the pointer is this special address of the standard.
    pub fn is_special(&self, address: *const T) -> bool {
        self.0.addr() == address.addr()
    }

    /// Its first `length` elements; `name` is the parameter's, for the error message.
    pub fn slice(&mut self, name: &str, length: usize) -> ResultOf<&mut [T]> {
        if length == 0 {
            return Ok(&mut []);
        }
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed an array of this length (see the module's documentation), and it is not null;
        // - the slice lives no longer than the argument, which is borrowed for as long.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, length) })
    }
}

/// An `MPI_Status *` that a call for one operation fills, or `MPI_STATUS_IGNORE`.
///
/// `MPI_ERROR` is left as it is, since the call itself returns the error.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct StatusOut(*mut MPI_Status);

impl StatusOut {
    /// Stores `status`.
    #[inline]
    pub fn set(self, status: &Status) {
        if !self.0.is_null() {
            // SAFETY:
            // - the C caller passed a pointer to a status (see the module's documentation), and it is not null.
            unsafe { write_status(self.0, status) };
        }
    }
}

/// An `MPI_Status[]` that a call for several operations fills, or `MPI_STATUSES_IGNORE`.
///
/// `MPI_ERROR` is filled even if no operation failed. The standard would leave it alone then, but programs look at it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct StatusesOut(*mut MPI_Status);

impl StatusesOut {
    /// Stores `status` in element `index`, which is below the length of the caller's array of requests.
    #[inline]
    pub(crate) fn set(self, index: usize, status: &Status) {
        if !self.0.is_null() {
            // SAFETY:
            // - the C caller passed as many statuses as requests, and `index` is one of them.
            unsafe { self.0.add(index).write(MPI_Status::from(status)) };
        }
    }
}

/// Fills a status except `MPI_ERROR`, which calls for one operation leave alone; an empty status has no error, though.
///
/// # Safety
///
/// `place` is valid for writes.
unsafe fn write_status(place: *mut MPI_Status, status: &Status) {
    // SAFETY:
    // - `place` is valid for writes; nothing is read, so it may be uninitialised.
    unsafe {
        (&raw mut (*place).MPI_SOURCE).write(status.source);
        (&raw mut (*place).MPI_TAG).write(status.tag);
        (&raw mut (*place).MPI_internal).write(MPI_Status::internal(status.bytes, status.cancelled));
        if status.source == MPI_ANY_SOURCE {
            (&raw mut (*place).MPI_ERROR).write(status.error.number());
        }
    }
}

/// A `const void *`: the caller's data.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Buffer(*const c_void);

impl Buffer {
    /// The address of the data.
    #[inline]
    pub fn address(self) -> *const u8 {
        self.0.cast()
    }

    /// The `length` bytes there; `name` is the parameter's, for the error message.
    pub fn bytes(&self, name: &str, length: usize) -> ResultOf<&[u8]> {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed memory of this length (see the module's documentation), and it is not null;
        // - the slice lives no longer than the argument, that is, than the call.
        Ok(unsafe { slice::from_raw_parts(self.0.cast(), length) })
    }

    /// The data as a string of the caller.
    pub fn text(self) -> Text {
        Text(self.0.cast())
    }

    /// Whether the caller passed `MPI_IN_PLACE`.
    pub fn is_in_place(self) -> bool {
        self.0.addr() == MPI_IN_PLACE.addr()
    }

    /// Whether this is a special address: `MPI_BOTTOM` or `MPI_IN_PLACE`.
    #[inline]
    pub(crate) fn is_special(self) -> bool {
        self.0.addr() <= MPI_IN_PLACE.addr()
    }
}

/// A `void *`: the caller's memory for data.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct BufferMut(*mut c_void);

impl BufferMut {
    /// The address of the data.
    #[inline]
    pub fn address(self) -> *mut u8 {
        self.0.cast()
    }

    /// The same memory, to read from.
    pub fn as_const(self) -> Buffer {
        Buffer(self.0)
    }

    /// Whether the caller passed `MPI_IN_PLACE`.
    pub fn is_in_place(self) -> bool {
        self.0.addr() == MPI_IN_PLACE.addr()
    }

    /// Fails on a null pointer, before anything is done that could not be undone.
    pub fn check(self, name: &str) -> Outcome {
        if self.0.is_null() {
            Err(CallError::null(name))
        } else {
            Ok(())
        }
    }

    /// The `T` there; `name` is the parameter's, for the error message.
    pub fn load<T: Copy>(self, name: &str) -> ResultOf<T> {
        In(self.0.cast_const().cast::<T>()).get(name)
    }

    /// Stores all these bytes; `name` is the parameter's, for the error message.
    pub fn set_all(self, name: &str, bytes: &[u8]) -> Outcome {
        self.check(name)?;
        // SAFETY:
        // - the C caller passed memory of this length (see the module's documentation), and it is not null;
        // - what the library owns does not overlap with it.
        unsafe {
            self.0
                .copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len())
        };
        Ok(())
    }

    /// Stores a pointer through the `void *`, which stands for a pointer to a pointer of any type.
    pub fn set_pointer(self, name: &str, value: *mut c_void) -> Outcome {
        Out(self.0.cast::<*mut c_void>()).set(name, value)
    }
}

/// A `const char *`: a string of the caller.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Text {
    /// The string, as UTF-8 as far as it is; `name` is the parameter's, for the error message.
    pub fn read(self, name: &str) -> ResultOf<String> {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed a string that ends in a null byte (see the module's documentation).
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }

    /// The characters of the string, whatever they are; `name` is the parameter's, for the error message.
    pub fn bytes(&self, name: &str) -> ResultOf<&[u8]> {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        // SAFETY:
        // - the C caller passed a string that ends in a null byte (see the module's documentation);
        // - the slice lives no longer than the argument, that is, than the call.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes())
    }
}

/// A `char *`: the caller's room for a string.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct TextOut(*mut c_char);

impl TextOut {
    /// Stores as much of `text` as fits into `room` bytes with a null byte at the end, and its length in `length`.
    pub fn set(self, name: &str, text: &str, room: c_int, length: Out<c_int>) -> Outcome {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        let room = usize::try_from(room).unwrap_or(0).saturating_sub(1);
        let end = text.floor_char_boundary(room);
        length.set("resultlen", c_int::try_from(end).unwrap_or(c_int::MAX))?;
        // SAFETY:
        // - the C caller passed an array of at least `room` + 1 bytes, as the standard asks for this parameter.
        let bytes = unsafe { slice::from_raw_parts_mut(self.0.cast::<u8>(), end + 1) };
        bytes[..end].copy_from_slice(&text.as_bytes()[..end]);
        bytes[end] = 0;
        Ok(())
    }
}

impl TextOut {
    /// Whether the caller does not want the string.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Stores as much of `text` as fits into `room` bytes with a null byte at the end; `room` is not zero.
    pub fn set_bytes(self, name: &str, text: &[u8], room: usize) -> Outcome {
        if self.0.is_null() {
            return Err(CallError::null(name));
        }
        let end = text.len().min(room - 1);
        // SAFETY:
        // - the C caller passed an array of at least `room` bytes, as the standard asks for this parameter.
        let bytes = unsafe { slice::from_raw_parts_mut(self.0.cast::<u8>(), end + 1) };
        bytes[..end].copy_from_slice(&text[..end]);
        bytes[end] = 0;
        Ok(())
    }
}

/// A level of safety of a tool's callback. C may pass any number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Safety(pub(crate) c_int);

/// The integer types of counts, displacements and sizes in C.
pub trait Number: Copy {
    /// The interface whose counts have this type.
    const WIDTH: Width;

    /// The number in the width of the engine.
    fn wide(self) -> i64;

    /// `value`, if this type can represent it.
    fn narrow(value: i64) -> Option<Self>;
}

macro_rules! numbers {
    ($($ty:ty: $width:ident)*) => {$(
        impl Number for $ty {
            const WIDTH: Width = Width::$width;

            #[inline]
            fn wide(self) -> i64 {
                self as i64
            }

            fn narrow(value: i64) -> Option<Self> {
                value.try_into().ok()
            }
        }
    )*};
}

numbers! { c_int: Narrow i64: Large isize: Narrow }

/// A length, size or position for the engine; a negative one is `MPI_ERR_ARG`.
pub fn length_of(name: &str, length: impl Number) -> ResultOf<usize> {
    let length = length.wide();
    usize::try_from(length).map_err(|_| {
        CallError::new(
            ErrorClass::Arg,
            format!("{name} is {length}: it must not be negative"),
        )
    })
}

/// A displacement for the engine.
pub fn displacement_of(name: &str, displacement: impl Number) -> ResultOf<isize> {
    let displacement = displacement.wide();
    isize::try_from(displacement).map_err(|_| {
        CallError::new(
            ErrorClass::Arg,
            format!("{name} is {displacement}, which is more than an address can reach"),
        )
    })
}

/// A count for the engine; a negative one is `MPI_ERR_COUNT`.
#[inline]
pub fn count_of(name: &str, count: impl Number) -> ResultOf<usize> {
    let count = count.wide();
    usize::try_from(count).map_err(|_| {
        CallError::new(
            ErrorClass::Count,
            format!("{name} is {count}: it must not be negative"),
        )
    })
}
